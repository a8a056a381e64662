"""The catalogue of named measures: all that is known of each stands in its entry here.

An entry has the name, the definition as text, the parameters that can be chosen, a case of the paper that shows it, its
title and formula, when to use it, and when not, and where it was published. ``CatalogueEntry`` explains what some have
beside these.
"""
# ruff: noqa: E501
# fmt: off

from hemlp.measures.catalogue_entry import CatalogueEntry

_PAIRS = ("cost", "max_distance", "horizon")
_CLOSURE = ("top", "horizon", "weights")
_LCA = ("horizon", "method", "time_limit")
_NO_BETA = {"beta": "its graphs are chosen by F itself"}
_SIMILARITY = '1 − s for the similarity s of two classes: `"wu_palmer"` (which needs no corpus), `Lin(weights)`, `Resnik(weights, normalized=True)`, or any cost from 0 to 1.'

_DEKEL = "O. Dekel, J. Keshet, Y. Singer: Large margin hierarchical classification. ICML 2004, doi:10.1145/1015330.1015374"
_SUN_LIM = "A. Sun, E.-P. Lim: Hierarchical text classification and evaluation. ICDM 2001, 521–528, doi:10.1109/ICDM.2001.989560"
_KOSMOPOULOS = "A. Kosmopoulos, I. Partalas, E. Gaussier, G. Paliouras, I. Androutsopoulos: Evaluation measures for hierarchical classification: a unified view and novel approaches. Data Mining and Knowledge Discovery 29 (2015), 820–865, doi:10.1007/s10618-014-0382-x"
_KIRITCHENKO = "S. Kiritchenko, S. Matwin, R. Nock, A. F. Famili: Learning and evaluation in the presence of class hierarchies: application to text categorization. Canadian AI 2006, LNCS 4013, 395–406, doi:10.1007/11766247_34"
_IPEIROTIS = "P. G. Ipeirotis, L. Gravano, M. Sahami: Probe, count, and classify: categorizing hidden-web databases. SIGMOD 2001"
_CESA_BIANCHI = "N. Cesa-Bianchi, C. Gentile, L. Zaniboni: Incremental algorithms for hierarchical classification. Journal of Machine Learning Research 7 (2006), 31–54"
_AMIGO = "E. Amigó, A. Delgado: Evaluating extreme hierarchical multi-label classification. ACL 2022, 5809–5819, doi:10.18653/v1/2022.acl-long.399"
_PESQUITA = "C. Pesquita, D. Faria, H. Bastos, A. E. N. Ferreira, A. O. Falcão, F. M. Couto: Metrics for GO based protein semantic similarity: a systematic evaluation. BMC Bioinformatics 9 (2008), S4, doi:10.1186/1471-2105-9-S5-S4"
_SCHLICKER = "A. Schlicker, F. S. Domingues, J. Rahnenführer, T. Lengauer: A new measure for functional similarity of gene products based on Gene Ontology. BMC Bioinformatics 7 (2006), 302, doi:10.1186/1471-2105-7-302"
_WU_PALMER = "Z. Wu, M. Palmer: Verbs semantics and lexical selection. ACL 1994, 133–138, doi:10.3115/981732.981751"
_EVANS_MATSEN = "S. N. Evans, F. A. Matsen: The phylogenetic Kantorovich–Rubinstein metric for environmental sequence samples. Journal of the Royal Statistical Society B 74 (2012), 569–592, doi:10.1111/j.1467-9868.2011.01018.x"
_BERTINETTO = "L. Bertinetto, R. Mueller, K. Tertikas, S. Samangooei, N. A. Lord: Making better mistakes: leveraging class hierarchies with deep networks. CVPR 2020, doi:10.1109/CVPR42600.2020.01252"
_TSOUMAKAS = "G. Tsoumakas, I. Katakis: Multi-label classification: an overview. International Journal of Data Warehousing and Mining 3 (2007), 1–13, doi:10.4018/jdwm.2007070101"
_MATCHED = f"The pairing is hemlp's own; the similarity: {_WU_PALMER}"

_ENTRIES = (
    CatalogueEntry(
        "TIE", "PairMeasure('TIE', Bounds((1, 1), (1, 1)), defined='single')", _PAIRS, case="3b",
        title="Tree induced error",
        formula=r"\kappa(\hat y, y), \quad |Y| = |\hat Y| = 1",
        use="One label per instance on both sides, and you want the number of edges between the two classes.",
        avoid='Instances with several labels, or with none: it is undefined there, which is an error unless you choose `undefined="nan"`.',
        reference=_DEKEL,
        about={"max_distance": "Where the pair costs more, the measure is undefined: there is no default class. None: no limit."},
    ),
    CatalogueEntry(
        "SunLim", "PairMeasure('SunLim', Bounds((ALL, ALL), (ALL, ALL)), defined='both')", _PAIRS, case="1a",
        title="All pairs (Sun and Lim)",
        formula=r"\sum_{i,j} \kappa(\hat y_i, y_j)",
        use="Comparison with published results that sum over all pairs, or a table of similarities between classes (`MatrixCost`).",
        avoid="Ranking systems that predict different numbers of labels: every pair counts, right ones included, so that saying more always costs more.",
        reference=_SUN_LIM,
        about={"max_distance": "Where a pair costs more, the measure is undefined: there is no default class. None: no limit."},
    ),
    CatalogueEntry(
        "GIE", "PairMeasure('GIE', Bounds((1, 1), (1, 1)), default_cost=5)", ("default_cost", *_PAIRS), case="1a",
        title="Graph induced error",
        formula=r"\min \sum \kappa_{ij} x_{ij} + D_{max} \big(\sum u_i + \sum v_j\big) \ \text{ with each class paired exactly once}",
        use='Several labels per instance, each of which should have its own counterpart; an error in edges that adds up. It is GOSPA (Rahmathullah 2017) with p = 1, α = 2 and c = 2·`default_cost`, and so a metric on sets of classes wherever κ is one: on trees, or with `cost="undirected"`; two systems are far apart only if one of them is far from the truth.',
        avoid="Where one prediction may stand for several true classes (MGIA), or where systems differ much in how many labels they predict: what is left over costs `default_cost`, so that saying little is cheap.",
        reference=_KOSMOPOULOS,
    ),
    CatalogueEntry(
        "MGIA", "PairMeasure('MGIA', Bounds((1, ALL), (1, ALL)), default_cost=5, score='accuracy')", ("default_cost", *_PAIRS, "pairing", "normalizer"), case="2a",
        title="Multi-label graph induced accuracy",
        formula=r"1 - \frac{\text{error}}{|P \bigtriangleup T| \, D_{max}}, \quad \text{error of Problem 1 with } \alpha = 1, \beta = \text{ALL}",
        use="Several labels per instance where one class may serve several on the other side; the paper's better pair-based measure.",
        avoid='Where adding a correct class must never lower the score: choose `normalizer="union"` then. Where a metric is needed: its error is none, because one class may serve several. With b a child of a, and c and d children of b, it is 1 from {a} to {b} and 2 from {b} to {c, d}, but 4 from {a} to {c, d}.',
        reference=_KOSMOPOULOS,
    ),
    CatalogueEntry(
        "P_H", "SetMeasure('P_H', 'ancestors', score='P')", _CLOSURE, case="3a",
        title="Hierarchical precision",
        formula=r"\frac{|\hat Y_{aug} \cap Y_{aug}|}{|\hat Y_{aug}|}",
        use="How much of what is predicted, ancestors included, is right.",
        avoid="Alone: a system that predicts roots only has perfect hierarchical precision.",
        reference=_KIRITCHENKO,
    ),
    CatalogueEntry(
        "R_H", "SetMeasure('R_H', 'ancestors', score='R')", _CLOSURE, case="3a",
        title="Hierarchical recall",
        formula=r"\frac{|\hat Y_{aug} \cap Y_{aug}|}{|Y_{aug}|}",
        use="How much of what is true, ancestors included, is found.",
        avoid="Alone: predicting everything has perfect hierarchical recall.",
        reference=_KIRITCHENKO,
    ),
    CatalogueEntry(
        "F_H", "SetMeasure('F_H', 'ancestors')", (*_CLOSURE, "beta"), case="2a",
        title="Hierarchical F",
        formula=r"\frac{2\,|\hat Y_{aug} \cap Y_{aug}|}{|\hat Y_{aug}| + |Y_{aug}|}",
        use="The measure that most papers report; fast, and defined on every instance. With `beta` recall counts β times as much as precision.",
        avoid="Deep hierarchies where all classes share long chains of ancestors: those push every score up (F_LCA does not count them). With `top=True` it is what HEMKit and BioASQ report.",
        reference=_KIRITCHENKO,
    ),
    CatalogueEntry(
        "SDL", "SetMeasure('SDL', 'ancestors', score='difference')", _CLOSURE, case="3a",
        title="Symmetric difference loss",
        formula=r"|\hat Y_{aug} \bigtriangleup Y_{aug}|",
        use="A loss in nodes that adds up over instances.",
        avoid="Comparing data sets of different depth, or systems that predict different numbers of labels: it is not normalised.",
        reference=_KOSMOPOULOS,
    ),
    CatalogueEntry(
        "P_De", "SetMeasure('P_De', 'descendants', score='P')", ("weights",), case="9a",
        title="Precision with descendants",
        formula=r"\frac{|\hat Y_{De} \cap Y_{De}|}{|\hat Y_{De}|}, \quad S_{De} = S \cup De(S)",
        use="Predicting a category means everything in it, as when search results are filtered by category.",
        avoid="Predictions at inner nodes of large subtrees: one wrong node drags its whole subtree along.",
        reference=_IPEIROTIS,
    ),
    CatalogueEntry(
        "R_De", "SetMeasure('R_De', 'descendants', score='R')", ("weights",), case="9a",
        title="Recall with descendants",
        formula=r"\frac{|\hat Y_{De} \cap Y_{De}|}{|Y_{De}|}",
        use="As P_De, from the side of what is true.",
        avoid="As P_De. Classes of different subtrees share nothing, however near they are.",
        reference=_IPEIROTIS,
    ),
    CatalogueEntry(
        "F_De", "SetMeasure('F_De', 'descendants')", ("weights", "beta"), case="9a",
        title="F with descendants",
        formula=r"\frac{2\,|\hat Y_{De} \cap Y_{De}|}{|\hat Y_{De}| + |Y_{De}|}",
        use="As P_De and R_De, both together.",
        avoid="Near misses: siblings score 0.",
        reference=_IPEIROTIS,
    ),
    CatalogueEntry(
        "F_Tol", "SetMeasure('F_Tol', 'tolerant')", (), case="7a",
        title="F, tolerant of over-specialisation",
        formula=r"\frac{2\,|\hat Y_{tol} \cap Y_{tol}|}{|\hat Y_{tol}| + |Y_{tol}|}, \quad \text{distant classes dropped from both closures}",
        use="Predictions that go deeper than the truth should not be punished for every level.",
        avoid="Telling systems apart: what is far off on either side is dropped, so that values are high and close together.",
        reference=_KOSMOPOULOS + "; after " + _CESA_BIANCHI,
    ),
    CatalogueEntry(
        "SDL_Tol", "SetMeasure('SDL_Tol', 'tolerant', score='difference')", (), case="7a",
        title="Symmetric difference loss, tolerant",
        formula=r"|\hat Y_{tol} \bigtriangleup Y_{tol}|",
        use="As F_Tol, as a loss in nodes.",
        avoid="As F_Tol; a prediction that is entirely wrong loses little.",
        reference=_KOSMOPOULOS + "; after " + _CESA_BIANCHI,
    ),
    CatalogueEntry(
        "P_LCA", "SetMeasure('P_LCA', 'lca', score='P')", _LCA, case="2b",
        title="LCA precision",
        formula=r"\frac{|G_p \cap G_t|}{|G_p|}",
        use="How much of what joins the predictions to the truth lies on common ground.",
        avoid="Alone, as every precision; and over several roots as F_LCA.",
        reference=_KOSMOPOULOS,
        refused=_NO_BETA,
    ),
    CatalogueEntry(
        "R_LCA", "SetMeasure('R_LCA', 'lca', score='R')", _LCA, case="2b",
        title="LCA recall",
        formula=r"\frac{|G_p \cap G_t|}{|G_t|}",
        use="As P_LCA, from the side of what is true.",
        avoid="Alone, as every recall; and over several roots as F_LCA.",
        reference=_KOSMOPOULOS,
        refused=_NO_BETA,
    ),
    CatalogueEntry(
        "F_LCA", "SetMeasure('F_LCA', 'lca')", _LCA, case="dag",
        title="LCA F",
        formula=r"\frac{2\,|G_p \cap G_t|}{|G_p| + |G_t|}, \quad \text{over the minimal LCA graphs of Problem 2}",
        use="Several labels per instance in a deep tree or DAG: only the paths to the lowest common ancestors count, neither chains of ancestors that everybody shares nor pairs far away. The paper's better set-based measure, here exact.",
        avoid="Weighted hierarchies (it counts nodes), and where a value must never fall when a correct class is added: it can (see the choices). Several roots, where a miss must be worth nothing: classes without a common ancestor meet in one node above all roots, which counts as right, so a class one level below another root scores 1/3 and one two levels below 1/4, where F_H is 0.",
        reference=_KOSMOPOULOS,
        refused=_NO_BETA,
    ),
    CatalogueEntry(
        "ICM", "SetMeasure('ICM', 'ancestors', score='ICM')", _CLOSURE, case="3a",
        title="Information contrast",
        formula=r"3\,w(\hat Y_{aug} \cap Y_{aug}) - w(\hat Y_{aug}) - w(Y_{aug}), \quad w(S) = \sum_{c \in S} ia(c)",
        use="Classes of very different frequency: what is shared counts by how much it says. The information contrast model of Amigó and Delgado (2022), with `weights=hemlp.information_accretion(h, corpus)`; `normalised_average` brings its mean near [0, 1].",
        avoid="Where values of different data sets are compared as they are: it is unbounded below, and grows with what the true classes say.",
        reference=_AMIGO,
        needed={"weights": "hemlp.information_accretion(h, corpus)"},
        about={"weights": "A mapping from every class to what it says beyond its parents: `hemlp.information_accretion(h, corpus)`. It has to be given."},
    ),
    CatalogueEntry(
        "simUI", "SetMeasure('simUI', 'ancestors', score='jaccard')", ("top", "horizon"), case="2a",
        title="Union and intersection of closures",
        formula=r"\frac{|\hat Y_{aug} \cap Y_{aug}|}{|\hat Y_{aug} \cup Y_{aug}|}",
        use="Similarity of two sets of terms of an ontology, as in GOstats (Gentleman 2005); F_H tells the same order of instances.",
        avoid="Hierarchies whose upper classes everybody shares: those count as much as the deep ones (simGIC weighs them).",
        reference=_PESQUITA,
    ),
    CatalogueEntry(
        "simGIC", "SetMeasure('simGIC', 'ancestors', score='jaccard')", _CLOSURE, case="2a",
        title="Weighted union and intersection of closures",
        formula=r"\frac{w(\hat Y_{aug} \cap Y_{aug})}{w(\hat Y_{aug} \cup Y_{aug})}, \quad w(S) = \sum_{c \in S} IC(c)",
        use="As simUI, where general classes should count less (Pesquita 2007), with `weights=hemlp.information_content(h, corpus)`.",
        avoid="A corpus that is small, or not the one of the systems compared: contents of rare classes are guesses then.",
        reference=_PESQUITA,
        needed={"weights": "hemlp.information_content(h, corpus)"},
        about={"weights": "A mapping from every class to its information content: `hemlp.information_content(h, corpus)`. It has to be given."},
    ),
    CatalogueEntry(
        "BMA", "PairMeasure('BMA', Bounds((1, ALL), (1, ALL)), cost='wu_palmer', pairing='nearest', score='BMA')", ("cost",), case="2a",
        title="Best-match average",
        formula=r"\frac{\sum_i \max_j s_{ij} + \sum_j \max_i s_{ij}}{M + N}",
        use="Sets of terms of an ontology, as gene annotations: each class is compared with the one that is most like it (Azuaje 2005), by any similarity: `cost=hemlp.Lin(weights)`, or Wu and Palmer's, which needs no corpus.",
        avoid="Where a prediction must not serve several true classes: one that is near to many raises all their matches (matched_F pairs one to one).",
        reference="F. Azuaje, H. Wang, O. Bodenreider: Ontology-driven similarity approaches to supporting gene functional assessment. ISMB 2005, SIG on Bio-ontologies",
        about={"cost": _SIMILARITY},
    ),
    CatalogueEntry(
        "funSimAvg", "PairMeasure('funSimAvg', Bounds((1, ALL), (1, ALL)), cost='wu_palmer', pairing='nearest', score='funSimAvg')", ("cost",), case="2a",
        title="Mean of both best-match averages",
        formula=r"\tfrac12 \Big( \tfrac1M \sum_i \max_j s_{ij} + \tfrac1N \sum_j \max_i s_{ij} \Big)",
        use="As BMA, where both sides should count alike however many classes they have (Schlicker 2006).",
        avoid="As BMA.",
        reference=_SCHLICKER,
        about={"cost": _SIMILARITY},
    ),
    CatalogueEntry(
        "funSimMax", "PairMeasure('funSimMax', Bounds((1, ALL), (1, ALL)), cost='wu_palmer', pairing='nearest', score='funSimMax')", ("cost",), case="2a",
        title="Greater of both best-match averages",
        formula=r"\max \Big( \tfrac1M \sum_i \max_j s_{ij}, \ \tfrac1N \sum_j \max_i s_{ij} \Big)",
        use="Where it is enough that one side is explained by the other, as with annotations that are known to be incomplete (Schlicker 2006).",
        avoid="Comparing systems that predict different numbers of labels: one certain label is enough for a high value.",
        reference=_SCHLICKER,
        about={"cost": _SIMILARITY},
    ),
    CatalogueEntry(
        "matched_P", "PairMeasure('matched_P', Bounds((1, 1), (1, 1)), cost='wu_palmer', default_cost=0.5, score='matched_P')", ("cost",), case="2a",
        title="Matched precision",
        formula=r"\frac{1}{M} \max \sum s_{ij} x_{ij} \ \text{ over one-to-one pairings}",
        use="A precision that gives partial credit: how similar predictions are to true classes of their own.",
        avoid="Alone, as every precision.",
        reference=_MATCHED,
        about={"cost": _SIMILARITY},
    ),
    CatalogueEntry(
        "matched_R", "PairMeasure('matched_R', Bounds((1, 1), (1, 1)), cost='wu_palmer', default_cost=0.5, score='matched_R')", ("cost",), case="2a",
        title="Matched recall",
        formula=r"\frac{1}{N} \max \sum s_{ij} x_{ij} \ \text{ over one-to-one pairings}",
        use="A recall that gives partial credit: how well true classes are met by predictions of their own.",
        avoid="Alone, as every recall.",
        reference=_MATCHED,
        about={"cost": _SIMILARITY},
    ),
    CatalogueEntry(
        "matched_F", "PairMeasure('matched_F', Bounds((1, 1), (1, 1)), cost='wu_palmer', default_cost=0.5, score='matched_F')", ("cost",), case="2a",
        title="Matched F",
        formula=r"\frac{2}{M + N} \max \sum s_{ij} x_{ij} \ \text{ over one-to-one pairings}",
        use="An F with partial credit by a similarity of two classes, where each prediction counts for one true class: GIE as a similarity.",
        avoid="Similarities that are far from 0 for unrelated classes: every pair earns something then.",
        reference=_MATCHED,
        about={"cost": _SIMILARITY},
    ),
    CatalogueEntry(
        "transport", "PairMeasure('transport', Bounds((1, 1), (1, 1)), pairing='transport', defined='both')", ("cost", "weights"), case="2a",
        title="Transport (Wasserstein)",
        formula=r"\min \sum \kappa_{ij} \, x_{ij}, \quad \sum_j x_{ij} = \tfrac1M, \ \sum_i x_{ij} = \tfrac1N, \ x \ge 0",
        use="How far apart two sets lie as a whole, however many classes each has: predicting twice as much around the same place costs nothing. On trees it is weighted UniFrac; it is a metric wherever κ is one. The mass of a side lies evenly on its classes, or by `weights`.",
        avoid="Where it matters how many classes are predicted, or where a side may be empty: it is undefined if exactly one is.",
        reference=_EVANS_MATSEN,
    ),
    CatalogueEntry(
        "distance", "PairMeasure('distance', Bounds((1, 1), (0, ALL)), cost='lca_height', pairing='nearest', defined='nonempty', score='mean')", ("cost",), case="3b",
        title="Hierarchical distance",
        formula=r"\frac{1}{M} \sum_i \min_j \kappa(\hat y_i, y_j), \quad \kappa = \text{height of the lowest common ancestor}",
        use="One label or a ranking of labels an instance, and you want to know how bad mistakes are: `distance@5` is the mean height of the lowest common ancestors of the five greatest scores (Bertinetto 2020). Another distance is chosen by `cost`.",
        avoid="Several true labels: true classes that nobody predicted cost nothing, so that saying one safe label is best. It is infinite without a common ancestor, and undefined where a side is empty.",
        reference=_BERTINETTO,
    ),
    CatalogueEntry(
        "accuracy", "SetMeasure('accuracy', 'none', score='exact')", (), case="2a",
        title="Exact match",
        formula=r"[\hat Y = Y]",
        use="One label per instance, or where only the whole set counts.",
        avoid="Many labels per instance: nearly always 0.",
        reference=_TSOUMAKAS,
    ),
    CatalogueEntry(
        "jaccard", "SetMeasure('jaccard', 'none', score='jaccard')", ("weights",), case="2a",
        title="Jaccard index",
        formula=r"\frac{|\hat Y \cap Y|}{|\hat Y \cup Y|}",
        use="A flat measure of overlap to compare hierarchical ones with.",
        avoid="Near misses: they count as misses.",
        reference=_TSOUMAKAS,
    ),
    CatalogueEntry(
        "hamming", "SetMeasure('hamming', 'none', score='hamming')", (), case="2a",
        title="Hamming loss",
        formula=r"\frac{|\hat Y \bigtriangleup Y|}{|C|}",
        use="Comparison with published results.",
        avoid="Large hierarchies: the number of classes in the denominator makes every value tiny.",
        reference=_TSOUMAKAS,
    ),
    CatalogueEntry(
        "P", "SetMeasure('P', 'none', score='P')", ("weights",), case="2a",
        title="Flat precision",
        formula=r"\frac{|\hat Y \cap Y|}{|\hat Y|}",
        use="To see what hierarchical measures add.",
        avoid="Near misses: they count as misses.",
        reference=_TSOUMAKAS,
    ),
    CatalogueEntry(
        "R", "SetMeasure('R', 'none', score='R')", ("weights",), case="2a",
        title="Flat recall",
        formula=r"\frac{|\hat Y \cap Y|}{|Y|}",
        use="To see what hierarchical measures add.",
        avoid="Near misses: they count as misses.",
        reference=_TSOUMAKAS,
    ),
    CatalogueEntry(
        "F", "SetMeasure('F', 'none')", ("weights", "beta"), case="2a",
        title="Flat F",
        formula=r"\frac{2\,|\hat Y \cap Y|}{|\hat Y| + |Y|}",
        use="To see what hierarchical measures add.",
        avoid="Near misses: they count as misses.",
        reference=_TSOUMAKAS,
    ),
)

NAMED = {entry.name: entry for entry in _ENTRIES}
"""The measures that have a name, in the order in which they are listed."""

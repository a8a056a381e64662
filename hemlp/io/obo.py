"""OBO ontologies."""

from __future__ import annotations

import io

from hemlp.errors import FileFormatError, InvalidOption, MissingDependency
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.tables import Given
from hemlp.io.formats import Source
from hemlp.io.text import decode


def read_obo(source: Source) -> Hierarchy:
    """Terms and the chosen relations; alternative ids, and obsolete ids with one replacement, become aliases."""
    relations = source.relations
    if isinstance(relations, str):
        raise InvalidOption(f"relations={relations!r} is one string: write [{relations!r}]")
    try:
        import obonet
    except ImportError:
        raise MissingDependency("reading .obo needs the package obonet: pip install 'hemlp[obo]'") from None
    try:
        graph = obonet.read_obo(io.StringIO(decode(source.data, source.name)), ignore_obsolete=False)
    except (ValueError, KeyError) as error:
        raise FileFormatError(f"{source.name} is not an OBO file: {error}") from None
    terms = dict(graph.nodes(data=True))
    obsolete = {term for term, data in terms.items() if data.get("is_obsolete") == "true"}
    edges = [(parent, child) for child, parent, relation in graph.edges(keys=True) if relation in relations]
    found = {relation for _, _, relation in graph.edges(keys=True)}
    for relation in relations:
        if relation not in found:
            raise FileFormatError(
                f"{source.name} has no relation {relation!r}; it has {', '.join(sorted(found)) or 'none'}"
            )
    used = {end for edge in edges for end in edge}
    classes = used | {term for term, data in terms.items() if data and term not in obsolete}
    aliases: dict[Label, Label] = {
        name: term for term in classes for name in terms.get(term, {}).get("alt_id", []) if name not in classes
    }
    for term in obsolete - classes:
        targets = {aliases.get(target, target) for target in terms[term].get("replaced_by", [])}
        if len(targets) == 1 and targets <= classes:
            aliases[term] = targets.pop()
    names: dict[Label, str] = {term: terms[term]["name"] for term in classes if "name" in terms.get(term, {})}
    return source.hierarchy(lambda: Given(edges, sorted(classes), names, aliases))

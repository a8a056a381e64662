"""Symmetry breaking: of LCAs that are interchangeable (twins) one is enough.

A node is *private* to an LCA if it is on paths to no other LCA. Two LCAs are *twins* if the same classes are linked to
them in the same way, if their paths become the same when they and their private nodes are renamed, and if wherever one
is on the way to another LCA so is its twin, between the same nodes. Exchanging twins with their private nodes leaves
the instance as it is, and all sizes of graphs. No smallest set has two twins: they can serve the same classes, so one
of them could be left out. Hence some optimum has none but the first of all twins.
O(total size of the paths), by hashing a canonical form of each LCA.
"""

from __future__ import annotations

import cython
import numpy as np


def keep_first_twins(links: Links) -> None:
    """Let no LCA of the present instance serve a class if a twin precedes it."""
    k: cython.Py_ssize_t
    a: cython.Py_ssize_t
    private: set = _private_nodes(links)
    inner: dict = _inner_lcas(links, private)
    links_of: list = [[] for _ in range(links.lcas)]
    for k in range(links.number):
        links_of[links.of_lca[k]].append(k)
    known: set = set()
    for a in range(links.lcas):
        node = int(links.lca_nodes[a])
        ways: list = inner.get(node, [])
        code: list = [len(ways), *ways]
        names: dict = {node: -1}
        for k in links_of[a]:
            at: cython.Py_ssize_t = links.first + k
            code += (links.of_class[k], links.own[k], links.length[k])
            _write(links.nodes, links.node_ptr[at], links.node_ptr[at + 1], private, names, code)
            _write(links.lower, links.edge_ptr[at], links.edge_ptr[at + 1], private, names, code)
            _write(links.upper, links.edge_ptr[at], links.edge_ptr[at + 1], private, names, code)
        key = tuple(code)
        if key in known:
            for k in links_of[a]:
                links.own[k] = 0
        known.add(key)


def _private_nodes(links):
    """The private nodes of all LCAs."""
    ptr = np.asarray(links.node_ptr)[links.first : links.first + links.number + 1]
    nodes = np.asarray(links.nodes)[ptr[0] : ptr[links.number]]
    lcas = np.repeat(np.asarray(links.of_lca)[: links.number], np.diff(ptr))
    order = np.lexsort((lcas, nodes))
    nodes, lcas = nodes[order], lcas[order]
    last = nodes.size - 1
    shared = nodes[1:][(nodes[1:] == nodes[:last]) & (lcas[1:] != lcas[:last])] if last > 0 else nodes[:0]
    return set(nodes.tolist()) - set(shared.tolist())


def _inner_lcas(links, private):
    """LCAs on paths to other LCAs: the links they are on, each with the nodes below and above."""
    inner: dict = {int(node): [] for node in links.lca_nodes[: links.lcas] if int(node) not in private}
    k: cython.Py_ssize_t
    e: cython.Py_ssize_t
    for k in range(links.number if inner else 0):
        end = int(links.lca_nodes[links.of_lca[k]])
        for e in range(links.edge_ptr[links.first + k], links.edge_ptr[links.first + k + 1]):
            lower, upper = int(links.lower[e]), int(links.upper[e])
            if lower in inner:
                inner[lower] += (k, 1, upper)
            if upper in inner and upper != end:
                inner[upper] += (k, 0, lower)
    return inner


def _write(nodes, begin, end, private, names, code):
    """Write the number of nodes, and the nodes; private ones as −1, −2, … in order of appearance."""
    n: cython.Py_ssize_t
    code.append(end - begin)
    for n in range(begin, end):
        node = int(nodes[n])
        if node in private:
            names.setdefault(node, -1 - len(names))
        code.append(names.get(node, node))

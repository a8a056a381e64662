"""Dominance among the shortest paths of a link: only maximal sets of shared nodes are kept.

A node *matters* if two links of an instance can use it; all others are on the paths of one link only. All paths of a
link are equally long, so one whose nodes that matter are a subset of another's is dominated, and a path is known by its
*signature*: the set of its nodes that matter. A dynamic program from the LCA down, O(edges × signatures²).
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels.bitsets import longer


class Signatures:
    """The signatures of the links of one instance: those of link k are the rows ``ptr[k]:ptr[k + 1]``.

    A row is ``width`` words; bit b stands for the node ``node_of[b]``. ``plain[row]``: nodes of the path that do not
    matter.
    """

    def __init__(self, links):
        self.ptr = np.zeros(links.own.shape[0] + 1, np.int64)
        self.rows = np.zeros(1024, np.int64)
        self.plain = np.zeros(1024, np.int64)
        self.node_of = np.zeros(64, np.int64)
        self._word, self._bit = np.zeros(
            (2, links.size + 1), np.int64
        )  # where a node stands; nowhere, if it does not matter
        self._seen, self._seen_once = np.zeros(links.size + 1, np.int64), 0  # this, or one more if it was seen again
        self._where = np.zeros(links.size + 1, np.int32)
        self._pool = np.zeros(1024, np.int64)
        self._begin = np.zeros(64, np.int64)
        self._end = np.zeros(64, np.int64)

    def read(self, links, active):
        """Compute the signatures of the ``active`` links; False if there are too many."""
        self._number_nodes(links, active)
        end = 0
        for k in range(links.number):
            self.ptr[k] = end
            if active[k]:
                number = self._of_link(links, links.first + k, links.length[k], end)
                if number == 0:
                    return False
                end += number
        self.ptr[links.number] = end
        return True

    def _number_nodes(self, links, active):
        """Number the nodes that two active links can use: one bit each."""
        bits = cython.cast(cython.longlong, 0)
        word = cython.cast(cython.longlong, 0)
        bit = cython.cast(cython.longlong, 1)
        self._seen_once += 2
        once = self._seen_once
        for k in range(links.number):
            if active[k]:
                for n in range(links.node_ptr[links.first + k], links.node_ptr[links.first + k + 1]):
                    node = links.nodes[n]
                    if self._seen[node] < once:
                        self._seen[node] = once
                        self._word[node] = self._bit[node] = 0
                    elif self._seen[node] == once:
                        self._seen[node] = once + 1
                        if bits == self.node_of.shape[0]:
                            with cython.gil:
                                self.node_of = longer(self.node_of, 0)
                        self.node_of[bits] = node
                        self._word[node] = word
                        self._bit[node] = bit
                        bits += 1
                        bit <<= 1
                        if bits % 62 == 0:
                            word += 1
                            bit = 1
        self.bits = bits
        self.width = words_for(bits)
        return 0

    def _of_link(self, links, link, length, at):
        """Write the signatures of a link from row ``at`` on; how many, 0 if too many.

        From the LCA down: for each node the signatures of the ways from it to the LCA.
        """
        begin = links.node_ptr[link]
        size = links.node_ptr[link + 1] - begin
        edge = links.edge_ptr[link]
        if (at + 1) * self.width > self.rows.shape[0] or at == self.plain.shape[0]:
            self._make_room(size, at)
        if links.edge_ptr[link + 1] - edge == size - 1:  # one path
            plain = size
            for w in range(self.width):
                word = cython.cast(cython.longlong, 0)
                for n in range(begin, begin + size):
                    node = links.nodes[n]
                    if self._word[node] == w:
                        word |= self._bit[node]
                self.rows[at * self.width + w] = word
                plain -= bits_of(word)
            self.plain[at] = plain
            return 1
        self._make_room(size, at)
        self._start_pool(links.nodes[begin])
        for n in range(1, size):
            node = links.nodes[begin + n]
            self._where[node] = n
            self._begin[n] = self._end[n] = self._end[n - 1]
            while edge < links.edge_ptr[link + 1] and links.lower[edge] == node:
                if not self._add_ways(n, node, self._where[links.upper[edge]]):
                    return 0
                edge += 1
        number = self._end[size - 1] - self._begin[size - 1]
        self._make_room(number, at)
        for s in range(number):
            plain = length + 1
            for w in range(self.width):
                word = self._pool[(self._begin[size - 1] + s) * self.width + w]
                self.rows[(at + s) * self.width + w] = word
                plain -= bits_of(word)
            self.plain[at + s] = plain
        return number

    def _make_room(self, size, at):
        """Make room for a link of ``size`` nodes or signatures, from row ``at`` on."""
        if size + 1 > self._begin.shape[0]:
            with cython.gil:
                self._begin, self._end = longer(self._begin, size + 1), longer(self._end, size + 1)
        if at + size + 1 > self.plain.shape[0]:
            with cython.gil:
                self.plain = longer(self.plain, at + size + 1)
        if (at + size + 1) * self.width > self.rows.shape[0]:
            with cython.gil:
                self.rows = longer(self.rows, (at + size + 1) * self.width)

    def _start_pool(self, lca):
        self._where[lca] = 0
        self._begin[0] = 0
        self._end[0] = 1
        if self._pool.shape[0] < 2 * self.width:
            with cython.gil:
                self._pool = longer(self._pool, 2 * self.width)
        for w in range(self.width):
            self._pool[w] = 0
        self._pool[self._word[lca]] |= self._bit[lca]

    def _add_ways(self, n, node, above):
        """Add the signatures of the node ``above`` to those of the n-th node; False if too many."""
        for s in range(self._begin[above], self._end[above]):
            fresh = self._end[n]  # made in the first free place
            if (fresh + 2) * self.width > self._pool.shape[0]:
                with cython.gil:
                    self._pool = longer(self._pool, (fresh + 2) * self.width)
            for w in range(self.width):
                self._pool[fresh * self.width + w] = self._pool[s * self.width + w]
            self._pool[fresh * self.width + self._word[node]] |= self._bit[node]
            self._keep_largest(n)
            if self._end[n] - self._begin[n] > MOST_SIGNATURES:
                return False
        return True

    def _keep_largest(self, n):
        """Keep the newest set of the n-th node unless another contains it; remove the sets it contains."""
        width = self.width
        fresh = self._end[n]
        s = self._begin[n]
        end = fresh
        while s < end:
            inside: cython.bint = True
            contains: cython.bint = True
            for w in range(width):
                both = self._pool[s * width + w] & self._pool[fresh * width + w]
                inside = inside and both == self._pool[fresh * width + w]
                contains = contains and both == self._pool[s * width + w]
            if inside:
                return
            if contains:
                end -= 1
                for w in range(width):
                    self._pool[s * width + w] = self._pool[end * width + w]
            else:
                s += 1
        if end < fresh:
            for w in range(width):
                self._pool[end * width + w] = self._pool[fresh * width + w]
        self._end[n] = end + 1

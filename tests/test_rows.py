"""Rows of classes: sorted, each class once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hemlp.kernels.text.label_sets import class_rows

ROWS = st.lists(st.lists(st.integers(0, 6), max_size=9), min_size=1, max_size=6)


def rows_of(rows, numbers, order):
    ptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    codes = np.array([code for row in rows for code in row], np.int32)
    made, classes = class_rows(ptr, codes, np.array(numbers, np.int32), np.array(order, np.int64))
    return [classes[made[i] : made[i + 1]].tolist() for i in range(len(order))]


@pytest.mark.uncompiled
@given(ROWS, st.lists(st.integers(-1, 4), min_size=7, max_size=7), st.data())
def test_rows_are_sorted_sets(rows, numbers, data):
    """Labels that are left out, two labels of one class (an alias), absent rows and another order."""
    places = data.draw(st.permutations([*range(len(rows)), -1, -1]))
    wanted = [sorted({numbers[c] for c in rows[r]} - {-1}) if r >= 0 else [] for r in places]
    assert rows_of(rows, numbers, places) == wanted


def test_long_rows():
    rng = np.random.default_rng(0)
    for size in (2, 3, 11, 100, 5_000):
        row = rng.integers(0, size, size).tolist()
        assert rows_of([row, row[::-1], sorted(row)], range(size), range(3)) == [sorted(set(row))] * 3

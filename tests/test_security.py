"""A test stands behind each sentence of SECURITY.md's promises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROMISES = {
    "Files are data and never code": ["test_hostile.py::test_readers_answer_whatever_the_file"],
    "No file makes hemlp connect": [
        "test_places.py::test_a_file_names_no_cluster",
        "test_places.py::test_a_person_names_a_cluster",
        "test_hostile.py::test_readers_answer_whatever_the_file",
    ],
    "No file makes hemlp fetch": [
        "test_hostile.py::test_contexts_that_stand_elsewhere_are_refused",
        "test_hostile.py::test_document_types_are_refused",
        "test_hostile.py::test_the_guard_notices",
    ],
    "A study file has its results": [
        "test_places.py::test_a_file_writes_to_its_own_folder_alone",
        "test_places.py::test_a_file_of_one_system_that_is_a_link_is_not_written",
        "test_places.py::test_a_person_writes_anywhere",
    ],
    "A packed file unpacks": [
        "test_hostile.py::test_gzip_bombs_are_named_with_the_limit",
        "test_hostile.py::test_a_bomb_is_not_unpacked_beyond_the_limit",
        "test_hostile.py::test_the_limit_can_be_chosen",
    ],
    "Aliases in YAML": [
        "test_hostile.py::test_aliases_that_grow_are_named",
        "test_hostile.py::test_document_types_are_refused",
    ],
    "A file that cannot be read raises": [
        "test_hostile.py::test_readers_answer_whatever_the_file",
        "test_hostile.py::test_readers_answer_whatever_becomes_of_a_file",
        "test_hostile.py::test_paths_that_are_none",
    ],
    "Run folders are checked": [
        "test_packed.py::test_a_crafted_chunk_with_a_right_digest_is_refused",
        "test_packed.py::test_links_in_a_run_folder_are_refused",
    ],
    "What workers of an executor": ["test_packed.py::test_what_a_worker_sends_is_checked"],
    "Names in files are plain text": [
        "test_outputs.py::test_report_page_and_drawings_hold_names_as_text",
        "test_outputs.py::test_printable_texts_are_one_line_that_steers_nothing",
        "test_outputs.py::test_messages_are_one_line_that_steers_nothing",
    ],
    "No cell of a CSV file": ["test_outputs.py::test_csv_cells_are_no_formulas_and_can_be_read_back"],
    "A report page loads nothing": [
        "test_page.py::test_the_policy_of_the_page_is_that_of_its_script_and_style",
        "test_browser.py::test_the_policy_lets_no_other_script_run",
    ],
}
"""How each sentence begins, and the tests behind it."""


def promises() -> list[str]:
    text = (HERE.parent / "SECURITY.md").read_text(encoding="utf-8")
    section = text.partition("## What hemlp promises")[2].partition("## What it does not promise")[0]
    return [" ".join(each.split()) for each in re.findall(r"^- (.*?)(?=^- |\Z)", section, re.M | re.S)]


def test_every_sentence_has_its_tests_and_every_entry_its_sentence():
    found = promises()
    assert len(found) == len(PROMISES)
    for sentence, begin in zip(found, PROMISES, strict=True):
        assert sentence.startswith(begin), sentence


@pytest.mark.parametrize("test", sorted({test for tests in PROMISES.values() for test in tests}))
def test_the_tests_are_there(test):
    file, _, name = test.partition("::")
    assert re.search(rf"^def {name}\(", (HERE / file).read_text(encoding="utf-8"), re.M), test


def test_figures_are_those_of_the_code():
    from hemlp.hierarchy.formats import infer
    from hemlp.io import unpacking

    text = "\n".join(promises())
    for words in (
        f"{unpacking.LEAST // 2**20} MB",
        f"{unpacking.RATIO} times",
        unpacking.VARIABLE,
        f"{infer.EXPANDED:,} values",
    ):
        assert words in text

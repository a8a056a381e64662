"""The paper's case tables beside ours: the same as ``hemlp cases``.

python scripts/paper_cases.py [CASE ...]
"""

from hemlp.cli.info import cases

if __name__ == "__main__":
    cases()

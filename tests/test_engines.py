"""The recipes of docs/cluster.md for other engines leave the bytes of one process: run where these are installed."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "cluster.md"
PRELUDE = """
from functools import reduce
import pyarrow
from pyarrow import parquet
import hemlp

example = hemlp.examples.mesh_mini()
columns = {"true": example.true, **example.systems}
lists = {name: [list(labels) for labels in sets] for name, sets in columns.items()}
table = pyarrow.table({"id": [f"doc{k}" for k in range(len(example.true))], **lists})
parquet.write_to_dataset(table, "parts", max_rows_per_group=50)
plan = hemlp.Plan(example.hierarchy, ["F_H", "MGIA"], systems=list(example.systems))
"""
START = {
    "Spark": """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.read.parquet("parts").repartition(3)
""",
    "Ray": """
import ray
ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
""",
}
CHECK = "assert tally.to_bytes() == plan.score(table).tally.to_bytes(); print('the same bytes')"
PACKAGES = {"Spark": "pyspark", "Ray": "ray"}


@pytest.mark.parametrize("engine", START)
def test_recipe_leaves_the_bytes_of_one_process(engine, tmp_path):
    (recipe,) = re.findall(rf"\*\*{engine}\*\* .*?```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(recipe.splitlines()) <= 10
    if importlib.util.find_spec(PACKAGES[engine]) is None or (engine == "Spark" and shutil.which("java") is None):
        pytest.skip(f"{engine} is not installed: its recipe is NOT run")
    script = tmp_path / "recipe.py"
    script.write_text(PRELUDE + START[engine] + recipe + CHECK, encoding="utf-8")
    at_home = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env={**os.environ, **at_home}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "the same bytes"

"""A Dask cluster that somebody named on the command line or in the environment; no file can name one."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hemlp.errors import MissingDependency, NoCluster
from hemlp.processes.executors import WORKER_TIMEOUT

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True)
class Cluster:
    """The address of its scheduler, and for how many seconds a run waits while it has no worker."""

    address: str
    timeout: float = WORKER_TIMEOUT

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """What scores chunks there. Dask's own words about connections are not shown: hemlp's errors say the same."""
        try:
            from distributed import Client
        except ImportError:
            raise MissingDependency("a Dask cluster needs dask: pip install 'dask[distributed]'") from None
        for name in list(logging.root.manager.loggerDict):
            if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            client: Any = Client(self.address, timeout=10)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise NoCluster(f"no Dask scheduler answers at {self.address}: {error}") from None
        with client:
            executor = client.get_executor()
            executor.worker_timeout = self.timeout
            yield executor

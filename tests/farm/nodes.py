"""A Ray cluster on this machine: each node a `ray start` with a loopback address of its own.

Ray's own helpers end with `ray stop`, which ends every cluster on the machine; here only processes
that were started here are ended.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path

from tests.farm.drivers import DEADLINE_SECONDS, ROOT, environment, eventually

RAY = Path(sys.executable).with_name("ray")
HEALTH = {
    # A node that died is noticed within two seconds instead of twenty.
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "5000",
    "RAY_health_check_failure_threshold": "3",
}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _agent() -> list[str]:
    """A port of its own for what takes in a node's jobs: the usual one may be another cluster's."""
    return ["--dashboard-agent-listen-port", str(free_port())]


class Node:
    """A `ray start --block`: all its processes are in one session, which ends as one."""

    def __init__(self, folder: Path, words: list[str], env: dict[str, str]) -> None:
        folder.mkdir()
        self.log = folder / "ray-start.log"
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                [RAY, "start", "--block", "--temp-dir", folder, *_agent(), *words],
                cwd=ROOT,
                env=env,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def is_up(self) -> bool:
        assert self._process.poll() is None, self.log.read_text()
        return "Ray runtime started" in self.log.read_text()

    def processes(self, running: str = "") -> list[int]:
        """What runs in the node's session, or there with this in its command."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, _, session = path.read_text().rpartition(")")[2].split()[:4]
                command = path.with_name("cmdline").read_text()
            except OSError:
                continue
            if int(session) == self._process.pid and state != "Z" and running in command:
                found.append(int(path.parent.name))
        return found

    def kill(self) -> None:
        """Power off: SIGKILL to every process of the node."""
        while processes := self.processes():
            for pid in processes:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait()

    def stop(self) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(20)
        self.kill()


class Cluster:
    """A head without cores for jobs, and nodes with a core each, guarded by a token."""

    def __init__(
        self, nodes: int, *head: str, port: int = 0, ip: str = "127.0.0.2", **more: str
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="portsim-"))
        port, self._dashboard = port or free_port(), free_port()
        self.address = f"{ip}:{port}"
        self.token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid.uuid4().hex}
        path = f"{RAY.parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = environment(PATH=path, **self.token, **HEALTH, **more)
        # A job finds the cluster by itself, and portsim only in the folder it came with.
        del self.environment["RAY_ADDRESS"], self.environment["PYTHONPATH"]
        words = ["--head", "--port", str(port), "--node-ip-address", ip, "--num-cpus=0"]
        words += ["--dashboard-host=127.0.0.1", "--dashboard-port", str(self._dashboard)]
        words += ["--ray-client-server-port", str(free_port()), "--disable-usage-stats"]
        self.head = Node(self.folder / "head", [*words, *head], self.environment)
        self.nodes: list[Node] = []
        eventually(self.head.is_up, "the head never started")
        for _ in range(nodes):
            self.add()
        for node in self.nodes:
            eventually(node.is_up, "a node never started")

    @property
    def dashboard(self) -> str:
        return f"http://127.0.0.1:{self._dashboard}"

    def add(self) -> Node:
        number = len(self.nodes) + 1
        words = ["--address", self.address, "--node-ip-address", f"127.0.0.{number + 2}"]
        folder = self.folder / f"node-{number}"
        self.nodes.append(Node(folder, [*words, "--num-cpus=1"], self.environment))
        return self.nodes[-1]

    def submit(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """`ray job submit` of this folder, and its whole log."""
        told: list[str | Path] = [RAY, "job", "submit", "--address", self.dashboard]
        told += ["--working-dir", ROOT, "--", *words]
        deadline = time.monotonic() + DEADLINE_SECONDS
        # A head takes in jobs a little after it says that it is up.
        while "please try again later" in (job := self._run(told)).stderr:
            assert time.monotonic() < deadline, job.stderr
        return job

    def _run(self, words: list[str | Path]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=DEADLINE_SECONDS,
        )

    def close(self) -> None:
        for node in [*self.nodes, self.head]:
            node.stop()
        shutil.rmtree(self.folder)

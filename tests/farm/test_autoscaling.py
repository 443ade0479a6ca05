"""cluster.yaml is what Ray's launcher takes, and a cluster of its shape grows and shrinks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from ray.autoscaler._private.util import prepare_config, validate_config

from tests.farm.drivers import ROOT, WEEKS, Driver, eventually, results
from tests.farm.nodes import Cluster, free_port

pytestmark = pytest.mark.xdist_group("cluster")

LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""The provider gives each node the machine's own address, which is then 127.0.0.1."""
HEAD_ID = "f" * 51 + "00000"
"""What Ray's fake provider takes the head to be called."""


def launcher() -> dict[str, Any]:
    config: dict[str, Any] = yaml.safe_load((ROOT / "cluster.yaml").read_text("utf-8"))
    return config


def shape(port: int) -> dict[str, Any]:
    """cluster.yaml with nodes of this machine, a core each, that go after three idle seconds."""
    config = launcher()
    types = config["available_node_types"]
    for node_type in types.values():
        node_type["node_config"] = {}
    types["worker"]["resources"] = {"CPU": 1}
    types["ray.head.default"] = types.pop("head")
    return config | {
        "provider": {
            "type": "fake_multinode",
            "head_node_id": HEAD_ID,
            "use_node_id_as_ip": True,
            "disable_node_updaters": True,
            "disable_launch_config_check": True,
            "gcs_address": f"127.0.0.1:{port}",
        },
        "head_node_type": "ray.head.default",
        "max_workers": 2,
        "idle_timeout_minutes": 0.05,
        "file_mounts": {},
        "setup_commands": [],
        "head_setup_commands": [],
        "worker_setup_commands": [],
        "initialization_commands": [],
        "head_start_ray_commands": [],
        "worker_start_ray_commands": [],
        "cluster_synced_files": [],
        "auth": {},
    }


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster that is a head alone, and may grow by two nodes."""
    port = free_port()
    (tmp_path / "shape.yaml").write_text(json.dumps(shape(port)))
    started = Cluster(
        0,
        f"--autoscaling-config={tmp_path / 'shape.yaml'}",
        port=port,
        ip="127.0.0.1",
        **LOOPBACK,
        RAY_FAKE_CLUSTER="1",
        RAY_OVERRIDE_NODE_ID_FOR_TESTING=HEAD_ID,
        AUTOSCALER_UPDATE_INTERVAL_S="1",
    )
    yield started
    started.close()


def test_the_launcher_takes_the_configuration() -> None:
    config = prepare_config(launcher())
    validate_config(config)
    assert config["available_node_types"]["worker"]["max_workers"] == 10


def test_the_token_is_on_at_every_node() -> None:
    config = launcher()
    for role in ("head", "worker"):
        start = config[f"{role}_start_ray_commands"][-1]
        assert "RAY_AUTH_MODE=token" in start
        assert "ray start" in start
    assert "/home/ubuntu/.ray/auth_token" in config["file_mounts"]


def test_a_sweep_makes_the_cluster_grow_and_its_end_makes_it_shrink(
    growing: Cluster, tmp_path: Path
) -> None:
    def nodes() -> int:
        return len(growing.head.processes("raylet/raylet"))

    assert nodes() == 1
    planner = f"tests.farm.policies:Held[folder={tmp_path}]"
    driver = Driver(
        "sweep", "s", "--weeks", ",".join(WEEKS), "--planners", planner,
        "--address", growing.address, "--runs", tmp_path, **growing.token, **LOOPBACK,
    )  # fmt: skip
    eventually(lambda: len(list(tmp_path.glob("at-*"))) == 2, "no two nodes play")
    assert nodes() == 3
    (tmp_path / "open").touch()
    ended = driver.end()
    assert "3 played, 0 were there, 0 failed." in ended.stdout, ended.stderr
    assert len(results(tmp_path / "s")) == 3
    eventually(lambda: nodes() == 1, "idle nodes stay")

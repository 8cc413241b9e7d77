"""Parts of the study `space-robot` that its short form leaves out and that take less than its missions."""

from __future__ import annotations

import pytest

from dalembert.studies import expected_values
from dalembert.studies.space_robot.bench import bench_results
from dalembert.studies.space_robot.soft_target import soft_target_results


def missed(results: dict[str, float]) -> list[str]:
    entries = expected_values("space-robot").entries
    judged = {key: entries[key] for key in results if entries[key].tolerance is not None}
    return [k for k, e in judged.items() if abs(results[k] - float(e.published)) > float(e.tolerance or 0.0)]


@pytest.mark.slow
def test_the_bench_of_table_9_2() -> None:
    found = dict(bench_results())
    assert not missed(found)
    # equal lateral errors that lag behind the target; what is fed forward takes them away
    assert found["bench.y"] == pytest.approx(found["bench.z"], rel=0.1)
    assert found["bench.ours.true"] < 0.3 * found["bench.true"]


@pytest.mark.slow
def test_the_capture_of_a_debris_that_swings() -> None:
    found = dict(soft_target_results("rigid"))
    assert not missed(found)
    assert found["soft.stiff"] > 20.0 * found["soft.tip"]  # a rigid debris would be elsewhere

"""Changes that tests once did not notice, and the test that does now: the sample of ``make test-slow``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.mutants.changes import Change

__all__ = ["NAMED", "NamedChange"]


@dataclass(frozen=True)
class NamedChange:
    """A change by the text that it replaces, which stands in its file once."""

    name: str
    path: str
    old: str
    new: str
    test: str

    def change(self, package: Path) -> Change:
        """Where it is now."""
        text = (package / self.path).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise LookupError(
                f"{self.path} has {self.old!r} {text.count(self.old)} times: say in tests/mutants/named.py where "
                f"'{self.name}' is now"
            )
        before = text[: text.index(self.old)]
        return Change(
            self.path,
            before.count("\n") + 1,
            len(before) - before.rfind("\n") - 1,
            self.old,
            self.new,
            f"named: {self.name}",
        )


NAMED = (
    NamedChange(
        "sign of the second tangent in what sticks",
        "engine/stepping/laws.h",
        "t1 = -(B[B_I11] * c1 + B[B_I12] * c2)",
        "t1 = -(B[B_I11] * c1 - B[B_I12] * c2)",
        "tests/unit/laws/test_cables_and_contacts.py::test_blocks_alone",
    ),
    NamedChange(
        "mean of the bias in time-stepping",
        "engine/stepping/step.h",
        "K(0.5) * h * (C->b[i] - C->r[i])",
        "K(1.0) * h * (C->b[i] - C->r[i])",
        "tests/unit/test_time_stepping.py::test_free_motion_is_of_second_order",
    ),
    NamedChange(
        "work of moving constraints in generalized-alpha",
        "engine/constraints/generalized_alpha.c",
        "0.5 * h * (C->power_base + C->power_known)",
        "0.25 * h * (C->power_base + C->power_known)",
        "tests/unit/test_constraints.py::test_work_of_a_drive_is_the_kinetic_energy_that_it_gives",
    ),
    NamedChange(
        "direct path in the discrete H2 norm",
        "control/norms.py",
        "C @ P @ C.T + D @ D.T",
        "C @ P @ C.T",
        "tests/unit/test_norms.py::test_h2_norm_of_a_sampled_system_with_a_direct_path",
    ),
    NamedChange(
        "direction of recorded events",
        "engine/loop/events.c",
        "signs ? -signs[i] : -1.0, t, x",
        "signs ? signs[i] : -1.0, t, x",
        "tests/unit/test_simulate_events.py::test_direction_of_events_that_ask",
    ),
    NamedChange(
        "length in the damping of elastic cables",
        "formulations/constraints/elastic_ropes.py",
        "value(rope.damping) * rate / length",
        "value(rope.damping) * rate",
        "tests/unit/laws/test_cables_and_contacts.py::test_an_elastic_cable_pulls_by_its_strain_and_the_rate_of_it",
    ),
    NamedChange(
        "gear ratio in anti-windup",
        "control/laws.py",
        "excess * n[i] / (ki[i] * Tt)",
        "excess / (ki[i] * Tt)",
        "tests/unit/test_control.py::test_integrators_let_go_by_what_the_joint_lacks",
    ),
    NamedChange(
        "way in which a covariance turns",
        "control/estimation/tumbling_filter.py",
        "B @ self.P @ B.T",
        "B.T @ self.P @ B",
        "tests/unit/test_estimation.py::test_a_turned_estimate_has_its_uncertainty_turned_with_it",
    ),
    NamedChange(
        "second tangent of a jam",
        "engine/unilateral/laws.c",
        "row[1] * c->slip[f + 1] + row[2] * c->slip[f + 2]",
        "row[1] * c->slip[f + 1]",
        "tests/unit/test_native_algebra.py::test_a_tangent_that_parts_a_pair_undoes_the_jam_of_the_other",
    ),
    NamedChange(
        "sign of friction that is known",
        "engine/unilateral/modes.c",
        "q->fixed[j] = -c->mu[f] * c->given[f] * d[j]",
        "q->fixed[j] = c->mu[f] * c->given[f] * d[j]",
        "tests/unit/test_native_algebra.py::test_friction_of_normal_forces_that_are_given_acts_against_the_slip",
    ),
)

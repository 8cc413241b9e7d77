"""Figures of the page on space robots: the mission."""

from pathlib import Path

from dalembert.systems.space_robots import fly_capture, random_case
from dalembert.view import draw_machine, plot_capture

HERE = Path(__file__).parent

outcome = fly_capture(random_case(0))
plot_capture(outcome).savefig(HERE / "mission.png", dpi=90)
machine, run = outcome.approach.machine, outcome.approach
picture = draw_machine(machine, run.array(machine.q_names)[-1], view=(-70.0, 24.0), size=(7.0, 5.0))
picture.savefig(HERE / "mission_grip.png", dpi=90)

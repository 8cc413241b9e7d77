"""The Canadarm carries its booms through a pick-and-place move: modes, run, energy audit, approximate models."""

from dalembert.analysis import machine_modes
from dalembert.studies import energy_error, pick_and_place
from dalembert.systems.flexible_arms import canadarm
from dalembert.view import animate_mode

arm = canadarm()
print(arm)

modes = machine_modes(arm.lock({f"theta{i}": 0.0 for i in range(1, 7)}))
print(f"lowest frequencies with locked joints: {modes.omega[:4].round(3)} rad/s")
print(f"animation: {animate_mode(modes, 2, 'canadarm_mode.gif', plane='xz')}")

for model in ("flex", "flex-M"):
    run = pick_and_place(arm, model)
    print(f"{model:8s} theta1 ends at {run['theta1'][-1]:.4f} rad, RMS energy error {energy_error(run):.1e}")

"""A crane of ten links carries half a tonne over five metres in eight seconds, under several laws."""

from dalembert.studies.crane.robustness import robustness, robustness_table
from dalembert.studies.crane.transport import compare, comparison_table, transport_crane
from dalembert.systems.cranes import crane_structure, planar_crane, uniform_cable
from dalembert.view.animation import animate

crane = transport_crane(10)
print(crane)
performances = compare(crane)
print(comparison_table(performances))

best = min(performances, key=lambda p: p.residual_sway)
print(f"\nleast residual sway: {best.law}; energy audit closes to {best.run.energy.drift:.0e}")
print(f"moving picture: {animate(best.run, crane, 'crane_transport.gif', fps=10, trace=['node10'])}\n")

print(robustness_table(robustness(names=("PFL, ZVD-shaped S-curve", "LQR of one link"))), "\n")

hoisted = planar_crane(uniform_cable(3, 6.0, payload=500.0, mass=20.0), lengths="hoisted")
print(crane_structure(hoisted))

"""A crane of ten links carries half a tonne over five metres in eight seconds, under several laws."""

from dalembert.studies import compare_robustness, compare_transport, robustness_table, transport_crane, transport_table
from dalembert.systems.cranes import crane_structure, planar_crane, uniform_cable
from dalembert.view import animate

crane = transport_crane(10)
print(crane)
performances = compare_transport(crane)
print(transport_table(performances))

best = min(performances, key=lambda p: p.residual_sway)
print(f"\nleast residual sway: {best.law}; energy audit closes to {best.run.energy.drift:.0e}")
print(f"animation: {animate(best.run, 'crane_transport.gif', fps=10, trace=['node10'])}\n")

print(robustness_table(compare_robustness(names=("PFL, ZVD-shaped S-curve", "LQR of one link"))), "\n")

hoisted = planar_crane(uniform_cable(3, 6.0, payload=500.0, mass=20.0), lengths="hoisted")
print(crane_structure(hoisted))

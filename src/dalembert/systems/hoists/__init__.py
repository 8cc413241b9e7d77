"""Hoists with ropes over sheaves: reeved hook blocks, tower and ship cranes, container spreaders, elevators."""

from dalembert.systems.hoists.elevator import elevator
from dalembert.systems.hoists.parts import reeving
from dalembert.systems.hoists.reeved import reeved_hoist
from dalembert.systems.hoists.ship import ship_crane
from dalembert.systems.hoists.spreader import container_spreader
from dalembert.systems.hoists.tower import tower_crane

__all__ = ["container_spreader", "elevator", "reeved_hoist", "reeving", "ship_crane", "tower_crane"]

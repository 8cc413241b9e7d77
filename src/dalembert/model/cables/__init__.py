"""Massless cables with winches and guiding pulleys (CDPR, sections 2, 4 and 5).

A cable runs from its winch over an exit to an anchor on a body. The exit is a point (section 4.1), a pulley that
swivels freely and has no mass (4.2.1), or a pulley in a plane that is fixed in its frame (4.2.2: the frame is that of a
body with inertia that swivels about its own joint). It may sit on any frame and may move in time (section 5).

Kinds of exit are one module each (`CABLE_EXITS`); a new one is a module with a subclass of `CableExit` and a line in
``exits.py``, or a class of the user's with the decorator `register_cable_exit`; ``model/cables/exit.py`` has the
contract.
"""

from dalembert.model.cables.cable import Cable
from dalembert.model.cables.exit import CableExit, CablePath
from dalembert.model.cables.exits import CABLE_EXITS, pulley_keys, register_cable_exit
from dalembert.model.cables.winches import winch

__all__ = ["CABLE_EXITS", "Cable", "CableExit", "CablePath", "pulley_keys", "register_cable_exit", "winch"]

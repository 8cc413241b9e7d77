"""Contacts: which shapes of a machine push against which surfaces, and how they rebound and rub.

A contact joins a *solid*, fixed to a frame (of a body, of a beam's section, or free), and a *surface*, fixed to another
frame or to the world. Kinds of surface are one module each (`SURFACE_KINDS`); a new one is a module with a subclass of
`Surface` and a line in ``surfaces.py``, or a class of the user's with the decorator `register_surface`;
``model/contacts/surface.py`` has the contract. ``formulations/contact`` makes gaps, normals and rows of it, which the
event-driven and the time-stepping way of integration share.
"""

from dalembert.model.contacts.box_surface import BoxSurface
from dalembert.model.contacts.contact import RESTITUTION_LAWS, Contact
from dalembert.model.contacts.cylindrical import CylindricalSurface
from dalembert.model.contacts.from_geometry import geometry_contacts
from dalembert.model.contacts.half_space import HalfSpace
from dalembert.model.contacts.of_bodies import body_contacts
from dalembert.model.contacts.solids import SOLID_KINDS
from dalembert.model.contacts.spherical import SphericalSurface
from dalembert.model.contacts.surface import Ball, Distance, Plane, Surface, Tube
from dalembert.model.contacts.surfaces import SURFACE_KINDS, register_surface

__all__ = [
    "RESTITUTION_LAWS",
    "SOLID_KINDS",
    "SURFACE_KINDS",
    "Ball",
    "BoxSurface",
    "Contact",
    "CylindricalSurface",
    "Distance",
    "HalfSpace",
    "Plane",
    "SphericalSurface",
    "Surface",
    "Tube",
    "body_contacts",
    "geometry_contacts",
    "register_surface",
]

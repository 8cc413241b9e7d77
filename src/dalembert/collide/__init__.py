"""Colliders: their shapes are data, and pairs are found in every step; of free bodies (scenes) or any machine."""

from dalembert.collide.articulated import body_names, collider_system, joined_bodies, machine_yields, refuse_overlaps
from dalembert.collide.declared import collider_gap, with_declared_contacts
from dalembert.collide.scenes import BodyScene, is_scene, scene_of

__all__ = [
    "BodyScene",
    "body_names",
    "collider_gap",
    "collider_system",
    "is_scene",
    "joined_bodies",
    "machine_yields",
    "refuse_overlaps",
    "scene_of",
    "with_declared_contacts",
]

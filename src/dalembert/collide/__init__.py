"""Machines of many free rigid bodies as scenes: their shapes are data, and pairs are found in every step."""

from dalembert.collide.scenes import BodyScene, scene_of

__all__ = ["BodyScene", "scene_of"]

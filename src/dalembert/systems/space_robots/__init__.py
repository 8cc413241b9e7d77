"""Space robots: chasers with arms and flexible arrays, and what they spend (SPACE chapters 6 to 9, Appendix D)."""

from dalembert.systems.space_robots.fuel import fuel_mass

__all__ = ["fuel_mass"]

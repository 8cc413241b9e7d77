"""The version of the package: that of its installation, which has it from a tag of the repository."""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]

try:
    __version__ = version("dalembert")
except PackageNotFoundError:  # sources on the path, not installed
    __version__ = "0+unknown"

"""Compiles the engine when the package is built or installed, so that machines without a compiler can run it.

``DALEMBERT_PLATFORM`` cross-compiles it for another platform (``make wheels``).
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_ZIGLANG = "ziglang>=0.13"
_PLATFORM = os.environ.get("DALEMBERT_PLATFORM", "")
"""Tag of the platform that the wheel is for (`dalembert.engine.shipped.PLATFORMS`); empty for the one at hand."""


def _shipped() -> Any:
    """Load the module that compiles the engine from the sources beside this file."""
    source = str(Path(__file__).with_name("src"))
    if source not in sys.path:
        sys.path.insert(0, source)
    from dalembert.engine import shipped

    return shipped


class EngineHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the compiled engine into a wheel, or into the source tree of an editable installation."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the wheel with a compiler, unless a compiler for the platform is there."""
        return [] if _shipped().compiler_command(_PLATFORM) else [_ZIGLANG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; a failure is reported, and the package goes without the engine."""
        shipped = _shipped()
        command = shipped.compiler_command(_PLATFORM)
        try:
            if command is None:
                raise RuntimeError("there is no C compiler")
            if version == "editable":
                shipped.compile_engine(command)
                return
            self._folder = Path(tempfile.mkdtemp(prefix="dalembert-engine-"))
            files = shipped.compile_engine(command, self._folder)
        except (OSError, RuntimeError) as error:
            if _PLATFORM:
                raise  # a wheel for another platform is worth nothing without its engine
            self.app.display_warning(
                f"dalembert: the engine was not compiled, so that simulations will need a C compiler.\n{error}"
            )
            return
        build_data["pure_python"] = False
        platform = _PLATFORM or sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        for file in files:
            build_data["force_include"][str(file)] = f"dalembert/engine/_built/{file.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the wheel now contains."""
        folder = getattr(self, "_folder", None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

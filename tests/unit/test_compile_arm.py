"""The lanes of a 64-bit ARM processor (NEON), where a cross compiler and an emulator are installed.

On Debian: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.benchmarks.machines import chain
from dalembert.compile.forms import LANES
from dalembert.compile.native import emit_function

CC, EMULATOR = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
ROWS = 13
"""Not a multiple of the number of lanes."""

MAIN = """
#include <stdio.h>
#include <stdlib.h>
int SYMBOL_lanes(long, const double *const *, const long *, double *const *, const long *, double *);
extern const long SYMBOL_lanes_n_work, SYMBOL_lanes_width;
static const double q[] = {Q}, v[] = {V}, tau[] = {TAU};
static double out[ROWS * N];
int main(void) {
    const double *in[] = {q, v, tau};
    const long stride[] = {N, N, N};
    double *y[] = {out};
    double *work = malloc(sizeof(double) * SYMBOL_lanes_n_work);
    for (long rows = ROWS; rows > 0; rows -= ROWS - 1) {
        if (SYMBOL_lanes(rows, in, stride, y, stride, work)) return 1;
        for (long k = 0; k < rows * N; k++) printf("%a\\n", out[k]);
    }
    printf("%ld\\n", SYMBOL_lanes_width);
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(CC is None or EMULATOR is None, reason="needs aarch64-linux-gnu-gcc and qemu-aarch64")
@pytest.mark.parametrize("links", [5, 30])
def test_lanes_on_arm(links: int, tmp_path: Path) -> None:
    kernel = da.equations(chain(links), backend="vm").kernel("forward_dynamics")
    arguments = np.random.default_rng(0).normal(size=(3, ROWS, links))
    want = kernel(*arguments)
    text = MAIN.replace("ROWS", str(ROWS)).replace(" N]", f" {links}]").replace(" N;", f" {links};")
    text = text.replace("{N, N, N}", f"{{{links}, {links}, {links}}}")
    for name, values in zip(("{Q}", "{V}", "{TAU}"), arguments, strict=True):
        text = text.replace(name, "{" + ", ".join(float(x).hex() for x in values.ravel()) + "}")
    source = emit_function(kernel.function, LANES)
    units = [*source.units, text.replace("SYMBOL", source.symbol)]
    files = [tmp_path / f"unit{k}.c" for k in range(len(units))]
    for file, unit in zip(files, units, strict=True):
        file.write_text(unit)
    flags = ["-std=gnu99", "-O1", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-static"]
    program = str(tmp_path / "program")
    subprocess.run([str(CC), *flags, *map(str, files), "-lm", "-o", program], check=True)
    done = subprocess.run([str(EMULATOR), program], check=True, capture_output=True, text=True)
    *numbers, width = done.stdout.split()
    got = np.array([float.fromhex(x) for x in numbers])
    assert width == "2"
    scale = np.abs(want).max(axis=1, keepdims=True)
    np.testing.assert_allclose(got[: ROWS * links].reshape(ROWS, links) / scale, want / scale, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(got[ROWS * links :], got[:links])  # one row alone gives what it gives among others

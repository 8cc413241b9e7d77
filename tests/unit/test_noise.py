"""Random numbers from a counter: the published integers, normal numbers, and the same bits wherever they are drawn."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy import special, stats
from tests.support.gpu_on_processor import compile_text, needs_gpp

import dalembert as da
from dalembert.compile.build import build_units, find_toolchain
from dalembert.compile.forms import definitions, read_text
from dalembert.core.noise import integers, normals, philox, quantile
from dalembert.core.quantile import quantile_macros
from dalembert.engine.rollout.forms import LANES_ROLLOUT

CC, EMULATOR = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
RNG = np.random.default_rng(8)
WHOLE = np.floor(2.0 ** RNG.uniform(-1.0, 52.0, 20_000))
"""Integers of 53 bits in the lower half, as many in each octave: into the tail."""


def test_integers_are_those_of_the_published_generator() -> None:
    """Known answers of Philox 4x32-10 that come with Random123, the authors' library."""
    ones = 0xFFFFFFFF
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0)
    for words, expected in (
        ((0,) * 6, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ones,) * 6, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (pi, (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
    ):
        assert tuple(map(int, philox(words[:4], words[4:]))) == expected


def test_quantiles_are_those_of_scipy() -> None:
    """Two functions with errors below 1e-15 each; the lower half has exact arguments, and the upper one mirrors it."""
    whole = np.concatenate([WHOLE, RNG.integers(0, 2**52, 20_000), [0, 1, 2**52 - 1]])
    np.testing.assert_allclose(quantile(whole), special.ndtri((whole + 0.5) * 2.0**-53), rtol=2e-15)
    np.testing.assert_array_equal(quantile(2.0**53 - 1.0 - whole), -quantile(whole))
    assert quantile(0.0) == pytest.approx(-8.29, abs=0.01)


def test_quantiles_have_fifteen_digits() -> None:
    """The distribution function of forty digits, back at the argument: z is off by (Phi(z) - u)/phi(z)."""
    with mpmath.workdps(40):
        for whole in (*WHOLE[:150], 0.0, 2.0**52 - 1.0, 2.0**52 - 2.0):
            z, u = mpmath.mpf(float(quantile(whole))), (mpmath.mpf(whole) + 0.5) / 2**53
            assert abs((mpmath.ncdf(z) - u) / mpmath.npdf(z) / z) < 1e-15


def test_pieces_meet() -> None:
    """Neighbours in the order of integers are neighbours in that of quantiles, also where pieces meet."""
    for w in (4.5, 13.0):
        middle = np.floor(0.25 * np.exp(-w) * 2.0**53)
        near = middle * (1.0 + np.linspace(-1e-2, 1e-2, 20_001)).round(6)
        z = quantile(np.floor(near))
        assert (np.diff(z) > 0).all()
        assert np.abs(np.diff(z, 2)).max() < 1e-6


def test_noise_is_normal_and_independent() -> None:
    """Moments and correlations of 200,000 numbers, within five of their standard errors."""
    members = np.arange(50_000)
    k = integers(7, members, 1, 3, 4)
    assert k.shape == (50_000, 4) and k.min() >= 0 and k.max() < 2**53 and (k == np.floor(k)).all()
    x = normals(7, members, 1, 3, 4)
    np.testing.assert_array_equal(x[:, :3], normals(7, members, 1, 3, 3))
    n = x.size
    assert abs(x.mean()) < 5 / np.sqrt(n)
    assert abs(x.var() - 1) < 5 * np.sqrt(2 / n)
    assert abs((x**3).mean()) < 5 * np.sqrt(15 / n)
    assert abs((x**4).mean() - 3) < 5 * np.sqrt(96 / n)
    assert np.abs(np.corrcoef(x.T) - np.eye(4)).max() < 5 / np.sqrt(len(x))
    others = normals(7, members, 1, 4, 1), normals(7, members, 2, 3, 1), normals(8, members, 1, 3, 1)
    for other in (x[1:, :1], *others):  # the next member, instant, stream and seed
        assert abs(np.mean(x[: len(other), 0] * other[:, 0])) < 5 / np.sqrt(len(x))


def test_distribution_and_tails() -> None:
    """The test of Kolmogorov and Smirnov on 400,000 numbers, and how many of them lie far out, on either side."""
    x = normals(2, np.arange(100_000), 5, 0, 4).ravel()
    assert stats.kstest(x, "norm").pvalue > 1e-4
    for side in (x, -x):
        for far in (2.0, 3.0, 4.0):
            expected = len(x) * stats.norm.sf(far)
            assert abs(np.count_nonzero(side > far) - expected) < 5 * np.sqrt(expected)


SEED, STREAM, INSTANT, N = 2**35 + 11, 4_000_000_000, 123, 6
CALL = "(uint64_t seed, uint64_t member, uint32_t stream, uint64_t instant_, int n, double *out)"
LANE_NUMBERS = f"""
EXPORT extern const int width;
const int width = LANES;
EXPORT void numbers{CALL} {{
    word members;
    real w[{N}];
    for (int i = 0; i < LANES; i++) members[i] = member + i;
    draw(seed, members, stream, instant_, n, w);
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < n; k++) out[i * n + k] = w[k][i];
}}
"""
MAIN = f"""
#include <stdio.h>
int main(void) {{
    double out[{N} * LANES];
    for (int m = 0; m < 1000; m += LANES) {{
        numbers({SEED}u, m, {STREAM}u, {INSTANT}, {N}, out);
        for (int k = 0; k < {N} * LANES; k++) printf("%a\\n", out[k]);
    }}
}}
"""


def lane_text() -> str:
    head = [read_text(name) for name in LANES_ROLLOUT.prelude]
    return "\n".join(
        [*head, definitions(quantile_macros()), read_text("dalembert.engine.rollout:noise.h"), LANE_NUMBERS]
    )


def drawn(library: ctypes.CDLL, width: int) -> np.ndarray:
    made = np.zeros((1000, N))
    for m in range(0, 1000, width):
        out = ctypes.c_void_p(made[m:].ctypes.data)
        library["numbers"](*map(ctypes.c_uint64, (SEED, m)), ctypes.c_uint32(STREAM), ctypes.c_uint64(INSTANT), N, out)
    return made


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("level", ["-O1", "-O3"])
def test_lanes_draw_the_same_bits(fused: bool, level: str, tmp_path: Path) -> None:
    """Also where the compiler may fuse products and sums, as in time loops."""
    toolchain = find_toolchain()
    if toolchain is None:
        pytest.skip("no C compiler")
    library = ctypes.CDLL(
        str(build_units(toolchain, [lane_text()], tmp_path, name="noise", optimise=[level], fused=fused))
    )
    made = drawn(library, ctypes.c_int.in_dll(library, "width").value)
    np.testing.assert_array_equal(made, normals(SEED, np.arange(1000), STREAM, INSTANT, N))


@needs_gpp
@pytest.mark.parametrize("precision", ["double", "float"])
def test_a_gpu_draws_the_same_bits(precision: str, tmp_path: Path) -> None:
    """Its text as C++, which may fuse what it does not forbid; single precision is double precision, rounded."""
    real = "double" if precision == "double" else "float"
    numbers = f"""
extern "C" void numbers{CALL} {{
    real w[{N}];
    draw(seed, member, stream, instant_, n, w);
    for (int k = 0; k < n; k++) out[k] = w[k];
}}
"""
    text = (
        read_text("cuda.h") + definitions(quantile_macros()) + read_text("dalembert.engine.rollout:noise.h") + numbers
    )
    fuse = ["-O2", "-march=native", "-ffp-contract=fast", *(["-DDA_FLOAT"] if real == "float" else [])]
    expected = normals(SEED, np.arange(1000), STREAM, INSTANT, N)
    want = expected if real == "double" else expected.astype(np.float32).astype(np.float64)
    np.testing.assert_array_equal(drawn(compile_text(text, tmp_path, *fuse), 1), want)


@pytest.mark.skipif(CC is None or EMULATOR is None, reason="needs aarch64-linux-gnu-gcc and qemu-aarch64")
def test_arm_draws_the_same_bits(tmp_path: Path) -> None:
    (tmp_path / "noise.c").write_text(lane_text() + MAIN)
    flags = ["-std=c99", "-O2", "-ffp-contract=fast", "-static"]
    program = str(tmp_path / "program")
    subprocess.run([str(CC), *flags, str(tmp_path / "noise.c"), "-lm", "-o", program], check=True)
    done = subprocess.run([str(EMULATOR), program], check=True, capture_output=True, text=True)
    made = np.array([float.fromhex(x) for x in done.stdout.split()]).reshape(1000, N)
    np.testing.assert_array_equal(made, normals(SEED, np.arange(1000), STREAM, INSTANT, N))


def test_single_runs_and_members_read_the_same_bits() -> None:
    """A sensor of a mass at rest reads its noise: in native single runs, in lanes, and on the virtual machine."""
    machine = da.Machine(
        "mass",
        bodies=[da.point_mass("mass", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "mass", axis=(1, 0, 0))],
    )
    settings = {"duration": 0.2, "step": 1e-2, "record": 1e-2, "seed": 3}
    settings["sensors"] = [da.Sensor("ruler", ("x", "x_dot"), 0.01, noise=(1.0, 3.0))]
    many = da.rollout(machine, q0=np.zeros((5, 1)), **settings)
    assert len(np.unique(many["ruler.x"])) == 5 * 20
    for backend in ("auto", "vm"):
        run = da.simulate(da.equations(machine, backend=backend), member=3, **settings)
        for name in ("ruler.x", "ruler.x_dot"):
            np.testing.assert_array_equal(run[name], many[name][3])

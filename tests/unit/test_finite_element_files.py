"""Readers of finite-element files: each format against matrices that the test writes in it."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.core.errors import UnknownNameError
from dalembert.io.finite_elements import read_matrix
from support.finite_element_models import beam_elements, brick_model, truss


@pytest.fixture(scope="module")
def model() -> da.FiniteElements:
    return truss()


def _record(*parts: bytes) -> bytes:
    data = b"".join(parts)
    return struct.pack("<i", len(data)) + data + struct.pack("<i", len(data))


def write_op4(path: Path, matrices: dict[str, np.ndarray], layout: str) -> None:
    """Binary op4 with dense columns, or strings with one (``sparse``) or two (``bigmat``) words before them."""
    out = b""
    for name, A in matrices.items():
        n = len(A)
        out += _record(struct.pack("<4i", n, -n if layout == "bigmat" else n, 6, 2), name.ljust(8).encode())
        for j in range(n):
            rows = np.flatnonzero(A[:, j])
            if not rows.size:
                continue
            if layout == "dense":
                part = A[rows[0] : rows[-1] + 1, j]
                out += _record(struct.pack("<3i", j + 1, rows[0] + 1, 2 * len(part)), part.tobytes())
                continue
            strings = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
            body = b""
            for rows in strings:
                length = 2 * len(rows)
                words = (length + 1, rows[0] + 1) if layout == "bigmat" else (rows[0] + 1 + 65536 * (length + 1),)
                body += struct.pack(f"<{len(words)}i", *words) + A[rows, j].tobytes()
            out += _record(struct.pack("<3i", j + 1, 0, len(body) // 4), body)
        out += _record(struct.pack("<3i", n + 1, 1, 2), struct.pack("<d", 2**0.5))
    path.write_bytes(out)


@pytest.mark.parametrize("layout", ["dense", "sparse", "bigmat"])
def test_nastran_op4(model: da.FiniteElements, tmp_path: Path, layout: str) -> None:
    write_op4(tmp_path / "m.op4", {"KGG": model.K, "MGG": model.M}, layout)
    fe = da.read_finite_elements(stiffness=f"{tmp_path}/m.op4:kgg", mass=f"{tmp_path}/m.op4:MGG", nodes=model.nodes)
    assert_allclose(fe.K.toarray(), model.K, rtol=0, atol=0)
    assert_allclose(fe.M.toarray(), model.M, rtol=0, atol=0)
    with pytest.raises(da.InputError, match=r"holds the matrices KGG, MGG, got the name None"):
        read_matrix(tmp_path / "m.op4")


def test_nastran_op4_text(tmp_path: Path) -> None:
    """Columns of [[1, 0, 3], [0, 0, 5], [7, 8.5, 9]] as Nastran writes them."""
    (tmp_path / "a.op4").write_text(
        "       3       3       1       2KK      1P,3E23.16\n       1       0       6\n     196609\n"
        " 1.0000000000000000E+00\n     196611\n 7.0000000000000000E+00\n       2       0       3\n     196611\n"
        " 8.5000000000000000E+00\n       3       0       7\n     458753\n"
        " 3.0000000000000000E+00 5.0000000000000000E+00 9.0000000000000000E+00\n       4       1       1\n"
        " 1.4142135623730951E+00\n"
    )
    expected = [[1, 0, 3], [0, 0, 5], [7, 8.5, 9]]
    assert_allclose(read_matrix(tmp_path / "a.op4").values.toarray(), expected)
    (tmp_path / "b.op4").write_text(
        "       3       3       1       2KK      1P,3E23.16\n       1       1       3\n"
        " 1.0000000000000000E+00 0.0000000000000000E+00 7.0000000000000000E+00\n       2       3       1\n"
        " 8.5000000000000000E+00\n       3       1       3\n"
        " 3.0000000000000000E+00 5.0000000000000000E+00 9.0000000000000000E+00\n       4       1       1\n"
        " 1.4142135623730951E+00\n"
    )
    assert_allclose(read_matrix(tmp_path / "b.op4").values.toarray(), expected)


def _numbered(model: da.FiniteElements) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Node numbers that are neither consecutive nor in order, and the freedoms of the rows."""
    numbers = 10 * np.random.default_rng(1).permutation(len(model.nodes)) + 7
    return numbers, [(int(number), axis) for number in numbers for axis in (1, 2, 3)]


def test_abaqus_and_dmig_have_labels(model: da.FiniteElements, tmp_path: Path) -> None:
    numbers, freedoms = _numbered(model)
    np.savetxt(tmp_path / "nodes.csv", np.column_stack([numbers, model.nodes]), delimiter=",")
    for label, A in (("K", model.K), ("M", model.M)):
        upper = [(i, j) for i in range(len(A)) for j in range(i, len(A)) if A[i, j] != 0.0]
        lines = [
            f"{freedoms[i][0]},{freedoms[i][1]}, {freedoms[j][0]},{freedoms[j][1]}, {A[i, j]:.17e}" for i, j in upper
        ]
        (tmp_path / f"{label}.mtx").write_text("\n".join(lines) + "\n")
        text = f"$ punched\nDMIG    {label}AAX           0       6       2       0              36\n"
        for j in range(len(A)):
            text += f"DMIG*   {label + 'AAX':<16}{freedoms[j][0]:>16}{freedoms[j][1]:>16}\n"
            for i in range(j + 1):
                if A[i, j] != 0.0:
                    value = f"{A[i, j]:>16.9E}".replace("E", "D")
                    text += f"*       {freedoms[i][0]:>16}{freedoms[i][1]:>16}{value}\n"
        (tmp_path / f"{label}.pch").write_text(text)
    for suffix, digits in ((".mtx", 1e-15), (".pch", 1e-9)):
        fe = da.read_finite_elements(
            stiffness=tmp_path / f"K{suffix}", mass=tmp_path / f"M{suffix}", nodes=tmp_path / "nodes.csv"
        )
        assert_allclose(fe.K.toarray(), model.K, atol=digits * np.abs(model.K).max())
        assert_allclose(fe.M.toarray(), model.M, atol=digits * np.abs(model.M).max())


def test_matrix_market_numpy_and_saved_models(model: da.FiniteElements, tmp_path: Path) -> None:
    scipy.io.mmwrite(tmp_path / "K.mtx", sp.coo_matrix(model.K), symmetry="symmetric", precision=17)
    np.save(tmp_path / "M.npy", model.M)
    np.save(tmp_path / "nodes.npy", model.nodes)
    fe = da.read_finite_elements(stiffness=tmp_path / "K.mtx", mass=tmp_path / "M.npy", nodes=tmp_path / "nodes.npy")
    assert_allclose(fe.K.toarray(), model.K, rtol=1e-15)
    sp.save_npz(tmp_path / "T.npz", sp.triu(sp.csc_matrix(model.K)))
    assert_allclose(read_matrix(tmp_path / "T.npz").values.toarray(), model.K)
    model.save(tmp_path / "model.npz")
    again = da.read_finite_elements(tmp_path / "model.npz")
    assert_allclose(again.K.toarray(), model.K)
    assert {key: list(value) for key, value in again.sets.items()} == {k: list(v) for k, v in model.sets.items()}


def test_calculix(model: da.FiniteElements, tmp_path: Path) -> None:
    """Deck, stored matrices (one triangle, their own order of freedoms) and the list of freedoms."""
    numbers, freedoms = _numbered(model)
    order = np.random.default_rng(2).permutation(len(freedoms))
    for suffix, A in ((".sti", model.K), (".mas", model.M)):
        B = sp.triu(sp.csc_matrix(A[np.ix_(order, order)])).tocoo()
        np.savetxt(tmp_path / f"t{suffix}", np.column_stack([B.row + 1, B.col + 1, B.data]), fmt="%d %d %.17e")
    (tmp_path / "t.dof").write_text("\n".join(f"{freedoms[k][0]}.{freedoms[k][1]}" for k in order) + "\n")
    (tmp_path / "sets.inc").write_text("*NSET, NSET=Root\n" + ", ".join(map(str, numbers[:4])) + ",\n")
    cells = [[0, 4, 6, 2, 1, 5, 7, 3], [4, 8, 10, 6, 5, 9, 11, 7]]
    nodes = "".join(f"{n}, {x:.17g}, {y:.17g}, {z:.17g}\n" for n, (x, y, z) in zip(numbers, model.nodes, strict=True))
    elements = "".join(f"{k + 1}, " + ", ".join(str(numbers[i]) for i in cell) + "\n" for k, cell in enumerate(cells))
    (tmp_path / "t.inp").write_text(
        f"** a comment\n*NODE, NSET=ALL\n{nodes}*INCLUDE, INPUT=sets.inc\n*ELEMENT, TYPE=C3D8, ELSET=E\n{elements}"
        "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n8\n*END STEP\n"
    )
    fe = da.read_finite_elements(tmp_path / "t.inp")
    assert_allclose(fe.K.toarray(), model.K, rtol=1e-15)
    assert_allclose(fe.M.toarray(), model.M, rtol=1e-15)
    assert list(fe.nodes_of("root")) == [0, 1, 2, 3]
    assert len(fe.surface) == 2 * 10  # the faces of two cells but the one that they share
    corners = fe.nodes[fe.surface]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert volume == pytest.approx(0.8 * 0.2 * 0.15, rel=0.2)  # outward faces
    (tmp_path / "t.mas").unlink()
    with pytest.raises(da.InputError, match=r"'t\.mas' is not beside 't\.inp': run ccx"):
        da.read_finite_elements(tmp_path / "t.inp")


def test_models_in_millimetres(tmp_path: Path) -> None:
    """A beam in mm, N, s, t and MPa, with rotations, is the one in SI units; so are solids and machine files."""
    si = beam_elements(0.5, da.Section.rectangle(0.01, 0.02), E=70e9, G=26e9, density=2700.0, count=3)
    mm = beam_elements(500.0, da.Section.rectangle(10.0, 20.0), E=70e3, G=26e3, density=2.7e-9, count=3).scaled(1e-3)
    for a, b in ((mm.K, si.K), (mm.M, si.M)):
        dense = np.asarray(sp.csc_matrix(b).toarray())
        assert_allclose(a.toarray(), dense, rtol=1e-12, atol=1e-15 * np.abs(dense).max())
    assert_allclose(mm.nodes, si.nodes)
    small = brick_model((1, 1, 1), (40.0, 10.0, 8.0), E=2e3, nu=0.3, density=1.1e-9)
    small.save(tmp_path / "small.npz")
    model = da.read_finite_elements(tmp_path / "small.npz", unit="mm")
    like = brick_model((1, 1, 1), (0.04, 0.01, 0.008), E=2e9, nu=0.3, density=1100.0)
    assert_allclose(model.solids[0].E, like.solids[0].E)
    (tmp_path / "arm.yaml").write_text(
        "name: arm\nbodies:\n  bar:\n    finite_elements: {file: small.npz, unit: mm, interfaces: {root: ROOT, "
        "tip: TIP}, modes: 4, stress: true}\njoints:\n  hinge: {kind: revolute, parent: world, child: bar}\n"
    )
    read, made = da.load_machine(tmp_path / "arm.yaml").body("bar"), like.body("bar", {"root": "ROOT", "tip": "TIP"}, 4)
    assert isinstance(read, da.FlexibleBody)
    assert_allclose(read.omega, made.omega, rtol=1e-7)
    assert read.mass == pytest.approx(made.mass)
    with pytest.raises(UnknownNameError, match="no unit of length named 'inch'"):
        da.read_finite_elements(tmp_path / "small.npz", unit="inch")


def test_wrong_files_are_named(model: da.FiniteElements, tmp_path: Path) -> None:
    with pytest.raises(da.InputError, match="there is no finite-element model"):
        da.read_finite_elements(tmp_path / "none.npz")
    (tmp_path / "k.sim").write_text("")
    with pytest.raises(da.InputError, match=r"known format: \.mtx, \.npy"):
        read_matrix(tmp_path / "k.sim")
    (tmp_path / "k.mtx").write_text("1,1,1,1\n")
    with pytest.raises(da.InputError, match="expected node, direction, node, direction, value"):
        read_matrix(tmp_path / "k.mtx")
    np.save(tmp_path / "x.npy", model.nodes)
    with pytest.raises(da.InputError, match="needs a file, or stiffness, mass and nodes"):
        da.read_finite_elements(nodes=tmp_path / "x.npy")

"""The Jacobians of CDPR, Appendix B, as printed formulas with their misprints corrected.

One cable over a pulley at ``d`` with axes x, y, z; everything is a NumPy array. ``Phi`` is CDPR (23) with the cable
length ``l_0 + r theta`` (printed: ``r theta``), ``mu = a - b``. The corrections are listed in docs/errata.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.types import Array

__all__ = ["Pulley"]


@dataclass(frozen=True, eq=False)
class Pulley:
    """State of one cable: pulley, anchor, swivel angle and winch, with their rates.

    Parameters
    ----------
    radius, axes, d
        Pulley radius, its axes as columns, and point D.
    b, bdot
        Anchor and its velocity.
    sigma, sigmadot
        Swivel angle; None: that of the plane through the anchor, CDPR (24).
    drum, l_0, theta, thetadot
        Winch.
    """

    radius: float
    axes: Array
    d: Array
    b: Array
    bdot: Array
    drum: float
    l_0: float
    theta: float
    thetadot: float
    sigma: float | None = None
    sigmadot: float | None = None

    def __post_init__(self) -> None:
        x, y, z = self.axes.T
        set_ = object.__setattr__
        delta, deltadot = self.b - self.d, self.bdot
        if self.sigma is None:
            set_(self, "sigma", float(np.arctan2(y @ delta, x @ delta)))
            rate = (x @ delta) * (y @ deltadot) - (x @ deltadot) * (y @ delta)
            set_(self, "sigmadot", float(rate / ((x @ delta) ** 2 + (y @ delta) ** 2)))  # (38)
        sigma, sigmadot = float(self.sigma or 0.0), float(self.sigmadot or 0.0)
        s = np.cos(sigma) * x + np.sin(sigma) * y
        s_sigma = np.cos(sigma) * y - np.sin(sigma) * x  # (45)
        sdot, sdot_sigma = s_sigma * sigmadot, -s * sigmadot  # (37), (51)
        S, Z, P = s @ delta, z @ delta, s_sigma @ delta
        Sdot = sdot @ delta + s @ deltadot
        Zdot, Pdot = z @ deltadot, sdot_sigma @ delta + s_sigma @ deltadot
        alpha, beta = Z / S, 2 * self.radius / S
        root = np.sqrt(alpha**2 + 1 - beta)
        eta = alpha + root  # (39)
        alphadot, betadot = (Zdot * S - Z * Sdot) / S**2, -2 * self.radius * Sdot / S**2
        etadot = alphadot + (alpha * alphadot - betadot / 2) / root  # (41)
        psi, psidot = 2 * np.arctan(eta), 2 / (1 + eta**2) * etadot  # (40)
        n = np.cos(psi) * s + np.sin(psi) * z
        n_psi = -np.sin(psi) * s + np.cos(psi) * z
        a = self.d + self.radius * (s + n)
        ndot = np.cos(psi) * sdot + n_psi * psidot  # (37)
        adot = self.radius * (sdot + ndot)  # (36)
        values = {
            "z": z, "s": s, "s_sigma": s_sigma, "sdot": sdot, "sdot_sigma": sdot_sigma, "S": S, "Z": Z, "P": P,
            "Sdot": Sdot, "Zdot": Zdot, "Pdot": Pdot, "alpha": alpha, "beta": beta, "root": root, "eta": eta,
            "alphadot": alphadot, "betadot": betadot, "etadot": etadot, "psi": psi, "psidot": psidot,
            "n_psi": n_psi, "a": a, "adot": adot,
        }  # fmt: skip
        mu, mudot = a - self.b, adot - self.bdot
        values |= {"mu": mu, "mudot": mudot, "free": np.sqrt(mu @ mu), "arc": self.radius * (np.pi - psi)}
        for name, value in values.items():
            set_(self, f"_{name}", value)

    def __getattr__(self, name: str) -> Array:
        raise AttributeError(name)

    @property
    def length(self) -> float:
        """Length of the cable that the winch has paid out."""
        return self.l_0 + self.drum * self.theta

    @property
    def phi(self) -> float:
        """Constraint (23), with the whole length in the last term."""
        return float(self._free**2 + self._arc**2 + 2 * self._arc * self._free - self.length**2)

    @property
    def by_theta(self) -> float:
        """``Phi_theta`` = -2 r (l_0 + r theta)."""
        return -2 * self.drum * self.length

    @property
    def by_theta_dot(self) -> float:
        """Its time derivative."""
        return -2 * self.drum**2 * self.thetadot

    @property
    def by_anchor(self) -> Array:
        """``Phi`` by the anchor for a massless pulley, CDPR (30): ``2 (1 + arc/free) (b - a)``."""
        return 2 * (1 + self._arc / self._free) * (-self._mu)

    @property
    def by_anchor_dot(self) -> Array:
        """Its time derivative, CDPR (34), (35) with the missing root: f' g + f g'."""
        f = 2 * (1 + self._arc / self._free)
        speed = (self._mu @ self._mudot) / self._free
        f_dot = -2 * self.radius * self._psidot / self._free - 2 * self._arc * speed / self._free**2
        return f_dot * (-self._mu) + f * (-self._mudot)

    # -- pulleys with inertia: sigma is a coordinate ----------------------------------------------------------------

    def _sigma_terms(self) -> tuple[float, Array, float, Array]:
        """``psi_sigma``, ``a_sigma`` and their time derivatives, CDPR (44) to (47) and (50) to (54) corrected."""
        r, S, Z, P = self.radius, self._S, self._Z, self._P
        alpha_s, beta_s = -Z * P / S**2, -2 * r * P / S**2
        q = 2 * self._alpha * alpha_s - beta_s
        eta_s = alpha_s + q / (2 * self._root)  # (47)
        psi_s = 2 * eta_s / (1 + self._eta**2)  # (46)
        a_s = r * (self._s_sigma + np.cos(self._psi) * self._s_sigma + self._n_psi * psi_s)  # (44), (45)
        alpha_s_dot = -(self._Zdot * P + Z * self._Pdot) / S**2 + 2 * Z * P * self._Sdot / S**3  # (53)
        beta_s_dot = -2 * r * self._Pdot / S**2 + 4 * r * P * self._Sdot / S**3  # (54)
        q_dot = 2 * self._alphadot * alpha_s + 2 * self._alpha * alpha_s_dot - beta_s_dot
        rate = 2 * self._alpha * self._alphadot - self._betadot
        eta_s_dot = alpha_s_dot + q_dot / (2 * self._root) - q * rate / (4 * self._root**3)  # (52)
        eta2 = 1 + self._eta**2
        psi_s_dot = 2 * eta_s_dot / eta2 - 4 * self._eta * eta_s * self._etadot / eta2**2
        c, s = np.cos(self._psi), np.sin(self._psi)
        n_psi_dot = -s * self._sdot - (c * self._s + s * self._z) * self._psidot
        n_s_dot = -s * self._psidot * self._s_sigma + c * self._sdot_sigma + n_psi_dot * psi_s + self._n_psi * psi_s_dot
        return float(psi_s), a_s, float(psi_s_dot), r * (self._sdot_sigma + n_s_dot)  # (50), (51)

    @property
    def by_sigma(self) -> float:
        """``Phi_sigma``, CDPR (43)."""
        psi_s, a_s, _, _ = self._sigma_terms()
        r, pull = self.radius, float(a_s @ self._mu)
        bracket = self._arc * pull / self._free - r * psi_s * self._free
        return float(2 * pull - 2 * r * psi_s * self._arc + 2 * bracket)

    @property
    def by_sigma_dot(self) -> float:
        """Its time derivative, CDPR (49) corrected."""
        psi_s, a_s, psi_s_dot, a_s_dot = self._sigma_terms()
        r, free, arc = self.radius, self._free, self._arc
        pull, pull_dot = a_s @ self._mu, a_s_dot @ self._mu + a_s @ self._mudot
        free_dot = (self._mu @ self._mudot) / free
        arc_dot = -r * self._psidot
        first = 2 * pull_dot
        second = -2 * r * (psi_s_dot * arc + psi_s * arc_dot)
        third = 2 * (arc_dot * pull / free + arc * pull_dot / free - arc * pull * free_dot / free**2)
        fourth = -2 * r * (psi_s_dot * free + psi_s * free_dot)
        return float(first + second + third + fourth)

    @property
    def by_anchor_fixed_plane(self) -> Array:
        """``Phi`` by the anchor at a given swivel angle: exact also when the anchor is off the pulley's plane.

        CDPR uses (30) here too, which holds in the plane only.
        """
        S, Z, r = self._S, self._Z, self.radius
        alpha_b, beta_b = (self._z * S - Z * self._s) / S**2, -2 * r * self._s / S**2
        eta_b = alpha_b + (2 * self._alpha * alpha_b - beta_b) / (2 * self._root)
        psi_b = 2 * eta_b / (1 + self._eta**2)
        a_b = r * np.outer(self._n_psi, psi_b)
        free_b = (self._mu @ (a_b - np.eye(3))) / self._free
        return np.asarray(2 * (self._free + self._arc) * (free_b - r * psi_b))

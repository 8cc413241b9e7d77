"""Proofs for parameters that vary in time, within ranges and rates."""

from dalembert.control.varying.proofs import VaryingProof, fastest_variation, varying_gain, varying_stability
from dalembert.control.varying.rates import block_rates

__all__ = ["VaryingProof", "block_rates", "fastest_variation", "varying_gain", "varying_stability"]

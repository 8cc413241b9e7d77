"""Structured singular values: bounds, proofs over all frequencies, and the ranges that they guarantee."""

from dalembert.control.mu.boxes import Guarantee, ProvenParts, guaranteed_ranges, iterative_ranges, proven_parts
from dalembert.control.mu.lower import WorstCase
from dalembert.control.mu.robustness import (
    MuBounds,
    Robustness,
    WorstGain,
    mu,
    robust_performance,
    robust_stability,
    skew_mu,
    worst_gain,
)
from dalembert.control.mu.sweep import Interval

__all__ = [
    "Guarantee",
    "Interval",
    "MuBounds",
    "ProvenParts",
    "Robustness",
    "WorstCase",
    "WorstGain",
    "guaranteed_ranges",
    "iterative_ranges",
    "mu",
    "proven_parts",
    "robust_performance",
    "robust_stability",
    "skew_mu",
    "worst_gain",
]

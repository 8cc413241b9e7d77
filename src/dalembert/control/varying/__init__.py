"""Proofs for parameters that vary in time, within ranges and rates, and a search that tries to refute them."""

from dalembert.control.varying.energy import EnergyFunction
from dalembert.control.varying.falsification import Falsification, falsify
from dalembert.control.varying.motion_search import JointSine, WorstMotion, worst_motion
from dalembert.control.varying.motions import MotionProof, motion_stability
from dalembert.control.varying.moving import MotionLoop, motion_loop
from dalembert.control.varying.proofs import VaryingProof, fastest_variation, varying_gain, varying_stability
from dalembert.control.varying.rates import block_rates
from dalembert.control.varying.regions import MotionRegion, motion_region
from dalembert.control.varying.sampling import sampled_loop
from dalembert.control.varying.sectors import SaturationRegion, saturation, saturation_region

__all__ = [
    "EnergyFunction",
    "Falsification",
    "JointSine",
    "MotionLoop",
    "MotionProof",
    "MotionRegion",
    "SaturationRegion",
    "VaryingProof",
    "WorstMotion",
    "block_rates",
    "falsify",
    "fastest_variation",
    "motion_loop",
    "motion_region",
    "motion_stability",
    "sampled_loop",
    "saturation",
    "saturation_region",
    "varying_gain",
    "varying_stability",
    "worst_motion",
]

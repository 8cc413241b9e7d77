"""Campaigns: many members on all cores, a cluster or a GPU, kept in a store, and their evaluation."""

from dalembert.campaigns.campaign import Runner, campaign, open_campaign
from dalembert.campaigns.design import Design, optimise
from dalembert.campaigns.distributions import Spread
from dalembert.campaigns.environments import Episode, environment, vector_environment
from dalembert.campaigns.identification import Identification, identify
from dalembert.campaigns.result import Campaign
from dalembert.campaigns.sampling import SAMPLINGS, sample
from dalembert.campaigns.sensitivity import EventTime, Gradient, Sensitivities, gradient, sensitivities
from dalembert.campaigns.statistics import Proportion, wilson
from dalembert.campaigns.store import Store

__all__ = [
    "SAMPLINGS",
    "Campaign",
    "Design",
    "Episode",
    "EventTime",
    "Gradient",
    "Identification",
    "Proportion",
    "Runner",
    "Sensitivities",
    "Spread",
    "Store",
    "campaign",
    "environment",
    "gradient",
    "identify",
    "open_campaign",
    "optimise",
    "sample",
    "sensitivities",
    "vector_environment",
    "wilson",
]

"""Campaigns: many members on all cores, a cluster or a GPU, kept in a store, and what can be learnt from them."""

from dalembert.campaigns.campaign import campaign, open_campaign
from dalembert.campaigns.distributions import Spread
from dalembert.campaigns.result import Campaign
from dalembert.campaigns.sampling import SAMPLINGS, sample
from dalembert.campaigns.statistics import Proportion, wilson
from dalembert.campaigns.store import Store

__all__ = [
    "SAMPLINGS",
    "Campaign",
    "Proportion",
    "Spread",
    "Store",
    "campaign",
    "open_campaign",
    "sample",
    "wilson",
]

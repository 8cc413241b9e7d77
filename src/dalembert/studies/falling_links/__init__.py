"""IMPACT: case study I, a flexible link that falls flat on its ends, with every impact found."""

"""SPACE chapter 5 and Appendix D.1: modes of flexible arms, free vibration, pick and place, approximate models."""

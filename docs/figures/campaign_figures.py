"""Figures of the page on campaigns: python docs/figures/campaign_figures.py"""

from pathlib import Path

HERE = Path(__file__).parent

if __name__ == "__main__":
    text = (HERE.parent / "campaigns.md").read_text(encoding="utf-8")
    scope: dict = {}
    exec(text.split("```python\n")[1].split("```")[0], scope)  # the example of the page itself
    scope["sway"].plot("sway", HERE / "campaign.png")

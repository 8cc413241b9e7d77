"""Speed of forward dynamics, side by side with the peers that are installed."""

__all__: list[str] = []

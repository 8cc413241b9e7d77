"""ROPES: Eytelwein's rope, Atwood's machine with a heavy sheave, tackles with losses, a tower crane, a peg."""

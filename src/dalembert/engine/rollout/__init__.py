"""Time loops of many members: lanes, threads of a GPU, and what leaves them."""

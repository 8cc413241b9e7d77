"""Memory that native transitions share with Python."""

from __future__ import annotations

import ctypes
from typing import Any

__all__ = ["TRANSITIONS_FIELDS", "WATCH_FIELDS"]

_INT, _REAL, _POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p

# The members of `struct transitions` and `struct watch`, in order; the compiler checks them.
_TRANSITIONS: tuple[tuple[Any, str], ...] = (
    (_POINTER, "equations"),
    (_INT, "k"),
    (
        _POINTER,
        "rows flags tangents friction is_contact rubs poisson e mu",
    ),
    (_REAL, "slowest"),
    (_INT, "n_switches"),
    (_POINTER, "switch_event switch_first switch_latch switch_value"),
    (_INT, "n_measures"),
    (_POINTER, "measure_flag measure_first measure_latch measure measure_work measured"),
    (_POINTER, "M f J gamma phi rate x_bare R Y"),
    (_INT, "factored"),
    (_POINTER, "work loose slipping"),
    (_REAL, "t_loose"),
    (_INT, "n_log log_capacity"),
    (_POINTER, "log_t log_impulses log_lost log_factor log_speed log_shocks"),
    (_INT, "pair lacks"),
)
_WATCH: tuple[tuple[Any, str], ...] = (
    (_POINTER, "loop"),
    (_INT, "n_left first_hidden first_own"),
    (_POINTER, "terminal transition returns context n_changes"),
    (_INT, "changes_capacity"),
    (_REAL, "run_start run_end armed_at armed_for"),
    (_POINTER, "stops"),
    (_INT, "n_stops"),
    (_POINTER, "x_part g_part g_start g_found x_found g_kept x_kept slope"),
    (_INT, "n_nodes inside"),
    (_POINTER, "nodes newton"),
    (_REAL, "off"),
    (_POINTER, "fired"),
    (_INT, "n_records records_capacity"),
    (_POINTER, "record_event record_sign change_first record_t record_x"),
    (_INT, "unsettled culprit"),
)

WATCH_FIELDS = [(name, kind) for kind, names in _WATCH for name in names.split()]
TRANSITIONS_FIELDS = [(name, kind) for kind, names in _TRANSITIONS for name in names.split()]

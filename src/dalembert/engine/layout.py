"""Memory that the engine shares with Python: its structures, member by member."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

__all__ = ["INT", "POINTER", "REAL", "structure", "structure_fields"]

INT, REAL, POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p

_LAYOUTS: dict[str, tuple[tuple[Any, str], ...]] = {
    "loop": (
        (INT, "n n_events n_quaternions n_held"),
        (POINTER, "ode events ode_work events_work gaps"),
        (INT, "first_gap n_gaps"),
        (POINTER, "c p quaternions directions counted"),
        (REAL, "n_counted"),
        (INT, "stages fsal adaptive"),
        (POINTER, "a b e e_second nodes"),
        (REAL, "order high_order"),
        (INT, "n_further"),
        (POINTER, "further_a further_nodes inner"),
        (REAL, "step max_step rtol"),
        (POINTER, "atol"),
        (REAL, "t t_end h error_old soon anchor"),
        (INT, "k fresh"),
        (POINTER, "x stage signs"),
        (INT, "pending landed on_record whole rejected_last"),
        (REAL, "t_next h_used"),
        (POINTER, "x_next g_next x_stage error stage_partial"),
        (REAL, "record_origin record_interval"),
        (INT, "record_index n_rows capacity"),
        (POINTER, "rows_t rows_x rows_c"),
        (INT, "n_updates seed member"),
        (POINTER, "updates instants"),
        (REAL, "sample_origin t_last"),
        (INT, "n_steps n_rejected n_calls max_steps bad"),
        (REAL, "patience"),
        (POINTER, "project custom admits context steps"),
    ),
    "midpoint": (
        (INT, "n n_counted max_iterations n_iterations"),
        (REAL, "tolerance damping"),
        (POINTER, "tape work y y_next"),
        (REAL, "t_known"),
        (POINTER, "x_known equations rates x_middle W further"),
        (INT, "work_loss account"),
    ),
    "update": (
        (POINTER, "f work w values rows"),
        (INT, "n n_noise stream"),
        (REAL, "period offset"),
    ),
    "watch": (
        (POINTER, "loop"),
        (POINTER, "positive"),
        (INT, "n_positive"),
        (POINTER, "kinds"),
        (INT, "asks"),
        (POINTER, "jumps kinks transition returns context n_changes"),
        (INT, "changes_capacity"),
        (REAL, "run_start run_end armed_at armed_for"),
        (POINTER, "stops"),
        (INT, "n_stops"),
        (POINTER, "x_part g_part g_start g_found x_found g_kept x_kept slope"),
        (INT, "n_nodes inside"),
        (POINTER, "nodes newton"),
        (REAL, "off"),
        (POINTER, "fired passed"),
        (INT, "n_records records_capacity"),
        (POINTER, "record_event record_sign change_first record_t record_x"),
        (INT, "unsettled culprit"),
    ),
    "constrained": (
        (INT, "n nq nv m nc np routine constant_mass projects on_tape work_input"),
        (POINTER, "tape geometry move events tape_work geometry_work move_work events_work"),
        (
            POINTER,
            "free free_work gaps gaps_work balance balance_work motion shift motion_work shift_work flags unilateral",
        ),
        (INT, "n_unilateral n_tape_events"),
        (REAL, "alpha beta penalty damping omega rank_tolerance tolerance drift"),
        (INT, "max_iterations"),
        (POINTER, "rates M f Jt phi phidot gamma phi_t q_moved v_moved error share"),
        (REAL, "t_seen"),
        (POINTER, "seen R Y S y0 a lambda b mu Q norms U moved reflectors active pivot"),
        (INT, "n_active factored rank_lost iterations"),
        # generalized-alpha
        (POINTER, "rate rate_work"),
        (REAL, "alpha_m alpha_f gamma_n beta_n"),
        (INT, "index n_newton"),
        (REAL, "t_base t_known power_base power_known"),
        (POINTER, "x_base x_known acceleration_base acceleration_known auxiliary_base auxiliary_known multipliers"),
        (POINTER, "rates_base K D matrix residual columns increment"),
        # contacts
        (INT, "n_rubbing work_loss impulses"),
        (POINTER, "losses rubbing shares drag cone Z dense_work lead"),
        (INT, "n_ropes"),
        (POINTER, "rope_first of_rope tension ratio yields"),
        (INT, "redundant"),
        # implicit steps
        (POINTER, "enlarged further metric"),
    ),
    "transitions": (
        (POINTER, "equations"),
        (INT, "k n_blocks"),
        (
            POINTER,
            "law first row flags entry friction is_contact rubs poisson e mu varies",
        ),
        (REAL, "slowest"),
        (INT, "n_switches"),
        (POINTER, "switch_event switch_first switch_latch switch_value"),
        (INT, "n_counts"),
        (POINTER, "count_event count_latch count_step"),
        (INT, "n_kinks"),
        (POINTER, "kink_event"),
        (REAL, "kink_time"),
        (INT, "n_measures"),
        (POINTER, "measure_flag measure_first measure_latch measure measure_work measured"),
        (POINTER, "M f J gamma phi rate x_bare R Y"),
        (INT, "factored"),
        (POINTER, "work loose slipping acted toward"),
        (REAL, "t_loose"),
        (INT, "n_log log_capacity"),
        (POINTER, "log_t log_impulses log_lost log_factor log_speed log_shocks"),
        (INT, "pair lacks"),
    ),
    "moreau": (
        (INT, "n nq nv nz n_blocks n_fixed n_held n_p first_bent n_bent"),
        (POINTER, "terms bias gaps move finish lift held"),
        (POINTER, "terms_work bias_work gaps_work move_work finish_work lift_work held_work"),
        (INT, "residual_at sweeps_at undetermined_at lowered_at work_loss work_input multipliers"),
        (POINTER, "force loss L_start L_column law size count support_start row_start mu_start value_start"),
        (POINTER, "block_start support"),
        (POINTER, "feature pair pair_work pair_at values gathered gather_start gather"),
        (REAL, "theta tolerance margin"),
        (INT, "max_sweeps"),
        (POINTER, "L d s0 g e mu b bent Y u0 pace zdot work"),
        (INT, "n_active"),
        (POINTER, "active w bounce x s dv r gap stays lambda total last"),
        (REAL, "jammed rank"),
        (INT, "depends direct apart"),
        (REAL, "were_undetermined undetermined soft"),
        (POINTER, "ref gram dense island places alone known"),
        (REAL, "lowered"),
        (POINTER, "start full restrained"),
        (POINTER, "Q held_u0 held_t held_phi held_rate T zeta held_x P before held_total"),
        (POINTER, "x_middle x_swept displacement lengths gap_now gap_before forced fast near scratch"),
    ),
    "scene": (
        (POINTER, "steps"),
        (INT, "n_bodies n_shapes most_contacts n_excluded"),
        (POINTER, "mass inertia gravity kind body size place reach inner friction restitution"),
        (POINTER, "spinning rolling"),
        (INT, "rows"),
        (POINTER, "excluded"),
        (POINTER, "vertex_start face_start loop_start loop vertex face_normal"),
        (POINTER, "pose pace position rotation low high order"),
        (INT, "n_contacts n_before full n_hashes"),
        (POINTER, "pair pair_before hashes point point_before force_before where normal gap"),
        (REAL, "h deepest fastest"),
        (INT, "fastest_shape"),
        (POINTER, "x_middle displacement count support known"),
    ),
    "articulated": (
        (POINTER, "scene steps step terms poses terms_work poses_work column_start column support_start support"),
        (POINTER, "jacobian row friction restitution spinning rolling x_after"),
        (INT, "count_at deepest_at force_at"),
    ),
    "members": (
        (POINTER, "watch begin transitions restitution friction coefficients"),
        (INT, "n_pairs"),
        (POINTER, "t_loose lacks pair stops"),
        (INT, "every"),
        (POINTER, "carried pace"),
        (INT, "keeps"),
        (POINTER, "record_member change_member"),
        (INT, "n_signed n_changes_signed"),
        (POINTER, "drain x_before"),
    ),
    "singles": (
        (POINTER, "steps state held"),
        (INT, "held_stride"),
        (POINTER, "parameters"),
        (INT, "p_stride"),
        (POINTER, "clock fresh watched status failed_at rows"),
        (INT, "n_rows n_measures every"),
        (POINTER, "measure measure_work kinds since until values"),
        (INT, "n_updates"),
        (POINTER, "updates instants"),
        (INT, "seed"),
        (POINTER, "number held_rows"),
        (POINTER, "before y kept"),
    ),
    "virtual_tape": (
        (POINTER, "evaluate buffer"),
        (INT, "n_in n_out"),
        (POINTER, "in_size out_size in out"),
    ),
    "desk": (
        (INT, "n size"),
        (POINTER, "rows member parameters"),
        (INT, "p_stride"),
        (REAL, "anchor h rest"),
        (INT, "first count n_modes"),
        (POINTER, "modes"),
        (INT, "threads thread"),
    ),
}
"""The members of each structure, in the order of its header; the compiler checks them (`library`)."""


def structure_fields(name: str) -> list[tuple[str, Any]]:
    """Return the names and types of the members of a structure."""
    return [(member, kind) for kind, members in _LAYOUTS[name] for member in members.split()]


@cache
def structure(name: str) -> type[ctypes.Structure]:
    """Return a structure of the engine as a type of `ctypes`."""
    return type(name, (ctypes.Structure,), {"_fields_": structure_fields(name)})

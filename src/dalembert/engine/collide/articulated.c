/* Machines with joints whose bodies have shapes: contacts of pairs that are found in every step, as blocks behind those that are
 * always there (declared contacts, cables, joints that stick).
 *
 * The tape of the machine gives the Jacobian of each body, not of each pair. A contact at the point c between two bodies has, along
 * its normal and tangents d, the rows
 *     d . (v_1 + w_1 x (c - p_1)) - d . (v_2 + w_2 x (c - p_2)),
 * which the factors of the mass matrix, M = L^T D L, turn into those of a block, J L^-1 D^-1/2. A body may be the segment of a beam, a
 * capsule between two of its sections: its points also move along it, as its ends do. */
#define IMMOBILE 1e-14 /* inverse mass along a normal, by that of the whole contact, at which it does not move */
enum { MOST_PARTS = 64 }; /* of a step in which a body moves by more than its own size */

/* Velocity along d of a point of a body, or (point = 0) its angular velocity about d. */
static void add_row(const struct articulated *A, int64_t body, const double *point, const double *d, double sign) {
    const double *p = A->scene->pose + 12 * body;
    if (!point) {
        for (int64_t k = A->column_start[body]; k < A->column_start[body + 1]; k++)
            A->row[A->column[k]] += sign * dot3(d, A->jacobian + 6 * k + 3);
        return;
    }
    const double r[3] = {point[0] - p[0], point[1] - p[1], point[2] - p[2]};
    double moment[3];
    cross3(r, d, moment);
    for (int64_t k = A->column_start[body]; k < A->column_start[body + 1]; k++) {
        const double *J = A->jacobian + 6 * k;
        A->row[A->column[k]] += sign * (dot3(d, J) + dot3(moment, J + 3));
    }
}

/* Velocity along d of a point of a segment that is due to its stretch: at the part `along` of half its length. */
static void add_stretch(const struct articulated *A, int64_t body, double along, const double *d, double sign) {
    double z[3];
    axis_of(A->scene->pose + 12 * body + 3, 2, z);
    const double part = sign * along * dot3(d, z);
    for (int64_t k = A->column_start[body]; k < A->column_start[body + 1]; k++) A->row[A->column[k]] += part * A->stretch[k];
}

/* Where the axis of a segment is next to its contact k with another body: from -1 to 1 (other shapes: 0); the normal points to it with
 * the sign. */
static double along_segment(const struct articulated *A, int64_t k, int64_t shape, int64_t other, double sign) {
    const struct scene *S = A->scene;
    const int64_t body = S->body[shape];
    if (!A->stretch || body < 0 || !(A->half[body] > 0.0)) return 0.0;
    const double *p = S->pose + 12 * body, off = sign * (S->size[3 * shape] + (other < 0 ? 0.0 : 0.5 * S->gap[k]));
    double r[3], z[3];
    axis_of(p + 3, 2, z);
    for (int i = 0; i < 3; i++) r[i] = S->where[3 * k + i] + off * S->normal[3 * k + i] - p[i];
    return within_(dot3(r, z) / A->half[body], 1.0);
}

/* Lengths of the segments of beams, into the sizes of their capsules. */
static void set_lengths(const struct articulated *A) {
    const struct scene *S = A->scene;
    for (int64_t i = 0; i < S->n_shapes; i++)
        if (S->body[i] >= 0 && A->half[S->body[i]] > 0.0) S->size[3 * i + 1] = A->half[S->body[i]];
}

/* Velocities that the rows of two bodies (-1: one that does not move) act on, in rising order; returns their number. */
static int64_t join_supports(const struct articulated *A, int64_t one, int64_t two, int64_t *at) {
    int64_t i = one < 0 ? 0 : A->support_start[one], i_end = one < 0 ? 0 : A->support_start[one + 1], n = 0;
    int64_t j = two < 0 ? 0 : A->support_start[two], j_end = two < 0 ? 0 : A->support_start[two + 1];
    while (i < i_end || j < j_end) {
        const int64_t a = i < i_end ? A->support[i] : INT64_MAX, b = j < j_end ? A->support[j] : INT64_MAX;
        at[n++] = a < b ? a : b;
        i += a <= b, j += b <= a;
    }
    return n;
}

static void fill_rows(const struct articulated *A, const double *v, int64_t k) {
    const struct scene *S = A->scene;
    struct moreau *C = A->steps;
    const int64_t a = C->n_fixed + k, *at = C->support + C->support_start[a];
    const int64_t i_one = S->pair[k] / S->n_shapes, i_two = S->pair[k] % S->n_shapes, one = S->body[i_one], two = S->body[i_two];
    const double along[2] = {along_segment(A, k, i_one, two, 1.0), along_segment(A, k, i_two, one, -1.0)};
    const int64_t n = S->count[a] = join_supports(A, one, two, S->support + C->support_start[a]);
    double ways[6][3], moves[2] = {0.0, 0.0}; /* along the normal, along the tangents */
    contact_axes(S, k, ways);
    for (int w = 0; w < S->rows; w++) {
        double *Y = C->Y + C->value_start[a] + w * n, u = 0.0;
        for (int64_t i = 0; i < n; i++) A->row[at[i]] = 0.0;
        if (one >= 0) add_row(A, one, w < 3 ? S->where + 3 * k : 0, ways[w], 1.0);
        if (two >= 0) add_row(A, two, w < 3 ? S->where + 3 * k : 0, ways[w], -1.0);
        if (along[0] != 0.0 && w < 3) add_stretch(A, one, along[0], ways[w], 1.0);
        if (along[1] != 0.0 && w < 3) add_stretch(A, two, along[1], ways[w], -1.0);
        for (int64_t i = 0; i < n; i++) u += A->row[at[i]] * v[at[i]];
        for (int64_t i = n - 1; i >= 0; i--) {
            const double y = A->row[at[i]];
            Y[i] = y * C->d[at[i]];
            if (w < 3) moves[w > 0] += Y[i] * Y[i];
            for (int64_t e = C->L_start[at[i]]; e < C->L_start[at[i] + 1]; e++) A->row[C->L_column[e]] -= C->L[e] * y;
        }
        C->u0[C->row_start[a] + w] = u;
    }
    turn_rows(S, k, ways, (1.0 - C->theta) * S->h, C->bent + C->row_start[a]);
    contact_belts(S, k, ways, C->u0 + C->row_start[a], C->driven + C->row_start[a]);
    if (!(moves[0] > IMMOBILE * (moves[0] + moves[1]))) { /* as of the clamped end of a beam: no force has an effect */
        C->g[a] = INFINITY;
        if (C->hold) C->hold[a] = 0.0;
    }
}

/* How fast bodies move with the velocities v. */
static void set_paces(const struct articulated *A, const double *v) {
    struct scene *S = A->scene;
    for (int64_t b = 0; b < S->n_bodies; b++) {
        double *twist = S->twist + 6 * b;
        for (int i = 0; i < 6; i++) twist[i] = 0.0;
        for (int64_t k = A->column_start[b]; k < A->column_start[b + 1]; k++)
            for (int i = 0; i < 6; i++) twist[i] += A->jacobian[6 * k + i] * v[A->column[k]];
        S->pace[2 * b] = length3(twist), S->pace[2 * b + 1] = length3(twist + 3);
        if (!A->stretch) continue;
        double longer = 0.0;
        for (int64_t k = A->column_start[b]; k < A->column_start[b + 1]; k++) longer += A->stretch[k] * v[A->column[k]];
        S->pace[2 * b] += fabs(longer), S->longer[b] = longer;
    }
}

/* (t, x, c, p, h) -> as the terms of the blocks that are always there, and of the contacts. */
int articulated_terms(const double *const *in, double *const *out, double *work) {
    const struct articulated *A = (struct articulated *)(void *)work;
    struct scene *S = A->scene;
    const double *v = in[1] + A->steps->nq;
    double *const placed[] = {S->pose,    A->jacobian, A->friction,   A->restitution, A->spinning,
                              A->rolling, A->across,   A->compliance, A->damping,     A->adhesion,
                              A->belt,    A->half,     A->stretch,    S->drift,       S->growth};
    if (CALLED(A, terms)(in, out, A->terms_work) || CALLED(A, poses)(in, placed, A->poses_work)) return 1;
    if (A->stretch) set_lengths(A);
    set_paces(A, v);
    if (detect(S, in[4][0])) return 1;
    fill_numbers(S);
    for (int64_t k = 0; k < S->n_contacts; k++) fill_rows(A, v, k);
    return 0;
}

/* Force on each body (of a beam: on all its segments) by its contacts in the last step, in axes of the world. */
static void body_forces(const struct articulated *A, double *force) {
    const struct scene *S = A->scene;
    const double *impulse = A->steps->total + A->steps->row_start[A->steps->n_fixed];
    for (int64_t b = 0; b < S->n_bodies; b++)
        for (int i = 0; i < 3; i++) force[3 * A->force_of[b] + i] = 0.0;
    for (int64_t k = 0; k < S->n_contacts && S->h > 0.0; k++) {
        const int64_t one = S->body[S->pair[k] / S->n_shapes], two = S->body[S->pair[k] % S->n_shapes];
        double ways[6][3];
        contact_axes(S, k, ways);
        for (int w = 0; w < 3; w++)
            for (int i = 0; i < 3; i++) {
                const double f = impulse[S->rows * k + w] * ways[w][i] / S->h;
                if (one >= 0) force[3 * A->force_of[one] + i] += f;
                if (two >= 0) force[3 * A->force_of[two] + i] -= f;
            }
    }
}

/* Whether a step begins where the last one ended; quaternions may have been normalised. */
static int continues(const struct articulated *A, const double *x) {
    for (int64_t i = 0; i < A->steps->nq + A->steps->nv; i++)
        if (!(fabs(x[i] - A->x_after[i]) <= 1e-12 * (1.0 + fabs(x[i])))) return 0;
    return 1;
}

/* A step; one in which a body moves by more than its own size in parts, so that it does not pass through others unseen. */
int articulated_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out) {
    struct articulated *A = (struct articulated *)context;
    struct scene *S = A->scene;
    const int64_t kept = A->steps->nq + A->steps->nv;
    double before[N_FAULTS];
    memcpy(before, A->steps->faults, sizeof before);
    if (!continues(A, x)) S->h = 0.0;
    if (CALLED(A, step)(A->steps, t, h, x, c, p, out)) return 1;
    if (h > 0.0 && S->fastest > 1.0) {
        const int parts = S->fastest < MOST_PARTS ? 1 + (int)S->fastest : MOST_PARTS;
        const int64_t accounted[] = {A->steps->residual_at, A->steps->lowered_at};
        double most[2] = {0.0, 0.0};
        memcpy(out, x, (size_t)A->steps->n * sizeof(double)), memcpy(A->steps->faults, before, sizeof before);
        for (int k = 0; k < parts; k++) {
            memcpy(A->x_after, out, (size_t)A->steps->n * sizeof(double));
            if (CALLED(A, step)(A->steps, t + k * h / parts, h / parts, A->x_after, c, p, out)) return 1;
            for (int i = 0; i < 2; i++) most[i] = fmax(most[i], out[accounted[i]]);
        }
        for (int i = 0; i < 2; i++) out[accounted[i]] = most[i];
    }
    out[A->count_at] = (double)S->n_contacts, out[A->deepest_at] = S->deepest;
    body_forces(A, out + A->force_at);
    memcpy(A->x_after, out, (size_t)kept * sizeof(double));
    return 0;
}

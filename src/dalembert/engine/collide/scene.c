/* Free rigid bodies with shapes, as kernels of a step (stepping/moreau.c).
 *
 * Pairs are data: in the middle of each step boxes along the axes are sorted along the axis of largest spread (the sweep and
 * prune of J. D. Cohen et al., "I-COLLIDE", 1995), manifolds.c finds the contacts of those that overlap, and each contact is a block
 * with the rows of its two bodies. A contact that was there in the last step begins with the forces that it had. */
#define NEAR_POINT 0.2 /* distance of points of one contact in two steps, by the size of the first shape */
#define REACH 1e-4     /* gap [m] up to which contacts are always found */

static void rotation_of(const double *q, double *R) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

/* How far a shape reaches along an axis of the world, from its centre. */
static double half_width(const struct scene *S, int64_t i, int k) {
    const double *size = S->size + 3 * i, *r = S->rotation + 9 * i + 3 * k;
    switch (S->kind[i]) {
    case SPHERE: return size[0];
    case CAPSULE: return size[0] + fabs(r[2]) * size[1];
    case CYLINDER: return size[0] * sqrt(fmax(0.0, 1.0 - r[2] * r[2])) + fabs(r[2]) * size[1];
    case BOX: return fabs(r[0]) * size[0] + fabs(r[1]) * size[1] + fabs(r[2]) * size[2];
    default: return S->reach[i];
    }
}

/* How far a point of a shape may get within h. */
static double way_of(const struct scene *S, const double *x, int64_t i, double h) {
    const int64_t b = S->body[i];
    if (b < 0) return 0.0;
    const double *v = x + 7 * S->n_bodies + 6 * b, arm = length3(S->place + 12 * i) + S->reach[i];
    return h * (length3(v) + arm * length3(v + 3));
}

static void place_shape(struct scene *S, const double *x, int64_t i) {
    const int64_t b = S->body[i];
    const double *at = S->place + 12 * i;
    double *p = S->position + 3 * i, *R = S->rotation + 9 * i, Q[9];
    if (b < 0) {
        memcpy(p, at, 3 * sizeof(double)), memcpy(R, at + 3, 9 * sizeof(double));
        return;
    }
    rotation_of(x + 7 * b + 3, Q);
    for (int j = 0; j < 3; j++) {
        p[j] = x[7 * b + j] + dot3(Q + 3 * j, at);
        for (int k = 0; k < 3; k++) R[3 * j + k] = Q[3 * j] * at[3 + k] + Q[3 * j + 1] * at[6 + k] + Q[3 * j + 2] * at[9 + k];
    }
}

/* Poses of all shapes and their boxes, as far as they may get within h; sorted along the returned axis. */
static int place_shapes(struct scene *S, const double *x, double h, double reach) {
    double sum[3] = {0.0, 0.0, 0.0}, square[3] = {0.0, 0.0, 0.0};
    int axis = 0;
    for (int64_t i = 0; i < S->n_shapes; i++) {
        place_shape(S, x, i);
        double *low = S->low + 3 * i, *high = S->high + 3 * i;
        const double *p = S->position + 3 * i, way = way_of(S, x, i, h) + reach;
        for (int k = 0; k < 3; k++) {
            if (S->kind[i] == HALF_SPACE) {
                const int aligned = S->rotation[9 * i + 3 * k + 2] > 1.0 - 1e-15;
                low[k] = -INFINITY, high[k] = aligned ? p[k] + reach : INFINITY;
                continue;
            }
            const double half = half_width(S, i, k) + way;
            low[k] = p[k] - half, high[k] = p[k] + half;
            sum[k] += p[k], square[k] += p[k] * p[k];
        }
    }
    for (int k = 1; k < 3; k++)
        if (square[k] - sum[k] * sum[k] / (double)S->n_shapes > square[axis] - sum[axis] * sum[axis] / (double)S->n_shapes) axis = k;
    for (int64_t i = 1; i < S->n_shapes; i++) { /* nearly sorted from the last step: insertion */
        const int64_t own = S->order[i];
        int64_t j = i;
        for (; j > 0 && S->low[3 * S->order[j - 1] + axis] > S->low[3 * own + axis]; j--) S->order[j] = S->order[j - 1];
        S->order[j] = own;
    }
    return axis;
}

static int is_excluded(const struct scene *S, int64_t pair) {
    int64_t low = 0, high = S->n_excluded;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (S->excluded[middle] < pair) low = middle + 1;
        else high = middle;
    }
    return low < S->n_excluded && S->excluded[low] == pair;
}

static int are_apart(const struct scene *S, int64_t i, int64_t j, int axis) {
    for (int k = 0; k < 3; k++)
        if (k != axis && (S->low[3 * i + k] > S->high[3 * j + k] || S->low[3 * j + k] > S->high[3 * i + k])) return 1;
    return S->body[i] == S->body[j]; /* one body, or two that do not move */
}

static struct shape shape_of(const struct scene *S, int64_t i) {
    const int64_t *first = S->face_start + i;
    struct shape s = {S->kind[i], S->size + 3 * i, S->position + 3 * i, S->rotation + 9 * i};
    s.n_vertices = S->vertex_start[i + 1] - S->vertex_start[i], s.n_faces = first[1] - first[0];
    s.vertex = S->vertex + 3 * S->vertex_start[i], s.face_normal = S->face_normal + 3 * first[0];
    s.loop_start = S->loop_start + first[0], s.loop = S->loop;
    return s;
}

static int64_t *hash_of(const struct scene *S, const int64_t *pairs, int64_t pair) {
    uint64_t at = (uint64_t)pair * 0x9E3779B97F4A7C15u;
    for (at = (at >> 32) % (uint64_t)S->n_hashes; S->hashes[at] >= 0 && pairs[S->hashes[at]] != pair;)
        at = (at + 1) % (uint64_t)S->n_hashes;
    return S->hashes + at;
}

/* Force of a contact in the last step; zero and 0 if it is new. A force is used once. */
static int last_force(struct scene *S, int64_t pair, const double *local, double size, double *force) {
    double nearest = NEAR_POINT * NEAR_POINT * size * size;
    int64_t best = -1;
    force[0] = force[1] = force[2] = 0.0;
    for (int64_t i = *hash_of(S, S->pair_before, pair); i >= 0 && i < S->n_before && S->pair_before[i] == pair; i++) {
        double d[3];
        minus3(local, S->point_before + 3 * i, d);
        if (dot3(d, d) < nearest) nearest = dot3(d, d), best = i;
    }
    if (best < 0) return 0;
    memcpy(force, S->force_before + 3 * best, 3 * sizeof(double));
    S->point_before[3 * best] = INFINITY;
    return 1;
}

/* All contacts with a gap of less than they may close within h, and their last forces behind the state. */
static void find_contacts(struct scene *S, double reach, double h, const double *x, double *forces) {
    const int axis = place_shapes(S, x, h, reach);
    S->n_contacts = S->full = 0, S->deepest = 0.0, S->fastest = 0.0;
    for (int64_t i = 0; i < S->n_shapes; i++) {
        const double part = S->kind[i] == HALF_SPACE ? 0.0 : 0.5 * way_of(S, x, i, h) / S->inner[i];
        if (part > S->fastest) S->fastest = part, S->fastest_shape = i;
    }
    for (int64_t m = 0; m < S->n_shapes; m++)
        for (int64_t n = m + 1; n < S->n_shapes; n++) {
            int64_t i = S->order[m], j = S->order[n];
            if (S->low[3 * j + axis] > S->high[3 * i + axis]) break;
            if (are_apart(S, i, j, axis)) continue;
            if (i > j) i = S->order[n], j = S->order[m];
            const int64_t pair = i * S->n_shapes + j;
            if (S->n_excluded && is_excluded(S, pair)) continue;
            struct contact c[MOST_POINTS];
            const struct shape a = shape_of(S, i), b = shape_of(S, j);
            const int count = touching(&a, &b, reach + way_of(S, x, i, h) + way_of(S, x, j, h), c);
            const double size = extent_of(a.kind == HALF_SPACE ? &b : &a);
            for (int k = 0; k < count; k++) {
                if (S->n_contacts == S->most_contacts) {
                    S->full = 1;
                    return;
                }
                const int64_t at = S->n_contacts++;
                S->pair[at] = pair, S->gap[at] = c[k].gap, S->deepest = fmin(S->deepest, c[k].gap);
                /* on the moving body, or in the middle: both sides share the line of action, so that angular momentum stays */
                const double side = S->body[j] < 0 ? 0.5 : S->body[i] < 0 ? -0.5 : 0.0;
                for (int q = 0; q < 3; q++) c[k].point[q] += side * c[k].gap * c[k].normal[q];
                memcpy(S->where + 3 * at, c[k].point, sizeof c[k].point);
                memcpy(S->normal + 3 * at, c[k].normal, sizeof c[k].normal);
                into(a.kind == HALF_SPACE ? &b : &a, c[k].point, S->point + 3 * at);
                if (forces) S->known[at] = last_force(S, pair, S->point + 3 * at, size, forces + 3 * at);
            }
        }
}

/* Row of a block: along d at a point, of a body at which it pushes with the sign; velocities are added to u. */
static void row_at(const struct scene *S, const double *x, const double *R, int64_t body, const double *point, const double *d,
                   double sign, double *y, double *u) {
    const double *v = x + 7 * S->n_bodies + 6 * body, *p = x + 7 * body;
    const double r[3] = {point[0] - p[0], point[1] - p[1], point[2] - p[2]};
    double moment[3];
    cross3(r, d, moment);
    for (int k = 0; k < 3; k++) {
        const double turn = R[k] * moment[0] + R[3 + k] * moment[1] + R[6 + k] * moment[2];
        y[k] = sign * d[k] * S->steps->d[6 * body + k], y[3 + k] = sign * turn * S->steps->d[6 * body + 3 + k];
        *u += sign * (d[k] * v[k] + turn * v[3 + k]);
    }
}

/* Rows of a contact. */
static void fill_block(struct scene *S, const double *x, int64_t a, double *Y, double *u) {
    const int64_t pair = S->pair[a], one = S->body[pair / S->n_shapes], two = S->body[pair % S->n_shapes];
    const double *n = S->normal + 3 * a, *point = S->where + 3 * a;
    double ways[3][3], R[9];
    const int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
    const double axis[3] = {least == 0, least == 1, least == 2};
    memcpy(ways[0], n, sizeof ways[0]);
    cross3(n, axis, ways[1]);
    const double length = length3(ways[1]);
    for (int k = 0; k < 3; k++) ways[1][k] /= length, u[k] = 0.0;
    cross3(n, ways[1], ways[2]);
    const int64_t first = one < 0 ? two : two < 0 || one < two ? one : two, last = one < 0 || two < 0 ? -1 : one + two - first;
    const int64_t count = S->count[a] = last < 0 ? 6 : 12;
    for (int side = 0; side < (last < 0 ? 1 : 2); side++) {
        const int64_t body = side ? last : first;
        rotation_of(x + 7 * body + 3, R);
        for (int64_t k = 0; k < 6; k++) S->support[12 * a + 6 * side + k] = 6 * body + k;
        for (int w = 0; w < 3; w++)
            row_at(S, x, R, body, point, ways[w], body == one ? 1.0 : -1.0, Y + w * count + 6 * side, u + w);
    }
}

static void bias_of(const struct scene *S, const double *x, double *b) {
    const double *v = x + 7 * S->n_bodies;
    for (int64_t i = 0; i < S->n_bodies; i++) {
        const double *w = v + 6 * i + 3, *I = S->inertia + 3 * i, momentum[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]};
        for (int k = 0; k < 3; k++) b[6 * i + k] = -S->mass[i] * S->gravity[k];
        cross3(w, momentum, b + 6 * i + 3);
    }
}

/* (t, x, c, p, h) -> L, d, s0, gaps, restitution, friction, bias, -, -, -, Y, u0 */
int scene_terms(const double *const *in, double *const *out, double *work) {
    struct scene *S = (struct scene *)(void *)work;
    const double *x = in[1], h = in[4][0];
    double *d = out[1], *s0 = out[2], *g = out[3], *e = out[4], *mu = out[5], *b = out[6], *Y = out[10], *u0 = out[11];
    bias_of(S, x, b);
    for (int64_t i = 0; i < 6 * S->n_bodies; i++) {
        d[i] = 1.0 / sqrt(i % 6 < 3 ? S->mass[i / 6] : S->inertia[3 * (i / 6) + i % 6 - 3]);
        s0[i] = -h * b[i] * d[i];
    }
    for (int64_t a = 0; a < S->n_contacts; a++) {
        const int64_t i = S->pair[a] / S->n_shapes, j = S->pair[a] % S->n_shapes;
        g[a] = S->gap[a], e[a] = fmin(S->restitution[i], S->restitution[j]), mu[a] = sqrt(S->friction[i] * S->friction[j]);
        fill_block(S, x, a, Y + 36 * a, u0 + 3 * a);
    }
    return 0;
}

/* (t, x, c, p) -> bias */
int scene_bias(const double *const *in, double *const *out, double *work) {
    bias_of((struct scene *)(void *)work, in[1], out[0]);
    return 0;
}

/* (x, d, p) -> q moved by d, v as it is in the axes there */
int scene_move(const double *const *in, double *const *out, double *work) {
    const struct scene *S = (struct scene *)(void *)work;
    const double *x = in[0], *v = x + 7 * S->n_bodies, *d = in[1];
    double *to = out[0], *w = out[1];
    for (int64_t i = 0; i < S->n_bodies; i++) {
        const double *q = x + 7 * i + 3, *turn = d + 6 * i + 3, angle = length3(turn);
        const double half = 0.5 * angle, part = angle > 1e-12 ? sin(half) / angle : 0.5, c = cos(half);
        const double r[4] = {c, part * turn[0], part * turn[1], part * turn[2]};
        double *out_q = to + 7 * i + 3, spin[3], now[4], R[9];
        now[0] = q[0] * r[0] - q[1] * r[1] - q[2] * r[2] - q[3] * r[3];
        now[1] = q[0] * r[1] + q[1] * r[0] + q[2] * r[3] - q[3] * r[2];
        now[2] = q[0] * r[2] - q[1] * r[3] + q[2] * r[0] + q[3] * r[1];
        now[3] = q[0] * r[3] + q[1] * r[2] - q[2] * r[1] + q[3] * r[0];
        const double size = 1.0 / sqrt(now[0] * now[0] + now[1] * now[1] + now[2] * now[2] + now[3] * now[3]);
        rotation_of(r, R);
        for (int k = 0; k < 3; k++) spin[k] = R[k] * v[6 * i + 3] + R[3 + k] * v[6 * i + 4] + R[6 + k] * v[6 * i + 5];
        for (int k = 0; k < 3; k++) {
            to[7 * i + k] = x[7 * i + k] + d[6 * i + k];
            w[6 * i + k] = v[6 * i + k], w[6 * i + 3 + k] = spin[k];
        }
        for (int k = 0; k < 4; k++) out_q[k] = size * now[k];
    }
    return 0;
}

/* No internal states, no work of inputs or losses. */
int scene_finish(const double *const *in, double *const *out, double *work) {
    (void)in, (void)work;
    out[1][0] = out[1][1] = 0.0;
    return 0;
}

/* (t, x, d, p) -> potential energy of a displacement */
int scene_lift(const double *const *in, double *const *out, double *work) {
    const struct scene *S = (struct scene *)(void *)work;
    out[0][0] = 0.0;
    for (int64_t i = 0; i < S->n_bodies; i++) out[0][0] -= S->mass[i] * dot3(S->gravity, in[2] + 6 * i);
    return 0;
}

/* Contacts of the middle of a step that begins in x, with their forces behind it; keeps those of the last step. */
static int scene_detect(struct scene *S, double h, double *x) {
    struct moreau *C = S->steps;
    const int64_t nv = 6 * S->n_bodies, base = 13 * S->n_bodies + 6, nq = 7 * S->n_bodies;
    int64_t *pairs = S->pair_before;
    double *points = S->point_before;
    S->pair_before = S->pair, S->pair = pairs, S->point_before = S->point, S->point = points;
    S->n_before = S->n_contacts;
    memcpy(S->force_before, x + base, (size_t)(3 * S->n_before) * sizeof(double));
    for (int64_t i = 0; i < S->n_hashes; i++) S->hashes[i] = -1;
    for (int64_t i = S->n_before - 1; i >= 0; i--) *hash_of(S, S->pair_before, S->pair_before[i]) = i;
    for (int64_t i = 0; i < nv; i++) S->displacement[i] = 0.5 * h * x[nq + i];
    const double *in[] = {x, S->displacement, 0};
    double *out[] = {S->x_middle, S->x_middle + nq};
    scene_move(in, out, (double *)(void *)S);
    find_contacts(S, REACH, h, S->x_middle, x + base);
    C->n_blocks = S->n_contacts, C->n = base + 3 * S->n_contacts;
    return (int)S->full;
}

/* Some steps of x, into x; 1 + number of the step that failed, else 0. */
int64_t scene_advance(int (*step)(void *, double, double, const double *, const double *, const double *, double *),
                      struct scene *S, double t, double h, int64_t steps, double *x, double *next) {
    for (int64_t k = 0; k < steps; k++) {
        if (scene_detect(S, h, x) || step(S->steps, t + (double)k * h, h, x, 0, 0, next)) return 1 + k;
        memcpy(x, next, (size_t)S->steps->n * sizeof(double));
        for (int64_t i = 0; i < 13 * S->n_bodies; i++)
            if (!isfinite(x[i])) return 1 + k;
    }
    return 0;
}

/* Number of the contacts in q that are nearer than `reach` (-1: too many); they are no part of a run. */
int64_t scene_touching(struct scene *S, const double *x, double reach) {
    find_contacts(S, reach, 0.0, x, 0);
    const int64_t found = S->n_contacts;
    return S->full ? -1 : found;
}

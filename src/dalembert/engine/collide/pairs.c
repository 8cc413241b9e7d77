/* Pairs of shapes that touch, found in every step: they are data.
 *
 * In the middle of each step boxes along the axes are sorted along the axis of largest spread (the sweep and prune of J. D. Cohen et
 * al., "I-COLLIDE", 1995), and manifolds.c finds the contacts of those that overlap. Each contact is a block of a step (stepping/moreau.c)
 * behind those that are always there. A contact that was there in the last step begins with the forces that it had. */
#define NEAR_POINT 0.2 /* distance of points of one contact in two steps, by the size of the first shape */
#define REACH 1e-4     /* gap [m] up to which contacts are always found */
#define STILL_WITHIN 1e-5 /* rotation [rad], or way by the size, in a step, below which rows need not turn */
#define CLOSED 1e-6    /* gap [m] up to which one that was not found before adheres */

/* How far a shape reaches along an axis of the world, from its centre. */
static double half_width(const struct scene *S, int64_t i, int k) {
    const double *size = S->size + 3 * i, *r = S->rotation + 9 * i + 3 * k;
    switch (S->kind[i]) {
    case SPHERE: return size[0];
    case CAPSULE: return size[0] + fabs(r[2]) * size[1];
    case CONE:
    case CYLINDER: return size[0] * sqrt(fmax(0.0, 1.0 - r[2] * r[2])) + fabs(r[2]) * size[1];
    case BOX: return fabs(r[0]) * size[0] + fabs(r[1]) * size[1] + fabs(r[2]) * size[2];
    default: return S->reach[i];
    }
}

/* How far a point of a shape may get within h. */
static double way_of(const struct scene *S, int64_t i, double h) {
    const int64_t b = S->body[i];
    if (b < 0) return 0.0;
    const double arm = length3(S->place + 12 * i) + S->reach[i];
    return h * (S->pace[2 * b] + arm * S->pace[2 * b + 1]);
}

static void place_shape(struct scene *S, int64_t i) {
    const int64_t b = S->body[i];
    const double *at = S->place + 12 * i;
    double *p = S->position + 3 * i, *R = S->rotation + 9 * i;
    if (b < 0) {
        memcpy(p, at, 3 * sizeof(double)), memcpy(R, at + 3, 9 * sizeof(double));
        return;
    }
    const double *from = S->pose + 12 * b, *Q = from + 3;
    for (int j = 0; j < 3; j++) {
        p[j] = from[j] + dot3(Q + 3 * j, at);
        for (int k = 0; k < 3; k++) R[3 * j + k] = Q[3 * j] * at[3 + k] + Q[3 * j + 1] * at[6 + k] + Q[3 * j + 2] * at[9 + k];
    }
}

/* Poses of all shapes and their boxes, as far as they may get within h; sorted along the returned axis. */
static int place_shapes(struct scene *S, double h, double reach) {
    double sum[3] = {0.0, 0.0, 0.0}, square[3] = {0.0, 0.0, 0.0};
    int axis = 0;
    for (int64_t i = 0; i < S->n_shapes; i++) {
        place_shape(S, i);
        double *low = S->low + 3 * i, *high = S->high + 3 * i;
        const double *p = S->position + 3 * i, way = way_of(S, i, h) + reach;
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

/* Nearest of the contacts of a pair in the last step that are not taken, and the square of its distance; -1: none is near. */
static int64_t nearest_before(const struct scene *S, int64_t pair, const double *local, double size, double *square) {
    int64_t best = -1;
    *square = NEAR_POINT * NEAR_POINT * size * size;
    for (int64_t i = *hash_of(S, S->pair_before, pair); i >= 0 && i < S->n_before && S->pair_before[i] == pair; i++) {
        double d[3];
        minus3(local, S->point_before + 3 * i, d);
        if (dot3(d, d) < *square) *square = dot3(d, d), best = i;
    }
    return best;
}

/* Contacts of a pair, the last `count` ones, take the forces that they had in the last step: the two points that are nearest to each
 * other first, whatever their order, so that a pair that is its own mirror image gets the image of its forces. `known` becomes 0 for
 * new ones, 2 for those that pushed or held then. */
static void take_forces(struct scene *S, int64_t count, double size, double *forces) {
    const int64_t first = S->n_contacts - count, pair = S->pair[first];
    int64_t *const known = S->known + S->steps->n_fixed + first, before[MOST_FOUND];
    double square[MOST_FOUND];
    memset(forces + S->rows * first, 0, (size_t)(S->rows * count) * sizeof(double));
    for (int64_t k = 0; k < count; k++)
        before[k] = nearest_before(S, pair, S->point + 3 * (first + k), size, square + k), known[k] = before[k] < 0 ? 0 : -1;
    for (;;) {
        int64_t one = -1;
        for (int64_t k = 0; k < count; k++)
            if (known[k] < 0 && (one < 0 || square[k] < square[one])) one = k;
        if (one < 0) return;
        const int64_t taken = before[one];
        const double *const force = S->force_before + S->rows * taken;
        memcpy(forces + S->rows * (first + one), force, (size_t)S->rows * sizeof(double));
        /* of free bodies one that pushed may open a little: with joints they agree with declared contacts */
        known[one] = force[0] > -S->hold_before[taken] ? (S->mass ? 3 : 2) : 1;
        S->point_before[3 * taken] = INFINITY;
        for (int64_t k = 0; k < count; k++) {
            if (known[k] >= 0 || before[k] != taken) continue;
            before[k] = nearest_before(S, pair, S->point + 3 * (first + k), size, square + k);
            if (before[k] < 0) known[k] = 0;
        }
    }
}

/* Whether two shapes turn and move on so far within h that rows of their contacts turn. */
static int moves_on(const struct scene *S, const struct shape *a, const struct shape *b, int64_t i, int64_t j, double h) {
    double fastest = 0.0;
    const double size = fmin(a->kind == HALF_SPACE ? INFINITY : extent_of(a), b->kind == HALF_SPACE ? INFINITY : extent_of(b));
    for (int side = 0; side < 2; side++) {
        const int64_t body = S->body[side ? j : i];
        if (body >= 0) fastest = fmax(fastest, S->pace[2 * body + 1] + S->pace[2 * body] / size);
    }
    return h * fastest > STILL_WITHIN;
}

/* Rates of the last `count` contacts, those of a pair, as far as they were there in the last step. */
static void turn_contacts(struct scene *S, const struct shape *a, const struct shape *b, int64_t count, const struct contact *c,
                          double h) {
    for (int64_t k = 0, at = S->n_contacts - count; k < count; k++, at++) {
        const int64_t body[2] = {S->body[S->pair[at] / S->n_shapes], S->body[S->pair[at] % S->n_shapes]};
        if (!S->known[S->steps->n_fixed + at]) continue;
        S->turns[at] = turn_rates(S, a, b, body, c + k, h, S->normal_rate + 3 * at, S->point_rate + 3 * at);
    }
}

/* All contacts with a gap of less than they may close within h, where bodies have their `pose` and `pace`, and their last forces. */
static void find_contacts(struct scene *S, double reach, double h, double *forces) {
    const int axis = place_shapes(S, h, reach);
    S->n_contacts = S->full = 0, S->deepest = 0.0, S->fastest = 0.0;
    for (int64_t i = 0; i < S->n_shapes; i++) {
        const double part = S->kind[i] == HALF_SPACE ? 0.0 : 0.5 * way_of(S, i, h) / S->inner[i];
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
            struct contact c[MOST_FOUND];
            const struct shape a = shape_of(S, i), b = shape_of(S, j);
            const int count = touching(&a, &b, reach + way_of(S, i, h) + way_of(S, j, h), c);
            const struct shape *const own = a.kind == HALF_SPACE || a.kind == FIELD ? &b : &a;
            const double size = extent_of(own);
            for (int k = 0; k < count; k++) {
                if (S->n_contacts == S->most_contacts) {
                    S->full = 1;
                    return;
                }
                const int64_t at = S->n_contacts++;
                double *where = S->where + 3 * at;
                S->pair[at] = pair, S->gap[at] = c[k].gap, S->deepest = fmin(S->deepest, c[k].gap), S->turns[at] = 0;
                /* on the moving body, or in the middle: both sides share the line of action, so that angular momentum stays */
                const double side = S->body[j] < 0 ? 0.5 : S->body[i] < 0 ? -0.5 : 0.0;
                for (int q = 0; q < 3; q++) where[q] = c[k].point[q] + side * c[k].gap * c[k].normal[q];
                memcpy(S->normal + 3 * at, c[k].normal, sizeof c[k].normal);
                into(own, where, S->point + 3 * at);
            }
            if (!forces || !count) continue;
            take_forces(S, count, size, forces);
            if (moves_on(S, &a, &b, i, j, h)) turn_contacts(S, &a, &b, count, c, h);
        }
}

/* Contacts of the last step, its length and the forces in it, are those before. */
static void remember_contacts(struct scene *S) {
    struct moreau *C = S->steps;
    const double *impulse = C->total + C->row_start[C->n_fixed];
    S->n_before = S->h > 0.0 ? S->n_contacts : 0;
    memcpy(S->pair_before, S->pair, (size_t)S->n_before * sizeof(int64_t));
    memcpy(S->point_before, S->point, (size_t)(3 * S->n_before) * sizeof(double));
    for (int64_t i = 0; i < S->rows * S->n_before; i++) S->force_before[i] = impulse[i] / S->h;
    for (int64_t i = 0; i < S->n_before; i++) S->hold_before[i] = C->hold ? C->hold[C->n_fixed + i] / S->h : 0.0;
    for (int64_t i = 0; i < S->n_hashes; i++) S->hashes[i] = -1;
    for (int64_t i = S->n_before - 1; i >= 0; i--) *hash_of(S, S->pair_before, S->pair_before[i]) = i;
}

/* Contacts in the middle of a step of length h as blocks behind those that are always there. 1: there are too many. */
static int detect(struct scene *S, double h) {
    struct moreau *C = S->steps;
    const int64_t first = C->row_start[C->n_fixed];
    remember_contacts(S);
    find_contacts(S, REACH, h, C->last + first);
    C->n_blocks = C->n_fixed + S->n_contacts, S->h = h;
    memset(C->total + first, 0, (size_t)(S->rows * S->n_contacts) * sizeof(double));
    return (int)S->full;
}

/* Square of the friction of two shapes along the grain of one of them, and across it. */
static double friction_along(const struct scene *S, int64_t i, int64_t j) { return S->friction[i] * S->friction[j]; }
static double friction_across(const struct scene *S, int64_t i, int64_t j) { return S->across[i] * S->across[j]; }

/* Whether a contact is closed, so that it may adhere: it touches, or it held in the last step and has opened a little since then because
 * its surfaces are curved. */
static int is_closed(const struct scene *S, int64_t k) {
    const int64_t known = S->known[S->steps->n_fixed + k];
    return S->gap[k] <= (known >= 2 ? REACH : known ? S->steps->margin : CLOSED);
}

/* Impulses with which contacts adhere: the larger adhesion of the two shapes, shared by the closed points of the pair. */
static void fill_holds(const struct scene *S) {
    for (int64_t k = 0, end; k < S->n_contacts; k = end) {
        const int64_t pair = S->pair[k], i = pair / S->n_shapes, j = pair % S->n_shapes;
        int64_t closed = 0;
        for (end = k; end < S->n_contacts && S->pair[end] == pair; end++) closed += is_closed(S, end);
        for (int64_t l = k; l < end; l++)
            S->steps->hold[S->steps->n_fixed + l] =
                is_closed(S, l) ? S->h * fmax(S->adhesion[i], S->adhesion[j]) / (double)closed : 0.0;
    }
}

/* Gap, restitution and friction of the contacts, as numbers of their blocks; those of a pair of shapes are the smaller restitution,
 * the geometric mean of both frictions (with a grain, the larger of those along and across it), the larger resistance against
 * rolling and spinning, and the sum of both compliances. */
static void fill_numbers(const struct scene *S) {
    const struct moreau *C = S->steps;
    if (C->hold) fill_holds(S);
    for (int64_t k = 0, a = C->n_fixed; k < S->n_contacts; k++, a++) {
        const int64_t i = S->pair[k] / S->n_shapes, j = S->pair[k] % S->n_shapes;
        C->g[a] = S->gap[k], C->e[a] = fmin(S->restitution[i], S->restitution[j]);
        double *mu = C->mu + C->mu_start[a];
        mu[0] = sqrt(fmax(friction_along(S, i, j), friction_across(S, i, j)));
        if (S->rows == 6) mu[1] = fmax(S->spinning[i], S->spinning[j]), mu[2] = fmax(S->rolling[i], S->rolling[j]);
        if (!C->compliance) continue;
        const double one = S->compliance[i], two = S->compliance[j]; /* in series: each has its part of the depth */
        C->compliance[a] = one + two;
        C->damping[a] = one + two > 0.0 ? (one * S->damping[i] + two * S->damping[j]) / (one + two) : 0.0;
    }
}

/* A vector in the frame of a shape, along d. */
static double along_shape(const struct scene *S, int64_t i, const double *local, const double *d) {
    const double *R = S->rotation + 9 * i;
    return d[0] * dot3(R, local) + d[1] * dot3(R + 3, local) + d[2] * dot3(R + 6, local);
}

/* Axes of the rows of a contact: its normal and two tangents, the first along a grain if there is one, and the same three for
 * moments. Friction that differs along and across a grain is that of one coefficient, the larger one, with the tangent of the
 * smaller one shortened: the cone is an ellipse, and the law the one of largest dissipation. */
static void contact_axes(const struct scene *S, int64_t k, double (*ways)[3]) {
    const double *n = S->normal + 3 * k;
    const int64_t pair = S->pair[k], i = pair / S->n_shapes, j = pair % S->n_shapes;
    const int64_t rough = dot3(S->grain + 3 * i, S->grain + 3 * i) > 0.0 ? i : j;
    const int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
    const double axis[3] = {(double)(least == 0), (double)(least == 1), (double)(least == 2)}, *grain = S->grain + 3 * rough;
    memcpy(ways[0], n, sizeof ways[0]);
    cross3(n, axis, ways[1]);
    if (dot3(grain, grain) > 0.0) {
        double way[3];
        for (int q = 0; q < 3; q++) way[q] = dot3(S->rotation + 9 * rough + 3 * q, grain);
        const double off = dot3(way, n);
        for (int q = 0; q < 3; q++) way[q] -= off * n[q];
        if (length3(way) > 1e-9) memcpy(ways[1], way, sizeof way); /* else it is along the normal: no matter which */
    }
    const double length = length3(ways[1]);
    for (int q = 0; q < 3; q++) ways[1][q] /= length;
    cross3(n, ways[1], ways[2]);
    memcpy(ways[3], ways[0], 9 * sizeof(double));
    const double along = friction_along(S, i, j), across = friction_across(S, i, j);
    if (along == across) return;
    for (int q = 0; q < 3; q++)
        if (along > across) ways[2][q] *= sqrt(across / along);
        else ways[1][q] *= sqrt(along / across);
}

/* Velocity that belts of the two shapes add to that of their contact along its tangents. */
static void contact_belts(const struct scene *S, int64_t k, const double (*ways)[3], double *u, double *driven) {
    const int64_t i = S->pair[k] / S->n_shapes, j = S->pair[k] % S->n_shapes;
    for (int w = 0; w < S->rows; w++) {
        driven[w] = w == 1 || w == 2 ? along_shape(S, i, S->belt + 3 * i, ways[w]) - along_shape(S, j, S->belt + 3 * j, ways[w]) : 0.0;
        u[w] += driven[w];
    }
}

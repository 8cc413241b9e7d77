/* Searches for the forces of blocks, from which their modes are read; after modes.c, complementarity.c.
 *
 * Newton's method is that of P. Alart and A. Curnier (1991): p_n = max(0, p_n - r u_n), and p_t is the projection of
 * p_t - r u_t onto the disc of radius mu p_n; of a rope T_0 = max(0, T_0 - r nu), and T_j is T_j + r w_j, or that of the
 * limits e^kappa T_{j-1}, e^-kappa T_{j-1} which it passes. By pivots friction is a sum of pushes f_j >= 0 along
 * directions d_j, with 0 <= d_j u_t + s and 0 <= mu p_n - sum f_j, each of which is zero or its partner is (D. E. Stewart,
 * J. C. Trinkle, 1996); s is the rate of the slip. For a rope such partners are the distance of tensions from one limit
 * and the slip towards it, and their distance from the other limit and the slip that way.
 */
#define SIDES 8 /* of a cone that is made of planes */
#define CROWD 700 /* unknowns up to which pivots are worth their memory */
#define DIRECTIONS 97
#define NEARLY_JAMMED 1e-4 /* pivot below which a rope without a solution jams: its tensions would be 10,000 times larger */
#define ENUMERATED 9 /* spans up to which all modes of a rope are tried */

/* How much force takes away a unit of velocity, of a cone along its tangents. */
FUNCTION double step_along(const struct blocks *c, int64_t row) { return 1.0 / fmax(diagonal(c, row), NOTHING); }

FUNCTION double step_across(const struct blocks *c, int64_t normal) {
    const double t = fmax(diagonal(c, normal + 1), diagonal(c, normal + 2));
    return t > 0.0 ? 1.0 / fmax(t, NOTHING) : 0.0;
}

FUNCTION double step_of_rope(const struct blocks *c, int64_t i) {
    double most = NOTHING;
    for (int64_t row = c->first[i]; row < c->first[i + 1]; row++) most = fmax(most, diagonal(c, row));
    return 1.0 / most;
}

FUNCTION int64_t one_rope(const struct blocks *c, const struct solution *s, struct memory memory);

/* The problem of one rope with the forces of all other blocks as they are, in memory taken further. */
struct alone {
    struct blocks blocks;
    int64_t law[1], first[2];
};

FUNCTION void leave_alone(const struct blocks *c, int64_t i, const double *p, struct alone *own, struct memory *memory) {
    const int64_t f = c->first[i], m = size_of(c, i), n = c->n;
    double *W = take(memory, m * m), *b = take(memory, m);
    for (int64_t r = 0; r < m; r++) {
        const double *row = c->W + (f + r) * n;
        for (int64_t j = 0; j < m; j++) W[r * m + j] = row[f + j];
        b[r] = dot(row, p, n) + c->b[f + r] - dot(W + r * m, p + f, m);
    }
    own->law[0] = c->law[i], own->first[0] = 0, own->first[1] = m;
    const struct blocks blocks = {1, m, own->law, own->first, W, b, c->mu + f, c->slip + f, c->given + f, 0,
                                  (c->last ? c->last : p) + f, c->lengths ? c->lengths + f : 0};
    own->blocks = blocks;
}

/* Plain projections onto the cones, block by block, and exact solutions of ropes; p changes in place. */
FUNCTION void project_onto(const struct blocks *c, double *p, int64_t sweeps, struct memory memory) {
    const int64_t n = c->n;
    struct solution rope;
    rope.p = take(&memory, n), rope.u = take(&memory, n), rope.modes = take_integers(&memory, n);
    first_modes(c, rope.modes);
    for (int64_t sweep = 0; sweep < sweeps; sweep++)
        for (int64_t i = 0; i < c->k; i++) {
            const int64_t f = c->first[i];
            double *own = p + f;
            if (c->law[i] == ROPE) {
                struct memory rest = memory;
                struct alone single;
                leave_alone(c, i, p, &single, &rest);
                const struct solution made = {rope.p + f, rope.u + f, rope.modes + f};
                if (one_rope(&single.blocks, &made, rest) != SOLVED) continue;
                for (int64_t j = f; j < c->first[i + 1]; j++) p[j] = rope.p[j];
                continue;
            }
            double u[3];
            for (int64_t j = 0; j < size_of(c, i); j++) u[j] = dot(c->W + (f + j) * n, p, n) + c->b[f + j];
            if (c->law[i] == LIMIT) {
                if (is_sliding(c, i)) own[0] = -c->mu[f] * c->slip[f];
                else own[0] = fmin(fmax(own[0] - 0.8 * step_along(c, f) * u[0], -c->mu[f]), c->mu[f]);
                if (!(diagonal(c, f) > 0.0) && !is_sliding(c, i)) own[0] = 0.0;
                continue;
            }
            own[0] = fmax(0.0, own[0] - 0.8 * step_along(c, f) * u[0]);
            if (!has_tangents(c, i)) continue;
            const double limit = c->mu[f] * (own[0] + c->given[f]), r_t = step_across(c, f);
            if (is_sliding(c, i)) {
                own[1] = -limit * c->slip[f + 1], own[2] = -limit * c->slip[f + 2];
                continue;
            }
            const double one = own[1] - 0.8 * r_t * u[1], two = own[2] - 0.8 * r_t * u[2], size = hypot(one, two);
            const double part = size <= limit ? 1.0 : limit / size;
            own[1] = one * part, own[2] = two * part;
        }
}

/* The law of a rope as equations; z has which of them hold: 0 where it is slack or a sheave sticks, 1, -1 where a limit is
 * passed. */
FUNCTION void rope_law(const struct blocks *c, int64_t i, const double *p, const double *u, double *F, double *z) {
    const int64_t f = c->first[i];
    const double r = step_of_rope(c, i);
    double w = u[f];
    for (int64_t row = f + 1; row < c->first[i + 1]; w += u[row++]) {
        const double E = exp(c->mu[row]), most = E * p[row - 1], least = p[row - 1] / E, aim = p[row] + r * w;
        z[row] = sheave_slides(c, row) ? (c->slip[row] > 0.0 ? 1.0 : -1.0) : aim >= most ? 1.0 : aim <= least ? -1.0 : 0.0;
        F[row] = p[row] - (z[row] > 0.0 ? most : z[row] < 0.0 ? least : aim);
    }
    z[f] = p[f] - r * w > 0.0 ? 1.0 : 0.0;
    F[f] = z[f] > 0.0 ? r * w : p[f];
}

FUNCTION void rope_law_derivative(const struct blocks *c, int64_t i, const double *z, double *G) {
    const int64_t f = c->first[i], end = c->first[i + 1], n = c->n;
    const double r = step_of_rope(c, i);
    for (int64_t row = f; row < end; row++) {
        double *g = G + row * n;
        const int summed = row == f ? z[f] > 0.0 : z[row] == 0.0; /* over all spans, or those before the sheave */
        for (int64_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (int64_t span = f; summed && span < (row == f ? end : row); span++) sum += c->W[span * n + j];
            g[j] = summed ? (row == f ? r * sum : -r * sum) : (double)(j == row);
        }
        if (row > f && !summed) g[row - 1] -= exp(z[row] * c->mu[row]);
    }
}

/* The laws as equations F(x) = 0, with z_n, limit, z_t and |z_t| of each cone (5 numbers), and those of limits and ropes,
 * for their derivative. */
FUNCTION double law(const struct blocks *c, const double *x, double *u, double *F, double *z) {
    respond_to(c, x, u);
    for (int64_t i = 0; i < c->k; i++) {
        const int64_t f = c->first[i];
        const double *p = x + f;
        double *own = z + 5 * f;
        if (c->law[i] == ROPE) {
            rope_law(c, i, x, u, F, z + 4 * f); /* a number of each row, from 5 f on */
            continue;
        }
        if (c->law[i] == LIMIT) {
            own[0] = diagonal(c, f) > 0.0 ? p[0] - step_along(c, f) * u[f] : p[0], own[1] = c->mu[f];
            F[f] = p[0] - (is_sliding(c, i) ? -c->mu[f] * c->slip[f] : fmin(fmax(own[0], -own[1]), own[1]));
            continue;
        }
        own[0] = p[0] - step_along(c, f) * u[f];
        F[f] = p[0] - fmax(own[0], 0.0);
        if (!has_tangents(c, i)) continue;
        const double r_t = step_across(c, f);
        own[1] = c->mu[f] * (fmax(own[0], 0.0) + c->given[f]);
        own[2] = p[1] - r_t * u[f + 1], own[3] = p[2] - r_t * u[f + 2];
        own[4] = hypot(own[2], own[3]);
        const double part = own[4] <= own[1] ? 1.0 : own[1] / fmax(own[4], NOTHING);
        for (int j = 0; j < 2; j++) {
            const double aim = is_sliding(c, i) ? -c->mu[f] * (p[0] + c->given[f]) * c->slip[f + 1 + j] : part * own[2 + j];
            F[f + 1 + j] = p[1 + j] - aim;
        }
    }
    return norm(F, c->n);
}

/* Derivative of the laws, row by row: G = 1 - d(aim)/dx. */
FUNCTION void law_derivative(const struct blocks *c, const double *z, double *G) {
    const int64_t n = c->n;
    for (int64_t i = 0; i < c->k; i++) {
        const int64_t f = c->first[i];
        const double *own = z + 5 * f;
        double *g = G + f * n, way[2] = {0.0, 0.0};
        if (c->law[i] == ROPE) {
            rope_law_derivative(c, i, z + 4 * f, G);
            continue;
        }
        if (c->law[i] == LIMIT) {
            const int sticks = !is_sliding(c, i) && own[1] > 0.0 && fabs(own[0]) <= own[1];
            const double r = diagonal(c, f) > 0.0 ? step_along(c, f) : 0.0;
            for (int64_t j = 0; j < n; j++) g[j] = sticks ? r * c->W[f * n + j] : (double)(j == f);
            continue;
        }
        const int pushes = own[0] > 0.0;
        const double r_n = step_along(c, f), r_t = has_tangents(c, i) ? step_across(c, f) : 0.0;
        for (int64_t j = 0; j < n && !has_tangents(c, i); j++)
            g[j] = (j == f) - (pushes ? (j == f) - r_n * c->W[f * n + j] : 0.0);
        if (!has_tangents(c, i)) continue;
        const int slides = is_sliding(c, i), beyond = own[4] > own[1];
        if (beyond) way[0] = own[2] / own[4], way[1] = own[3] / own[4];
        for (int64_t j = 0; j < n; j++) {
            const double d_n = pushes ? (j == f) - r_n * c->W[f * n + j] : 0.0;
            double d_t[2];
            g[j] = (j == f) - d_n;
            for (int t = 0; t < 2; t++) d_t[t] = (j == f + 1 + t) - r_t * c->W[(f + 1 + t) * n + j];
            if (beyond) {
                const double part = own[1] / own[4], along = way[0] * d_t[0] + way[1] * d_t[1];
                for (int t = 0; t < 2; t++) d_t[t] = part * (d_t[t] - way[t] * along) + c->mu[f] * way[t] * d_n;
            }
            for (int t = 0; t < 2; t++) {
                double value = (j == f + 1 + t);
                if (slides) value += j == f ? c->mu[f] * c->slip[f + 1 + t] : 0.0;
                else if (own[1] > 0.0) value -= d_t[t];
                g[(1 + t) * n + j] = value;
            }
        }
    }
}

/* States of blocks with the forces and velocities of a solution. */
FUNCTION void read_modes(const struct blocks *c, const struct solution *s) {
    const double least = 1e-12 * largest_of(s->p, c->n), still = 10.0 * tolerance_of(c);
    for (int64_t i = 0; i < c->k; i++) {
        const int64_t f = c->first[i];
        if (c->law[i] == ROPE) {
            read_rope(c, i, s, least, still);
            continue;
        }
        const double speed = c->law[i] == LIMIT ? fabs(s->u[f]) : has_tangents(c, i) ? hypot(s->u[f + 1], s->u[f + 2]) : 0.0;
        const int slips = is_sliding(c, i) || speed > still;
        const int open = c->law[i] == CONE && !(s->p[f] + c->given[f] > least);
        s->modes[f] = open ? OPEN : c->mu[f] > 0.0 && slips ? SLIP : STICK;
    }
}

/* Newton's method on the laws as equations (Alart and Curnier, 1991), from forces that are nearly right. */
FUNCTION void newton(const struct blocks *c, const double *start, const struct solution *s, struct memory memory) {
    const int64_t n = c->n;
    const double parts[5] = {1.0, 0.5, 0.25, 0.1, 0.02};
    double *x = s->p, *F = take(&memory, n), *z = take(&memory, 5 * n), *G = take(&memory, n * n),
           *step = take(&memory, n), *tried = take(&memory, n), *F_new = take(&memory, n), *z_new = take(&memory, 5 * n);
    for (int64_t i = 0; i < n; i++) x[i] = start[i];
    double size = law(c, x, s->u, F, z);
    for (int round = 0; round < 30; round++) {
        law_derivative(c, z, G);
        for (int64_t i = 0; i < n; i++) F_new[i] = -F[i];
        lstsq(G, n, n, F_new, step, 1e-12, n, memory);
        int better = 0;
        for (int a = 0; a < 5 && !better; a++) {
            for (int64_t i = 0; i < n; i++) tried[i] = x[i] + parts[a] * step[i];
            const double made = law(c, tried, s->u, F_new, z_new);
            if (made < size) size = made, better = 1;
        }
        if (!better) break;
        for (int64_t i = 0; i < n; i++) x[i] = tried[i], F[i] = F_new[i];
        for (int64_t i = 0; i < 5 * n; i++) z[i] = z_new[i];
        if (size <= 1e-15 * norm(x, n)) break;
    }
    respond_to(c, x, s->u);
    read_modes(c, s);
}

/* Unknowns and conditions of a complementary problem at most, of k blocks with n rows. */
static int64_t most_pivoted(int64_t k, int64_t n) {
    const int64_t most = (SIDES + 2) * k + 2 * n;
    return most < CROWD ? most : CROWD;
}

static int64_t pivoted_memory(int64_t k, int64_t n) {
    const int64_t m = most_pivoted(k, n);
    return m * (m + 2) + 2 * m * n + 4 * m + 2 * n + complementary_memory(m) + 32;
}

/* Unknowns z >= 0 of a complementary problem: z pushes along `push` (rows), its partner is the velocity along `against`. */
struct partners {
    int64_t m, *block;
    double *push, *against;
};

/* How many unknowns a rope has, or a cone its normal and then its sides. */
FUNCTION int64_t free_sheaves(const struct blocks *c, int64_t i) {
    int64_t count = 0;
    for (int64_t row = c->first[i] + 1; row < c->first[i + 1]; row++) count += !is_settled(c, row);
    return count;
}

FUNCTION int64_t moving_tangents(const struct blocks *c, int64_t i, int64_t *moves, double *size) {
    const int64_t f = c->first[i];
    int64_t count = 0;
    *size = INFINITY;
    if (c->law[i] == ROPE || is_sliding(c, i) || !(c->mu[f] > 0.0)) return 0;
    const double least = c->law[i] == LIMIT ? 0.0 : 1e-14 * diagonal(c, f);
    for (int64_t j = f + (c->law[i] == CONE); j < c->first[i + 1]; j++)
        if (diagonal(c, j) > least) moves[count++] = j, *size = fmin(*size, 1.0 / sqrt(diagonal(c, j)));
    return count;
}

/* Tensions of a rope by those of its first span and the difference between e^kappa times each and the next one. */
FUNCTION void partners_of_rope(const struct blocks *c, int64_t i, struct partners *q) {
    const int64_t f = c->first[i], end = c->first[i + 1], n = c->n;
    const double size = sqrt(step_of_rope(c, i));
    for (int64_t start = f; start < end; start++) { /* T_0, then this difference at each sheave that may stick */
        double *push = q->push + q->m * n, *against = q->against + q->m * n;
        if (start > f && is_settled(c, start)) continue;
        push[start] = start > f ? -size : size;
        for (int64_t row = start + 1; row < end; row++) {
            const int64_t mode = is_settled(c, row) ? first_mode(c, row) : SLIP;
            push[row] = push[row - 1] * ratio_of(c, row, mode);
        }
        for (int64_t row = f; row < (start > f ? start : end); row++) against[row] = size;
        q->block[q->m++] = i;
    }
}

/* Forces by pivots, with cones of so many sides: exact for ropes and in the plane, elsewhere near enough to begin with. 0:
 * none found. */
FUNCTION int pivoted(const struct blocks *c, double *p, struct memory memory) {
    const int64_t k = c->k, n = c->n;
    int64_t size = 0, moves[2];
    double extent;
    for (int64_t i = 0; i < k; i++) {
        if (c->law[i] == ROPE) size += 1 + 2 * free_sheaves(c, i);
        else {
            const int64_t count = moving_tangents(c, i, moves, &extent);
            size += (c->law[i] == CONE) + (count == 2 ? SIDES + 1 : count == 1 ? 3 : 0);
        }
    }
    if (size > most_pivoted(k, n)) return 0;
    struct partners q;
    q.m = 0, q.block = take_integers(&memory, size), q.push = take(&memory, size * n), q.against = take(&memory, size * n);
    int64_t *normal = take_integers(&memory, k);
    double *right = take(&memory, n), *fixed = take(&memory, n), *z = take(&memory, size),
           scale = fmax(largest_of(c->b, n), NOTHING);
    for (int64_t i = 0; i < k; i++) { /* pushes along the normals, with the friction of pairs that slip already */
        const int64_t f = c->first[i];
        normal[i] = q.m;
        if (c->law[i] == ROPE) continue;
        if (c->law[i] == LIMIT) {
            if (is_sliding(c, i)) fixed[f] = -c->mu[f] * c->slip[f];
            continue;
        }
        double *push = q.push + q.m * n;
        push[f] = q.against[q.m * n + f] = 1.0 / sqrt(fmax(diagonal(c, f), NOTHING));
        for (int64_t j = f + 1; j < f + 3 && is_sliding(c, i); j++)
            push[j] = -push[f] * c->mu[f] * c->slip[j], fixed[j] = -c->mu[f] * c->given[f] * c->slip[j];
        q.block[q.m++] = i;
    }
    for (int64_t i = 0; i < k; i++)
        if (c->law[i] == ROPE) normal[i] = q.m, partners_of_rope(c, i, &q);
    const int64_t first_side = q.m;
    for (int64_t i = 0; i < k; i++) { /* pushes along the sides of cones; their limits come last */
        const int64_t count = moving_tangents(c, i, moves, &extent), sides = count == 2 ? SIDES : 2;
        for (int64_t side = 0; count && side < sides; side++, q.m++) {
            const double angle = 2.0 * 3.14159265358979323846 * (double)side / (double)sides;
            double *push = q.push + q.m * n;
            q.block[q.m] = i;
            push[moves[0]] = extent * cos(angle);
            if (count == 2) push[moves[1]] = extent * sin(angle);
            for (int64_t j = 0; j < count; j++) q.against[q.m * n + moves[j]] = push[moves[j]];
        }
    }
    const int64_t m = q.m, width = size + 2;
    double *T = take(&memory, size * width);
    respond_to(c, fixed, right);
    for (int64_t r = 0; r < m; r++) {
        const double *a = q.against + r * n;
        const int64_t f = c->first[q.block[r]], end = c->first[q.block[r] + 1];
        for (int64_t j = 0; j < m; j++) {
            const int64_t own = c->first[q.block[j]], rows = size_of(c, q.block[j]);
            double s = 0.0;
            for (int64_t t = f; t < end; t++)
                if (a[t] != 0.0) s += a[t] * dot(c->W + t * n + own, q.push + j * n + own, rows);
            T[r * width + j] = s;
        }
        T[r * width + size + 1] = dot(a + f, right + f, end - f) / scale;
    }
    int64_t r = m; /* conditions on forces, of which the partners are rates of slips */
    for (int64_t i = 0; i < k; i++) {
        if (c->law[i] != ROPE) continue;
        int64_t own = normal[i] + 1;
        for (int64_t row = c->first[i] + 1; row < c->first[i + 1]; row++) {
            if (is_settled(c, row)) continue;
            const double E = exp(c->mu[row]), per = 1.0 / sqrt(step_of_rope(c, i));
            for (int64_t j = normal[i]; j < first_side && q.block[j] == i; j++)
                T[r * width + j] = (E * q.push[j * n + row] - q.push[j * n + row - 1]) * per;
            T[own * width + r] = 1.0, own++, r++;
        }
    }
    for (int64_t j = first_side, limit = -1; j < m; j++) {
        if (j == first_side || q.block[j] != q.block[j - 1]) {
            const int64_t i = q.block[j], f = c->first[i];
            const double length = norm(q.push + j * n + f, size_of(c, i));
            limit = r++;
            if (c->law[i] == CONE) T[limit * width + normal[i]] = c->mu[f] * q.push[normal[i] * n + f] / length;
            T[limit * width + size + 1] = c->mu[f] * (c->law[i] == CONE ? c->given[f] : 1.0) / length / scale;
        }
        T[j * width + limit] = 1.0, T[limit * width + j] = -1.0;
    }
    if (!complementary(T, size, z, memory)) return 0;
    for (int64_t i = 0; i < n; i++) p[i] = fixed[i];
    for (int64_t j = 0; j < m; j++)
        for (int64_t t = c->first[q.block[j]]; t < c->first[q.block[j] + 1]; t++) p[t] += scale * z[j] * q.push[j * n + t];
    return 1;
}

/* Forces of a rope with these modes if they obey its law. */
FUNCTION int rope_fits(const struct blocks *c, const struct solution *s, struct memory memory) {
    linear(c, s->modes, c->last, 0, 0, s->p, memory);
    respond_to(c, s->p, s->u);
    return s->p[0] > 0.0 && fault_of(c, s, memory) <= 10.0 * tolerance_of(c);
}

/* Change the mode of the sheave that breaks its law most; 0 if none does. */
FUNCTION int change_worst(const struct blocks *c, const struct solution *s) {
    const double length = 1.0 / step_of_rope(c, 0), slack = 1e-12 * largest_of(s->p, c->n), still = tolerance_of(c);
    double worst = 0.0, w = s->u[0];
    int64_t at = -1, mode = STICK;
    for (int64_t row = 1; row < c->n; w += s->u[row++]) {
        const double E = exp(c->mu[row]), up = s->p[row] - E * s->p[row - 1], down = s->p[row - 1] - E * s->p[row];
        if (is_settled(c, row)) continue;
        if (s->modes[row] == STICK) {
            const int slides = fabs(w) > still; /* a span that cannot keep its length must slip */
            const double lack = slides ? fabs(w) : length * (fmax(up, down) - slack);
            if (lack > worst) worst = lack, at = row, mode = (slides ? w > 0.0 : up > down) ? SLIP : BACK;
        } else {
            const double back = s->modes[row] == SLIP ? -w : w;
            if (back > still && back > worst) worst = back, at = row, mode = STICK;
        }
    }
    if (at >= 0) s->modes[at] = mode;
    return at >= 0;
}

/* The next modes of the sheaves of a rope, as digits of a number; 0 after the last. */
FUNCTION int next_modes(const struct blocks *c, int64_t i, int64_t *modes) {
    for (int64_t row = c->first[i] + 1; row < c->first[i + 1]; row++) {
        if (is_settled(c, row)) continue;
        if (modes[row] != BACK) return modes[row]++, 1;
        modes[row] = STICK;
    }
    return 0;
}

/* Row of the sheave at which a rope jams that has no forces: with the modes that are tried first, else with others. */
FUNCTION int64_t jam_of(const struct blocks *c, int64_t i, int64_t *modes, struct memory memory) {
    for (int pass = 0; pass < 2; pass++) {
        first_modes(c, modes);
        for (int more = 1; more; more = size_of(c, i) <= ENUMERATED && next_modes(c, i, modes)) {
            const int64_t row = sheave_with_pivot(c, i, modes, pass ? NEARLY_JAMMED : RANK_TOLERANCE, memory);
            if (row >= 0) return row;
        }
    }
    return -1;
}

/* Forces of one rope, SOLVED or 0, from the given modes: changed one by one, then by pivots, then all of them. */
FUNCTION int64_t one_rope(const struct blocks *c, const struct solution *s, struct memory memory) {
    const int64_t n = c->n;
    double total = 0.0;
    for (int64_t i = 0; i < n; i++) total += c->b[i];
    if (s->modes[0] == OPEN) first_modes(c, s->modes);
    for (int64_t round = 0; round < 4 * n; round++) {
        if (rope_fits(c, s, memory)) return SOLVED;
        if (!round && total >= 0.0) { /* it is slack */
            for (int64_t i = 0; i < n; i++) s->p[i] = 0.0, s->u[i] = c->b[i], s->modes[i] = OPEN;
            return SOLVED;
        }
        if (!change_worst(c, s)) break;
    }
    if (pivoted(c, s->p, memory)) {
        respond_to(c, s->p, s->u);
        read_modes(c, s);
        if (s->modes[0] != OPEN && rope_fits(c, s, memory)) return SOLVED;
    }
    first_modes(c, s->modes);
    for (int more = n <= ENUMERATED; more; more = next_modes(c, 0, s->modes))
        if (rope_fits(c, s, memory)) return SOLVED;
    first_modes(c, s->modes);
    linear(c, s->modes, c->last, 0, 0, s->p, memory);
    respond_to(c, s->p, s->u);
    return 0;
}

/* Force of a pair with friction against the direction d that stops the normal motion, and the resulting motion; its
 * normal part is NaN where there is none. */
FUNCTION void slip_state(const double *W, const double *b, double mu, double given, const double *d, double *p,
                         double *u) {
    const double push = W[1] * d[0] + W[2] * d[1], pivot = W[0] - mu * push;
    p[0] = pivot > 0.0 ? fmax(0.0, -(b[0] - mu * given * push) / pivot) : NAN;
    for (int j = 0; j < 2; j++) p[1 + j] = -mu * (p[0] + given) * d[j];
    for (int j = 0; j < 2; j++) u[j] = b[1 + j] + p[0] * W[3 * (1 + j)] + p[1] * W[3 * (1 + j) + 1] + p[2] * W[3 * (1 + j) + 2];
}

/* Force of a pair that slips: of all directions the one in which it then moves. 0 if there is none. */
FUNCTION int slipping(const double *W, const double *b, double mu, double given, int spatial, double *force) {
    double p[3], u[2], d[2], fastest = -INFINITY, last_across = NAN, last_along = NAN, last_angle = 0.0;
    int found = 0;
    if (!spatial) {
        const double least = -1e-14 * largest_of(b, 3);
        for (int side = 1; side >= -1; side -= 2) {
            d[0] = W[4] >= W[8] ? side : 0.0, d[1] = W[4] >= W[8] ? 0.0 : side;
            slip_state(W, b, mu, given, d, p, u);
            const double speed = u[0] * d[0] + u[1] * d[1];
            if (isfinite(p[0]) && speed >= least && speed > fastest) {
                fastest = speed, found = 1;
                for (int j = 0; j < 3; j++) force[j] = p[j];
            }
        }
        return found;
    }
    const double pi = 3.14159265358979323846;
    for (int a = 0; a < DIRECTIONS; a++) {
        const double angle = a == DIRECTIONS - 1 ? pi : -pi + a * (2.0 * pi / (DIRECTIONS - 1));
        d[0] = cos(angle), d[1] = sin(angle);
        slip_state(W, b, mu, given, d, p, u);
        const double across = u[0] * d[1] - u[1] * d[0], along = u[0] * d[0] + u[1] * d[1];
        if (a && isfinite(across) && isfinite(last_across) && !(across * last_across > 0.0) &&
            (along > 0.0 || last_along > 0.0)) {
            double low = last_angle, high = angle;
            for (int halving = 0; halving < 60; halving++) {
                const double middle = 0.5 * (low + high);
                d[0] = cos(middle), d[1] = sin(middle);
                slip_state(W, b, mu, given, d, p, u);
                if ((u[0] * d[1] - u[1] * d[0]) * last_across > 0.0) low = middle;
                else high = middle;
            }
            const double speed = u[0] * d[0] + u[1] * d[1];
            if (speed > 0.0 && speed > fastest) {
                fastest = speed, found = 1;
                for (int j = 0; j < 3; j++) force[j] = p[j];
            }
        }
        last_across = across, last_along = along, last_angle = angle;
    }
    return found;
}

/* Force of one cone with friction, all others known; returns its mode, -1: no force fulfils the laws. */
FUNCTION int64_t one_cone(const double *W, const double *b, double mu, const double *slip, double given, double *force,
                          struct memory memory) {
    force[0] = force[1] = force[2] = 0.0;
    if (W[0] <= 0.0) return OPEN;
    if (isfinite(slip[0])) {
        const double push = W[1] * slip[0] + W[2] * slip[1], pivot = W[0] - mu * push, bn = b[0] - mu * given * push;
        if (pivot <= 0.0 && bn < 0.0) return -1;
        force[0] = pivot > 0.0 ? fmax(0.0, -bn / pivot) : 0.0;
        for (int j = 0; j < 2; j++) force[1 + j] = -mu * (force[0] + given) * slip[j];
        return force[0] + given > 0.0 ? SLIP : OPEN;
    }
    if (b[0] >= 0.0 && given == 0.0) return OPEN;
    int rows[3] = {0, 0, 0}, count = 1;
    double A[9], right[3], stuck[3];
    for (int j = 1; j < 3; j++)
        if (W[4 * j] > 1e-14 * W[0]) rows[count++] = j;
    for (int i = 0; i < count; i++) {
        right[i] = -b[rows[i]];
        for (int j = 0; j < count; j++) A[i * count + j] = W[3 * rows[i] + rows[j]];
    }
    lstsq(A, count, count, right, stuck, 1e-15, count, memory);
    for (int i = 0; i < count; i++) force[rows[i]] = stuck[i];
    if (force[0] >= 0.0 && hypot(force[1], force[2]) <= mu * (force[0] + given)) return STICK;
    if (force[0] < 0.0 && given > 0.0 && count > 1) { /* it parts, and the given push holds it across */
        const int across = count - 1;
        for (int i = 0; i < across; i++)
            for (int j = 0; j < across; j++) A[i * across + j] = W[3 * rows[1 + i] + rows[1 + j]];
        lstsq(A, across, across, right + 1, stuck, 1e-15, across, memory);
        force[0] = force[1] = force[2] = 0.0;
        for (int i = 0; i < across; i++) force[rows[1 + i]] = stuck[i];
        if (b[0] + W[1] * force[1] + W[2] * force[2] >= 0.0 && hypot(force[1], force[2]) <= mu * given) return STICK;
    }
    if (!slipping(W, b, mu, given, count == 3, force)) return -1;
    return force[0] + given > 0.0 ? SLIP : OPEN;
}

/* Force of a limit, all others known; returns its mode. */
FUNCTION int64_t one_limit(double W, double b, double limit, double slip, double *force) {
    if (isfinite(slip)) return *force = -limit * slip, SLIP;
    *force = 0.0;
    if (!(W > 0.0)) return STICK;
    *force = fmin(fmax(-b / W, -limit), limit);
    return fabs(b / W) <= limit ? STICK : SLIP;
}

/* One round over all blocks, each solved with the forces of the others as they are; returns the block that has none. */
FUNCTION int64_t sweep_over(const struct blocks *c, double *p, int64_t *modes, double *change, struct memory memory) {
    *change = 0.0;
    for (int64_t i = 0; i < c->k; i++) {
        const int64_t f = c->first[i], m = size_of(c, i);
        struct memory rest = memory;
        struct alone own;
        leave_alone(c, i, p, &own, &rest);
        double *force = take(&rest, m), *u = take(&rest, m);
        const double *W = own.blocks.W, *b = own.blocks.b;
        if (c->law[i] == ROPE) {
            const struct solution made = {force, u, modes + f};
            if (one_rope(&own.blocks, &made, rest) != SOLVED) return i;
        } else if (c->law[i] == LIMIT) modes[f] = one_limit(W[0], b[0], c->mu[f], c->slip[f], force);
        else if (!rubs_at(c, i)) {
            modes[f] = W[0] > 0.0 && b[0] < 0.0 ? STICK : OPEN;
            force[0] = modes[f] == STICK ? -b[0] / W[0] : 0.0;
        } else modes[f] = one_cone(W, b, c->mu[f], c->slip + f + 1, c->given[f], force, rest);
        if (modes[f] < 0) return i;
        for (int64_t j = 0; j < m; j++) {
            *change = fmax(*change, fabs(force[j] - p[f + j]));
            p[f + j] = force[j];
        }
    }
    return SOLVED;
}

/* Blocks of unilateral rows, and their laws: the demands of each, and by how much forces break it; after
 * constraint_algebra.c.
 *
 * All is a question about the relative velocities (at an impact) or accelerations (in sustained contact) of k blocks,
 *     u = W p + b,   W = A M^-1 A^T,
 * with rows A (those of constraints that hold are eliminated in W and b), and impulses or forces p:
 *
 *     law    rows    u and p obey
 *     CONE   1 or 3  0 <= p_n,  u_n >= 0,  p_n u_n = 0;  |p_t| <= mu (p_n + given),
 *                    u_t = 0  or  p_t = -mu (p_n + given) u_t / |u_t|
 *     LIMIT  1       |p| <= mu,  u = 0  or  p = -mu sign(u)
 *     ROPE   n       that of a rope over sheaves (ropes.c)
 *
 * A cone has a normal and two tangents, or the normal alone: a contact, or a cable that only pulls. A joint that sticks
 * is a LIMIT.
 *
 * A pair is jammed where it slips so that no push of its own would part it: W_nn - mu W_nt d is not positive. Forces grow
 * without bounds where this pivot vanishes, and beyond they would press the bodies together (P. Painleve, 1895): such a
 * pair may open, or its slip is stopped at once.
 */
enum { CONE = 0, LIMIT = 1, ROPE = 2 };
enum { OPEN = 0, STICK = 1, SLIP = 2, BACK = 3 };
enum { SOLVED = -1 }; /* else: the block at which no forces fulfil the laws */

#define TIGHT 1e-11
#define INNER (1.0 - 1e-9)
#define LEAST 1e-12
#define YIELDS 1e-6

/* The problem. Numbers are those of rows: of a cone `mu` and `given` stand at its normal and `slip`, the direction in
 * which it slips already (NaN: it does not), at its tangents. */
struct blocks {
    int64_t k, n;               /* blocks, rows */
    const int64_t *law, *first; /* of each block its law and first row; first[k] = n */
    const double *W, *b, *mu, *slip, *given;
    const int64_t *yields; /* blocks at rest that leave friction to others if these can bear it; 0: none */
    const double *last;    /* forces from which those that are indeterminate differ least; 0: none */
    const double *lengths; /* of spans of ropes: the weights of these differences; 0: all alike */
};

/* Forces or impulses p, relative velocities u, the mode of each block (at its first row; of a rope also those of its
 * sheaves), all by rows. */
struct solution {
    double *p, *u;
    int64_t *modes;
};

FUNCTION int64_t size_of(const struct blocks *c, int64_t i) { return c->first[i + 1] - c->first[i]; }

FUNCTION double tolerance_of(const struct blocks *c) { return TIGHT * largest_of(c->b, c->n) + NOTHING; }

/* u = W p + b */
FUNCTION void respond_to(const struct blocks *c, const double *p, double *u) {
    multiply(c->W, c->n, c->n, p, u);
    for (int64_t i = 0; i < c->n; i++) u[i] += c->b[i];
}

FUNCTION double diagonal(const struct blocks *c, int64_t row) { return c->W[row * c->n + row]; }

/* Whether a block has tangents, and friction along them. */
FUNCTION int has_tangents(const struct blocks *c, int64_t i) { return c->law[i] == CONE && size_of(c, i) == 3; }

FUNCTION int rubs_at(const struct blocks *c, int64_t i) { return has_tangents(c, i) && c->mu[c->first[i]] > 0.0; }

/* Whether a cone or a limit slips already. */
FUNCTION int is_sliding(const struct blocks *c, int64_t i) {
    if (c->law[i] == LIMIT) return isfinite(c->slip[c->first[i]]);
    return has_tangents(c, i) && isfinite(c->slip[c->first[i] + 1]);
}

/* Whether a cone slips so that no push of its own would part it (Painleve). */
FUNCTION int is_jammed_cone(const struct blocks *c, int64_t i) {
    const int64_t f = c->first[i];
    if (!has_tangents(c, i) || !is_sliding(c, i)) return 0;
    const double *row = c->W + f * (c->n + 1);
    return row[0] - c->mu[f] * (row[1] * c->slip[f + 1] + row[2] * c->slip[f + 2]) <= RANK_TOLERANCE * row[0];
}

FUNCTION double cone_fault(const struct blocks *c, int64_t i, const struct solution *s, double slack) {
    const int64_t f = c->first[i];
    const double *p = s->p + f, *u = s->u + f, length = diagonal(c, f);
    double worst = fmax(fabs(fmin(p[0] * length, u[0])), -u[0]);
    if (!has_tangents(c, i)) return worst;
    const double limit = c->mu[f] * (p[0] + c->given[f]), size = hypot(u[1], u[2]), push = hypot(p[1], p[2]);
    if (is_jammed_cone(c, i)) worst = fmax(worst, length * p[0]);
    worst = fmax(worst, length * (push - limit - slack));
    if (c->mu[f] > 0.0 && !is_sliding(c, i) && size > 0.0)
        worst = fmax(worst, fmin(size, length * fabs((u[1] * p[1] + u[2] * p[2]) / size + limit)));
    return worst;
}

FUNCTION double limit_fault(const struct blocks *c, int64_t i, const struct solution *s, double slack) {
    const int64_t f = c->first[i];
    const double p = s->p[f], u = s->u[f], limit = c->mu[f], length = diagonal(c, f);
    double worst = length * (fabs(p) - limit - slack);
    if (limit > 0.0 && !is_sliding(c, i) && u != 0.0)
        worst = fmax(worst, fmin(fabs(u), length * fabs((u < 0.0 ? -p : p) + limit)));
    return worst;
}

/* The algebra of transitions by itself, for comparisons (algebra.py); after unilateral.c. */

/* Forces of blocks. `sheave` gets the row of the sheave at which a rope jams where there are none, else -1. */
int64_t algebra_solve_blocks(int64_t k, const int64_t *law, const int64_t *first, const double *W, const double *b,
                             const double *mu, const double *slip, const double *given, const double *last,
                             const double *lengths, double *p, double *u, int64_t *modes, int64_t *sheave, double *work) {
    const struct blocks c = {k, first[k], law, first, W, b, mu, slip, given, 0, last, lengths};
    const struct solution s = {p, u, modes};
    const struct memory memory = {work};
    const int64_t bad = solve_blocks(&c, &s, memory);
    *sheave = bad == SOLVED || law[bad] != ROPE ? -1 : jam_of(&c, bad, modes, memory);
    return bad;
}

int64_t algebra_strike(int64_t k, const int64_t *law, const int64_t *first, const double *W, const double *u,
                       const double *e, const double *mu, const int64_t *poisson, double *p, double *factor, double *lost,
                       double *work) {
    const struct impact impact = {k, first[k], law, first, poisson, W, u, e, mu};
    const struct memory memory = {work};
    return strike(&impact, p, factor, lost, memory);
}

/* All of m rows, with factors in the memory given. 0 = ok. */
static int mass_with(struct mass *Q, int64_t **rows, int64_t nv, int64_t m, const double *M, const double *J,
                     struct memory *memory) {
    Q->nv = nv, Q->m = m, Q->M = M, Q->J = J, Q->R = take(memory, nv * nv), Q->Y = take(memory, nv * m);
    *rows = take_integers(memory, m);
    for (int64_t i = 0; i < m; i++) (*rows)[i] = i;
    return factorise_mass(Q);
}

int64_t algebra_least_constraint(int64_t nv, int64_t m, const double *M, const double *force, const double *J,
                                 const double *gamma, const int64_t *pulls, double tolerance, double *a,
                                 double *multipliers, double *opening, int64_t *feasible, double *work) {
    struct memory memory = {work};
    struct mass Q;
    int64_t *rows;
    if (mass_with(&Q, &rows, nv, m, M, J, &memory)) return 1;
    *feasible = least_constraint(&Q, force, rows, m, gamma, pulls, tolerance, a, multipliers, opening, memory);
    return 0;
}

int64_t algebra_minimum_norm(int64_t nv, int64_t m, const double *M, const double *force, const double *J,
                             const double *gamma, double *a, double *multipliers, double *work) {
    struct memory memory = {work};
    struct mass Q;
    int64_t *rows;
    if (mass_with(&Q, &rows, nv, m, M, J, &memory)) return 1;
    minimum_norm(&Q, force, rows, m, gamma, a, multipliers, memory);
    return 0;
}

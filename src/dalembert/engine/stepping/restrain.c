/* Restitution that would add energy, with one member: lowered by one factor, of all contacts of an island, to the largest at
 * which these take as much as they give, as at located impacts (unilateral/forces.c). Newton's restitution with friction may
 * return more than it took (T. R. Kane, D. A. Levinson, "Dynamics: Theory and Applications", 1985). */
enum { HALVINGS = 40 };

/* Energy that the blocks of an island give in the step, and its scale. */
static double given_by(const struct moreau *C, const int64_t *block, int64_t n, double *scale) {
    double sum = 0.0;
    *scale = 0.0;
    for (int64_t k = 0; k < n; k++) sum += block_share(C, block[k], scale);
    return sum;
}

/* Impulses of an island with its rebounds at a part of `full`; returns the energy that they add. */
static double at_part(struct moreau *C, int64_t *block, int64_t n, const double *full, double part, double *scale,
                      double *sweeps) {
    int64_t *all = C->active, n_all = C->n_active;
    for (int64_t k = 0; k < n; k++) {
        C->bounce[block[k]] = part * full[k];
        for (int64_t i = 0; i < COUNT(block[k]); i++) C->s[AT(block[k])[i]] = C->start[AT(block[k])[i]]; /* of IMPULSES */
    }
    C->active = block, C->n_active = n;
    SOLVE(C, 1, sweeps);
    C->active = all, C->n_active = n_all;
    return given_by(C, block, n, scale);
}

static int restrain(struct moreau *C, double *sweeps) {
    int64_t *label = C->restrained, *order = label + C->nv, *ends = order + C->n_blocks;
    const int64_t count = islands_of(C, label, order, ends);
    double *full = C->full;
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = i ? ends[i - 1] : 0, n = ends[i] - first;
        int64_t *block = order + first;
        double scale, low = 0.0, high = 1.0;
        int rebounds = 0;
        for (int64_t k = 0; k < n; k++) full[k] = C->bounce[block[k]], rebounds |= full[k] < 0.0;
        const double gained = rebounds ? given_by(C, block, n, &scale) : 0.0;
        if (!rebounds || !(gained > GIVES * scale)) continue;
        /* energy that is added without any rebound belongs to the step, not to restitution */
        const double none = at_part(C, block, n, full, 0.0, &scale, sweeps), most = larger(none, 0.0);
        for (int halving = 0; halving < HALVINGS; halving++) {
            const double middle = 0.5 * (low + high), given = at_part(C, block, n, full, middle, &scale, sweeps);
            if (given <= most + 0.01 * GIVES * scale) low = middle;
            else high = middle;
        }
        at_part(C, block, n, full, low, &scale, sweeps);
        C->lowered = fmax(C->lowered, 1.0 - low);
    }
    return 0;
}

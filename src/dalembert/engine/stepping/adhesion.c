/* Adhesion, with one member: a contact that is closed pulls with up to a force A before it opens.
 *
 * In terms of x_n + h A in the place of x_n the laws are those of laws.h: 0 <= x_n + h A, u_n >= 0, one of them zero, and friction (and
 * moments against rolling and spinning) of at most mu (x_n + h A). So a step solves for these, with the pull -h A of both sides on each
 * other among the other impulses, and takes it away again. While it is closed the pull does no work. In the step in which it opens, it
 * works against the motion. */

/* Pull the two sides of contacts that adhere to each other. */
static void pull_together(struct moreau *C) {
    for (int64_t k = 0; k < C->n_active; k++) {
        const int64_t a = C->active[k];
        double pull[MOST_ROWS] = {0.0};
        pull[0] = -C->hold[a];
        if (pull[0] < 0.0) block_push(C, a, 1, pull, C->s0);
    }
}

/* Add a part of the pulls to the impulses of the contacts. */
static void shift_impulses(struct moreau *C, double part) {
    for (int64_t k = 0; k < C->n_active; k++) C->x[ROW(C->active[k])] += part * C->hold[C->active[k]];
}

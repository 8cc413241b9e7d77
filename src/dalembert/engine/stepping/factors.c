/* Linear equations of velocities that contacts connect, with one member: a sparse matrix in blocks of nodes.
 *
 * A node is a run of velocities that the blocks of an island never part: of free bodies, their six. Nodes that a block acts on
 * are neighbours. They are eliminated in the order of least degree, so that a row of dominoes is a band and a wall is not filled
 * (A. George, J. W. H. Liu, SIAM Review 31 (1989) 1-19). The pattern is symmetric, values need not be; pivots are searched for within
 * a node only. */
#define FILL 24  /* blocks beside the diagonal that there is room for, by the number of nodes */
#define CHORD 0.2 /* by which a step with older factors must reduce the error */
enum { LARGEST = 24, WIDEST = 128 }; /* velocities of a node, of a block */
#define WORTH 40 /* products of blocks in an elimination, by the number of contacts, above which sweeps are cheaper */

/* Memory: see _make_room of native.py. Nodes are numbered in the order of elimination once that is known. */
struct factors {
    int64_t n, most, room;                     /* nodes; blocks beside the diagonal and numbers that there is room for */
    int64_t work;                              /* products of blocks in an elimination */
    int64_t *node, *first, *size, *start, *index; /* of a velocity; of a node its first velocity, size, and its later neighbours */
    int64_t *own, *beside;                     /* where values begin: on the diagonal; below it (those above it follow) */
    int64_t *place, *bits;
    double *value;
};

static struct factors factors_of(const struct moreau *C) {
    const int64_t nv = C->nv, most = FILL * C->n_nodes;
    int64_t *at = C->nodes;
    struct factors N = {0};
    N.most = most, N.room = C->n_factors, N.node = at, N.value = C->factors;
    at += nv + 1, N.first = at, at += C->n_nodes + 1, N.size = at, at += C->n_nodes + 1, N.start = at, at += C->n_nodes + 1;
    N.own = at, at += C->n_nodes + 1, N.place = at, at += C->n_nodes + 1, N.index = at, at += most, N.beside = at, at += most;
    N.bits = at;
    return N;
}

static int64_t ones_of(const uint64_t *bits, int64_t words) {
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1) count++;
    return count;
}

/* Place of the first of the nodes that are left with the fewest neighbours. */
static int64_t least_degree(const int64_t *degree, const int64_t *done, int64_t n) {
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++)
        if (!done[i] && (best < 0 || degree[i] < degree[best])) best = i;
    return best;
}

/* Nodes of an island, their order and pattern. 0 where there is no room, or sweeps are cheaper. */
static int factors_plan(const struct moreau *C, struct factors *N, const int64_t *block, int64_t n) {
    enum { USED = 1, BEGINS = 2 };
    int64_t *const mark = N->node;
    memset(mark, 0, (size_t)(C->nv + 1) * sizeof(int64_t));
    for (int64_t k = 0; k < n; k++) {
        const int64_t *const at = AT(block[k]), count = COUNT(block[k]);
        for (int64_t i = 0; i < count; i++) {
            mark[at[i]] |= USED;
            if (i == 0 || at[i] != at[i - 1] + 1) mark[at[i]] |= BEGINS;
            if (i + 1 == count || at[i + 1] != at[i] + 1) mark[at[i] + 1] |= BEGINS;
        }
    }
    N->n = 0;
    for (int64_t i = 0; i < C->nv; i++) {
        const int64_t is = mark[i];
        N->node[i] = -1;
        if (!(is & USED)) continue;
        if (is & BEGINS) {
            if (N->n == C->n_nodes) return 0;
            N->first[N->n] = i, N->size[N->n++] = 0;
        }
        if (++N->size[N->n - 1] > LARGEST) return 0;
        N->node[i] = N->n - 1;
    }
    const int64_t nodes = N->n, words = nodes / 64 + 1;
    int64_t *degree = N->start, *done = N->own, *place = N->place;
    uint64_t *const bits = (uint64_t *)N->bits;
    memset(bits, 0, (size_t)(nodes * words) * sizeof(uint64_t));
    for (int64_t k = 0; k < n; k++) {
        const int64_t *const at = AT(block[k]), count = COUNT(block[k]);
        for (int64_t i = 0; i < count; i += N->size[N->node[at[i]]])
            for (int64_t j = 0; j < count; j += N->size[N->node[at[j]]])
                if (i != j) bits[N->node[at[i]] * words + N->node[at[j]] / 64] |= (uint64_t)1 << (N->node[at[j]] % 64);
    }
    for (int64_t i = 0; i < nodes; i++) {
        degree[i] = ones_of(bits + i * words, words), done[i] = 0;
    }
    /* neighbours of each node when its turn comes, into index; places of nodes in the order */
    int64_t used = 0;
    N->work = 0;
    int64_t *const begins = N->beside; /* by turn: node, number of its neighbours */
    for (int64_t turn = 0; turn < nodes; turn++) {
        const int64_t k = least_degree(degree, done, nodes);
        const uint64_t *const own = bits + k * words;
        place[k] = turn, done[k] = 1, begins[2 * turn] = k, begins[2 * turn + 1] = degree[k];
        N->work += (degree[k] + 1) * (degree[k] + 1);
        if (used + degree[k] > N->most || N->work > WORTH * n) return 0;
        for (int64_t i = 0; i < nodes; i++) {
            uint64_t *const theirs = bits + i * words;
            if (!(own[i / 64] >> (i % 64) & 1)) continue;
            for (int64_t v = 0; v < words; v++) theirs[v] |= own[v];
            theirs[i / 64] &= ~((uint64_t)1 << (i % 64)), theirs[k / 64] &= ~((uint64_t)1 << (k % 64));
            N->index[used++] = i, degree[i] = ones_of(theirs, words);
        }
    }
    /* nodes in their order: sizes and first velocities, by way of `bits`, which is free now */
    int64_t *const first = N->bits, *const size = first + nodes, *const counts = size + nodes;
    for (int64_t turn = 0; turn < nodes; turn++) {
        const int64_t k = begins[2 * turn];
        first[turn] = N->first[k], size[turn] = N->size[k], counts[turn] = begins[2 * turn + 1];
    }
    N->start[0] = 0;
    for (int64_t k = 0; k < nodes; k++) N->first[k] = first[k], N->size[k] = size[k], N->start[k + 1] = N->start[k] + counts[k];
    for (int64_t i = 0; i < C->nv; i++)
        if (N->node[i] >= 0) N->node[i] = place[N->node[i]];
    for (int64_t e = 0; e < used; e++) N->index[e] = place[N->index[e]];
    for (int64_t k = 0; k < nodes; k++) /* in rising order */
        for (int64_t e = N->start[k] + 1; e < N->start[k + 1]; e++) {
            const int64_t i = N->index[e];
            int64_t f = e;
            for (; f > N->start[k] && N->index[f - 1] > i; f--) N->index[f] = N->index[f - 1];
            N->index[f] = i;
        }
    int64_t at = 0;
    for (int64_t k = 0; k < nodes; k++) {
        N->own[k] = at, at += N->size[k] * N->size[k];
        for (int64_t e = N->start[k]; e < N->start[k + 1]; e++) N->beside[e] = at, at += 2 * N->size[k] * N->size[N->index[e]];
    }
    N->own[nodes] = at;
    return at <= N->room;
}

/* Entry of the neighbour i of k, k < i. */
static int64_t neighbour_at(const struct factors *N, int64_t k, int64_t i) {
    int64_t e = N->start[k];
    while (N->index[e] != i) e++;
    return e;
}

/* C (n x m) += A^T B with A (r x n) and B (r x m), rows of which are `wide` numbers apart. */
static void add_outer(int64_t r, int64_t n, int64_t m, int64_t wide, const double *A, const double *B, double *out) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < r; k++) {
            const double a = A[k * wide + i];
            for (int64_t j = 0; j < m; j++) out[i * m + j] += a * B[k * wide + j];
        }
}

/* C (n x m) -= A (n x k) B (k x m) */
static void take_product(int64_t n, int64_t k, int64_t m, const double *A, const double *B, double *out) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < k; l++) {
            const double a = A[i * k + l];
            for (int64_t j = 0; j < m; j++) out[i * m + j] -= a * B[l * m + j];
        }
}

/* B (n x m) <- A (n x n) B */
static void turn_block(int64_t n, int64_t m, const double *A, double *B) {
    double column[LARGEST];
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < n; i++) {
            column[i] = 0.0;
            for (int64_t l = 0; l < n; l++) column[i] += A[i * n + l] * B[l * m + j];
        }
        for (int64_t i = 0; i < n; i++) B[i * m + j] = column[i];
    }
}

#if defined(__CUDACC__)
#define SIXES(a, b, c, six, other) other;
#else
typedef double two_of __attribute__((vector_size(16), aligned(8), may_alias));

/* C (6 x 6) += A^T B with r rows of A and B, `wide` numbers apart. */
static inline void add_six(int64_t r, int64_t wide, const double *A, const double *B, double *out) {
    for (int64_t i = 0; i < 6; i++) {
        two_of *const to = (two_of *)(out + 6 * i);
        two_of c0 = to[0], c1 = to[1], c2 = to[2];
        for (int64_t k = 0; k < r; k++) {
            const two_of a = {A[k * wide + i], A[k * wide + i]}, *const b = (const two_of *)(B + k * wide);
            c0 += a * b[0], c1 += a * b[1], c2 += a * b[2];
        }
        to[0] = c0, to[1] = c1, to[2] = c2;
    }
}

/* C (6 x 6) -= A B */
static inline void take_six(const double *A, const double *B, double *out) {
    for (int64_t i = 0; i < 6; i++) {
        two_of *const to = (two_of *)(out + 6 * i);
        two_of c0 = to[0], c1 = to[1], c2 = to[2];
        for (int64_t k = 0; k < 6; k++) {
            const two_of a = {A[6 * i + k], A[6 * i + k]}, *const b = (const two_of *)(B + 6 * k);
            c0 -= a * b[0], c1 -= a * b[1], c2 -= a * b[2];
        }
        to[0] = c0, to[1] = c1, to[2] = c2;
    }
}

/* B (6 x 6) <- A B */
static inline void turn_six(const double *A, double *B) {
    two_of b[18], *const to = (two_of *)B;
    for (int64_t k = 0; k < 18; k++) b[k] = to[k];
    for (int64_t i = 0; i < 6; i++) {
        two_of c0 = {0.0, 0.0}, c1 = c0, c2 = c0;
        for (int64_t k = 0; k < 6; k++) {
            const two_of a = {A[6 * i + k], A[6 * i + k]};
            c0 += a * b[3 * k], c1 += a * b[3 * k + 1], c2 += a * b[3 * k + 2];
        }
        to[3 * i] = c0, to[3 * i + 1] = c1, to[3 * i + 2] = c2;
    }
}

#define SIXES(a, b, c, six, other)                   \
    if ((a) == 6 && (b) == 6 && (c) == 6) six;       \
    else other;
#endif

/* Values <- a times the unit matrix. */
static void factors_begin(const struct factors *N, double a) {
    memset(N->value, 0, (size_t)N->own[N->n] * sizeof(double));
    for (int64_t k = 0; k < N->n; k++)
        for (int64_t i = 0; i < N->size[k]; i++) N->value[N->own[k] + i * (N->size[k] + 1)] = a;
}

/* Y^T K Y of a block of rows, added; KY has the rows of Y and is K Y. */
static void factors_add(const struct factors *N, int64_t rows, int64_t count, const int64_t *at, const double *Y, const double *KY) {
    for (int64_t i = 0; i < count; i += N->size[N->node[at[i]]])
        for (int64_t j = 0; j < count; j += N->size[N->node[at[j]]]) {
            const int64_t one = N->node[at[i]], two = N->node[at[j]], n = N->size[one], m = N->size[two];
            double *to = N->value;
            if (one == two) to += N->own[one];
            else if (one > two) to += N->beside[neighbour_at(N, two, one)];
            else to += N->beside[neighbour_at(N, one, two)] + n * m;
            SIXES(n, m, 6, add_six(rows, count, Y + i, KY + j, to), add_outer(rows, n, m, count, Y + i, KY + j, to))
        }
}

/* A <- A^-1 (n x n), by Gauss and Jordan with the largest pivots of columns; how many of them are not above `least`. */
static inline int64_t invert(int64_t n, double *A, double least) {
    int64_t from[LARGEST], small = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        const double pivot = A[best * n + k];
        if (!(fabs(pivot) > least)) small++;
        from[k] = best;
        if (best != k)
            for (int64_t j = 0; j < n; j++) {
                const double t = A[k * n + j];
                A[k * n + j] = A[best * n + j], A[best * n + j] = t;
            }
        const double part = 1.0 / pivot;
        A[k * n + k] = 1.0;
        for (int64_t j = 0; j < n; j++) A[k * n + j] *= part;
        for (int64_t i = 0; i < n; i++) {
            if (i == k) continue;
            const double a = A[i * n + k];
            A[i * n + k] = 0.0;
            for (int64_t j = 0; j < n; j++) A[i * n + j] -= a * A[k * n + j];
        }
    }
    for (int64_t k = n - 1; k >= 0; k--)
        if (from[k] != k)
            for (int64_t i = 0; i < n; i++) {
                const double t = A[i * n + k];
                A[i * n + k] = A[i * n + from[k]], A[i * n + from[k]] = t;
            }
    return small;
}

/* A <- an inverse of its part of full rank, zero beside it, of a symmetric A (n x n) without negative eigenvalues: by Gauss and Jordan
 * with the largest pivots of the diagonal; how many are not above `least`. Rows and columns of these are zero, up to rounding. */
static int64_t invert_part(int64_t n, double *A, double least) {
    int taken[LARGEST] = {0};
    for (int64_t left = n; left > 0; left--) {
        int64_t k = -1;
        for (int64_t i = 0; i < n; i++)
            if (!taken[i] && A[i * n + i] > (k < 0 ? least : A[k * n + k])) k = i;
        if (k < 0) {
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++)
                    if (!taken[i] || !taken[j]) A[i * n + j] = 0.0;
            return left;
        }
        const double part = 1.0 / A[k * n + k];
        taken[k] = 1, A[k * n + k] = 1.0;
        for (int64_t j = 0; j < n; j++) A[k * n + j] *= part;
        for (int64_t i = 0; i < n; i++) {
            const double a = A[i * n + k];
            if (i == k) continue;
            A[i * n + k] = 0.0;
            for (int64_t j = 0; j < n; j++) A[i * n + j] -= a * A[k * n + j];
        }
    }
    return 0;
}

/* Values <- their factors: inverses on the diagonal, blocks above it times these. The number of pivots that are not above `least`;
 * with least > 0 values are symmetric without negative eigenvalues, and factors those of their part of full rank. */
static int64_t factors_make(const struct factors *N, double least) {
    int64_t small = 0;
    for (int64_t k = 0; k < N->n; k++) {
        const int64_t n = N->size[k];
        double *const own = N->value + N->own[k];
        small += least > 0.0 ? invert_part(n, own, least) : n == 6 ? invert(6, own, least) : invert(n, own, least);
        for (int64_t e = N->start[k]; e < N->start[k + 1]; e++) {
            const int64_t m = N->size[N->index[e]];
            double *const above = N->value + N->beside[e] + n * m;
            SIXES(n, m, 6, turn_six(own, above), turn_block(n, m, own, above))
        }
        for (int64_t e = N->start[k]; e < N->start[k + 1]; e++) {
            const int64_t i = N->index[e], m = N->size[i];
            const double *const below = N->value + N->beside[e], *const above = below + n * m;
            double *const to = N->value + N->own[i];
            SIXES(n, m, 6, take_six(below, above, to), take_product(m, n, m, below, above, to))
            for (int64_t f = e + 1, g = N->start[i]; f < N->start[k + 1]; f++) {
                const int64_t j = N->index[f], l = N->size[j];
                const double *const low = N->value + N->beside[f], *const high = low + n * l;
                while (N->index[g] != j) g++;
                double *const under = N->value + N->beside[g], *const over = under + m * l;
                SIXES(n, m, l, take_six(low, above, under), take_product(l, n, m, low, above, under))
                SIXES(n, m, l, take_six(below, high, over), take_product(m, n, l, below, high, over))
            }
        }
    }
    return small;
}

/* x <- solution, of all velocities of the nodes. */
static void factors_solve(const struct factors *N, double *x) {
    double own[LARGEST];
    for (int64_t k = 0; k < N->n; k++) {
        const int64_t n = N->size[k];
        double *const y = x + N->first[k];
        const double *const A = N->value + N->own[k];
        for (int64_t i = 0; i < n; i++) {
            own[i] = 0.0;
            for (int64_t j = 0; j < n; j++) own[i] += A[i * n + j] * y[j];
        }
        for (int64_t i = 0; i < n; i++) y[i] = own[i];
        for (int64_t e = N->start[k]; e < N->start[k + 1]; e++)
            take_product(N->size[N->index[e]], n, 1, N->value + N->beside[e], y, x + N->first[N->index[e]]);
    }
    for (int64_t k = N->n - 1; k >= 0; k--)
        for (int64_t e = N->start[k]; e < N->start[k + 1]; e++) {
            const int64_t n = N->size[k], m = N->size[N->index[e]];
            take_product(n, m, 1, N->value + N->beside[e] + n * m, x + N->first[N->index[e]], x + N->first[k]);
        }
}

/* Plan of an island by the rule of unique.c. 0 where there is no room, its blocks are of other laws, or sweeps are cheaper. */
static int plan_island(const struct moreau *C, struct factors *N, const int64_t *block, int64_t n) {
    for (int64_t k = 0; k < n; k++)
        if (COUNT(block[k]) > WIDEST || LAW(block[k]) >= ROPE) return 0;
    return C->n_nodes && factors_plan(C, N, block, n);
}

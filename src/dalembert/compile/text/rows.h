/* Linear algebra on a board of doubles, driven by tables; the emitter defines row_index, the type of their numbers, and
 * NO_START.
 *
 * A step with n > 0 sums rows: the eight numbers at each of n places become those that lie `start` beyond them (nothing,
 * if that is NO_START) plus, for each term from `first` to `last`, the number at `factor` times the eight that lie `row`
 * beyond. Numbers outside of the mask of a place stay as they are; mask 0 has all of them inside. With n = 0 a step is a
 * pivot: the number at `first` becomes minus the reciprocal of that at `last`.
 *
 * Eight neighbours are one, two or four packs: vectors of the machine's width. */
#if defined(__AVX512F__)
#define PACK 8
#define PACKS(DO, i) DO(i, 0)
#elif defined(__AVX__)
#define PACK 4
#define PACKS(DO, i) DO(i, 0) DO(i, 4)
#else
#define PACK 2
#define PACKS(DO, i) DO(i, 0) DO(i, 2) DO(i, 4) DO(i, 6)
#endif
typedef double pack __attribute__((vector_size(8 * PACK), aligned(8), may_alias));
typedef int64_t pack_mask __attribute__((vector_size(8 * PACK), aligned(8), may_alias));
struct row_step {
    row_index first, last, start, n, at[4], mask[4];
};
struct row_term {
    row_index factor, row;
};
struct row_mask {
    int64_t inside[8];
};
struct row_output {
    int at, stride, rows, columns, symmetric;
};

#define AT(x, i) (*(pack *)((x) + (i)))
#define READ(x, i) (*(const pack *)((x) + (i)))

/* Places that are summed at the same time share the reading of terms. */
#define EACH_1(DO) PACKS(DO, 0)
#define EACH_2(DO) EACH_1(DO) PACKS(DO, 1)
#define EACH_3(DO) EACH_2(DO) PACKS(DO, 2)
#define EACH_4(DO) EACH_3(DO) PACKS(DO, 3)
#define ROW_START(i, j) pack a##i##j = s->start == NO_START ? nothing : READ(b + s->at[i] + j, s->start);
#define ROW_ADD(i, j) a##i##j += f * READ(b + s->at[i] + j, x);
#define ROW_STORE(i, j)                                                                                        \
    if (s->mask[i]) {                                                                                          \
        const pack_mask inside = *(const pack_mask *)(masks[s->mask[i]].inside + j);                           \
        a##i##j = (pack)((inside & (pack_mask)a##i##j) | (~inside & (pack_mask)READ(b + s->at[i] + j, 0)));    \
    }                                                                                                          \
    AT(b + s->at[i] + j, 0) = a##i##j;
#define ROW_SUM(EACH)                                                                 \
    {                                                                                 \
        EACH(ROW_START)                                                               \
        for (const struct row_term *t = terms + s->first; t < terms + s->last; t++) { \
            const double f = b[t->factor];                                            \
            const long x = t->row;                                                    \
            EACH(ROW_ADD)                                                             \
        }                                                                             \
        EACH(ROW_STORE)                                                               \
    }

/* The same without tables, in functions of rows p whose factors are at b: SUM_n begins with the rows at a place, ADD_n
 * adds a multiple of those at another, STORE_n writes the sum, after MASK has put back the values outside of a mask. */
#define ROW_BEGIN(i, j) pack a##i##j = READ(from, 8 * i + j);
#define ROW_NOTHING(i, j) pack a##i##j = nothing;
#define ROW_TAKE(i, j) a##i##j += factor * READ(from, 8 * i + j);
#define ROW_BLEND(i, j)                                                                                          \
    {                                                                                                            \
        const pack_mask inside = *(const pack_mask *)(mask + j);                                                 \
        a##i##j = (pack)((inside & (pack_mask)a##i##j) | (~inside & (pack_mask)READ(to, 8 * i + j)));            \
    }
#define ROW_KEEP(i, j) AT(to, 8 * i + j) = a##i##j;
#define EACH_5(DO) EACH_4(DO) PACKS(DO, 4)
#define EACH_6(DO) EACH_5(DO) PACKS(DO, 5)
#define SUM(EACH, start)             \
    const double *from = p + (start); \
    EACH(ROW_BEGIN)
#define SUM_FROM_NOTHING(EACH) \
    const double *from;        \
    EACH(ROW_NOTHING)
#define ADD(EACH, f, x)              \
    {                                \
        const double factor = b[f];  \
        from = p + (x);              \
        EACH(ROW_TAKE)               \
    }
#define MASK(i, m)                                \
    {                                             \
        const int64_t *mask = masks[m].inside;    \
        const double *to = at;                    \
        PACKS(ROW_BLEND, i)                       \
    }
#define STORE(EACH)     \
    {                   \
        double *to = at; \
        EACH(ROW_KEEP)  \
    }

static void row_steps(double *b, const struct row_step *steps, int n, const struct row_term *terms,
                      const struct row_mask *masks) {
    const pack nothing = {0};
    for (const struct row_step *s = steps; s < steps + n; s++) {
        if (s->n == 4) ROW_SUM(EACH_4)
        else if (s->n == 3) ROW_SUM(EACH_3)
        else if (s->n == 2) ROW_SUM(EACH_2)
        else if (s->n == 1) ROW_SUM(EACH_1)
        else b[s->first] = -1.0 / b[s->last];
    }
}

static void row_clear(double *b, int n) {
    const pack nothing = {0};
    for (int i = 0; i < n; i += PACK) AT(b, i) = nothing;
}

/* Matrices to the outputs; of a symmetric one the upper triangle counts. */
static void row_outputs(const double *b, const struct row_output *outputs, int n, double *const *out) {
    for (int k = 0; k < n; k++) {
        const int columns = outputs[k].columns, stride = outputs[k].stride;
        const double *x = b + outputs[k].at;
        double *y = out[k];
        for (int i = 0; i < outputs[k].rows; i++, x += stride, y += columns) {
            int j = 0;
            for (; j + PACK <= columns; j += PACK) AT(y, j) = READ(x, j);
            if (j < columns && columns > PACK) /* the last pack lies over the one before */
                AT(y, columns - PACK) = READ(x, columns - PACK);
            else
                for (; j < columns; j++) y[j] = x[j];
        }
        if (!outputs[k].symmetric) continue;
        y = out[k];
        for (int i = 1; i < columns; i++)
            for (int j = 0; j < i; j++) y[i * columns + j] = y[j * columns + i];
    }
}

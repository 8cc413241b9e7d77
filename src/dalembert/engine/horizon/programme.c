/* A quadratic programme from plain arrays: for the library's own use and for comparisons. */
struct plain {
    const double *A, *B, *c, *H, *g, *G, *low, *high, *linear, *square, *x0; /* square, linear < 0: hard */
    double *z, *lam, *info;
    double tolerance, first;
    int64_t most, warm;
};

EXPORT int64_t programme_size(void) {
    return (int64_t)sizeof(struct quadratic);
}

EXPORT int programme_solve(const struct plain *in, struct quadratic *Q) {
    memset(Q->z, 0, sizeof Q->z), memset(Q->dz, 0, sizeof Q->dz);
    memset(Q->BA, 0, sizeof Q->BA), memset(Q->H, 0, sizeof Q->H), memset(Q->G, 0, sizeof Q->G);
    memcpy(Q->x0, in->x0, NX * sizeof(double));
    for (int k = 0; k <= NN; k++) {
        const int size = k < NN ? NZ : NX;
        if (in->warm) memcpy(Q->z[k], in->z + k * NZ, (size_t)size * sizeof(double));
        for (int i = 0; i < NX && k < NN; i++) {
            memcpy(Q->BA[k][i], in->A + (k * NX + i) * NX, NX * sizeof(double));
            memcpy(Q->BA[k][i] + NX, in->B + (k * NX + i) * NU, NU * sizeof(double));
            Q->c[k][i] = in->c[k * NX + i];
        }
        memcpy(Q->g[k], in->g + k * NZ, NZ * sizeof(double));
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) {
                const double h = in->H[(k * NZ + i) * NZ + j];
                if (k == NN) Q->HN[i][j] = h;
                else if (DENSE_COST) Q->H[k][DENSE_COST ? i : 0][j] = h;
                else if (i == j) Q->H[k][0][i] = h;
            }
        for (int j = 0; j < NG; j++) memcpy(Q->G[k][j], in->G + (k * NG + j) * NZ, (size_t)size * sizeof(double));
        for (int r = 0; r < NR; r++) {
            const int low = k * NC + r, high = low + NR, at = k * NR + r;
            const double a = in->low[at], b = in->high[at];
            Q->act[low] = a > -1e20 ? 1.0 : 0.0, Q->off[low] = a > -1e20 ? -a : 1.0;
            Q->act[high] = b < 1e20 ? 1.0 : 0.0, Q->off[high] = b < 1e20 ? b : 1.0;
            for (int i = low; i <= high; i += NR) {
                Q->soft[i] = in->linear[at] >= 0.0 ? 1.0 : 0.0;
                Q->linear[i] = in->linear[at], Q->square[i] = in->linear[at] >= 0.0 ? in->square[at] : 0.0;
                if (in->warm) Q->lam[i] = in->lam[i];
            }
        }
    }
    const int status = quadratic_solve(Q, (int)in->most, in->tolerance, in->tolerance, (int)in->warm, in->first);
    for (int k = 0; k <= NN; k++) memcpy(in->z + k * NZ, Q->z[k], NZ * sizeof(double));
    memcpy(in->lam, Q->lam, sizeof Q->lam);
    in->info[0] = Q->iterations, in->info[1] = Q->mu, in->info[2] = Q->residual, in->info[3] = Q->repairs;
    return status;
}

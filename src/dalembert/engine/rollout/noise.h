/* Random numbers from a counter: Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw, SC11, 2011), for single runs,
 * the lanes of a vector and the threads of a GPU; core/noise.py gives the same integers and bitwise identical normal
 * numbers. `word` holds 32 bits in 64; an `instant` is of double precision; TIMES is a product that is rounded before
 * it is added to anything. */
FUNCTION void philox(word c[4], uint32_t k0, uint32_t k1) {
    for (int round = 0; round < 10; round++) {
        const word a = WORD(0xD2511F53u) * c[0], b = WORD(0xCD9E8D57u) * c[2];
        const word low = WORD(0xFFFFFFFFu);
        const word c0 = (b >> WORD(32)) ^ c[1] ^ WORD(k0), c2 = (a >> WORD(32)) ^ c[3] ^ WORD(k1);
        c[0] = c0, c[1] = b & low, c[2] = c2, c[3] = a & low;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
}

/* Three pieces; of the polynomials a row for each power, lowest first. */
TABLE double quantile_from[] = {QUANTILE_FROM};
TABLE double quantile_top[][3] = {QUANTILE_TOP}, quantile_bottom[][3] = {QUANTILE_BOTTOM};
TABLE double quantile_log[] = {QUANTILE_LOG}, quantile_ln2[] = {QUANTILE_LN2};

/* -log(a) of numbers up to 1. */
FUNCTION instant minus_log(instant a) {
    const word i = AS_WORD(a) + WORD(QUANTILE_SPREAD);
    const instant k = 1023.0 - FROM_WORD(i >> WORD(52));
    const instant m = AS_INSTANT((i & WORD(0xFFFFFFFFFFFFFu)) + WORD(QUANTILE_ROOT));
    const instant s = (m - 1.0) / (m + 1.0), z = TIMES(s, s);
    instant sum = WIDE(quantile_log[6]);
    UNROLL
    for (int j = 5; j >= 0; j--) sum = TIMES(sum, z) + quantile_log[j];
    sum = TIMES(TIMES(s, z), sum) - TIMES(k, WIDE(quantile_ln2[1]));
    return TIMES(k, WIDE(quantile_ln2[0])) - ((s + s) + sum);
}

/* The number of the piece to which w belongs. */
FUNCTION instant piece(instant w, const double *of) {
    return SELECT(w >= quantile_from[2], WIDE(of[2]), SELECT(w >= quantile_from[1], WIDE(of[1]), WIDE(of[0])));
}

/* The normal number below which lies the part (whole + 1/2)/2^53 of all. */
FUNCTION instant quantile(instant whole) {
    const instant x = (whole - 4503599627370495.5) * 2.220446049250313e-16; /* exact */
    const instant w = minus_log((1.0 - x) * (1.0 + x)), v = w - piece(w, quantile_from);
    instant top = piece(w, quantile_top[8]), bottom = piece(w, quantile_bottom[8]);
    UNROLL
    for (int j = 7; j >= 0; j--) {
        top = TIMES(top, v) + piece(w, quantile_top[j]);
        bottom = TIMES(bottom, v) + piece(w, quantile_bottom[j]);
    }
    return TIMES(x, top / bottom);
}

/* `n` normal numbers, n even, of members under a seed. */
FUNCTION void draw(uint64_t seed, word member, uint32_t stream, uint64_t instant_, int n, real *out) {
    for (int k = 0; k < n; k += 2) {
        word c[4] = {WORD(instant_ & 0xFFFFFFFFu), member, WORD(stream), WORD(k / 2)};
        philox(c, (uint32_t)seed, (uint32_t)(seed >> 32));
        for (int j = 0; j < 2; j++) {
            const instant high = FROM_WORD(c[2 * j] >> WORD(5)), low = FROM_WORD(c[2 * j + 1] >> WORD(6));
            out[k + j] = REAL(quantile(high * 67108864.0 + low));
        }
    }
}

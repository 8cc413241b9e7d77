/* Random numbers from a counter: Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw, SC11, 2011), for the lanes of a
 * vector and the threads of a GPU; core/noise.py gives the same integers. `word` holds 32 bits in 64. */
FUNCTION void philox(word c[4], uint32_t k0, uint32_t k1) {
    for (int round = 0; round < 10; round++) {
        const word a = WORD(0xD2511F53u) * c[0], b = WORD(0xCD9E8D57u) * c[2];
        const word low = WORD(0xFFFFFFFFu);
        const word c0 = (b >> WORD(32)) ^ c[1] ^ WORD(k0), c2 = (a >> WORD(32)) ^ c[3] ^ WORD(k1);
        c[0] = c0, c[1] = b & low, c[2] = c2, c[3] = a & low;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
}

/* `n` normal numbers, n even, of members under a seed: Box and Muller on two uniform numbers of 53 bits in (0, 1]. */
FUNCTION void draw(uint64_t seed, word member, uint32_t stream, uint64_t instant_, int n, real *out) {
    for (int k = 0; k < n; k += 2) {
        word c[4] = {WORD(instant_ & 0xFFFFFFFFu), member, WORD(stream), WORD(k / 2)};
        real u[2], sine, cosine;
        philox(c, (uint32_t)seed, (uint32_t)(seed >> 32));
        for (int j = 0; j < 2; j++) {
            const instant whole = FROM_WORD(c[2 * j] >> WORD(5)) * 67108864.0 + FROM_WORD(c[2 * j + 1] >> WORD(6));
            u[j] = REAL((whole + 0.5) * 1.1102230246251565e-16);
        }
        const real radius = sqrt(K(-2.0) * log(u[0]));
        sincos_(K(6.283185307179586) * u[1], &sine, &cosine);
        out[k] = radius * cosine;
        out[k + 1] = radius * sine;
    }
}

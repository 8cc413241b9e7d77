/* Sines and cosines of eight angles, in as many vectors as that takes, to arrays of eight. */
typedef double memory_wide __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

__attribute__((noinline, unused)) static void angles_(wide x, double *sines, double *cosines) {
    wide s, c;
    wide_sincos(x, &s, &c);
    *(memory_wide *)sines = s;
    *(memory_wide *)cosines = c;
}

#if LANES == 8
#define ANGLES(s, c, x0, x1, x2, x3, x4, x5, x6, x7) angles_((wide){x0, x1, x2, x3, x4, x5, x6, x7}, s, c)
#elif LANES == 4
#define ANGLES(s, c, x0, x1, x2, x3, x4, x5, x6, x7) \
    angles_((wide){x0, x1, x2, x3}, s, c), angles_((wide){x4, x5, x6, x7}, s + 4, c + 4)
#else
#define ANGLES(s, c, x0, x1, x2, x3, x4, x5, x6, x7)                         \
    angles_((wide){x0, x1}, s, c), angles_((wide){x2, x3}, s + 2, c + 2), \
        angles_((wide){x4, x5}, s + 4, c + 4), angles_((wide){x6, x7}, s + 6, c + 6)
#endif

#undef real
#undef integer
#undef bits
#undef from_bits
#undef sincos_near
#undef sincos_far
#undef sincos_
#undef K
#undef J
#define K(c) (c)
#define J(c) ((integer)(c))

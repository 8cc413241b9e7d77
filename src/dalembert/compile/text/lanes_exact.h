/* Types and operations of noise.h and adaptive.h, for lanes. */
#define WIDE(a) SPLAT(a)
#define AS_WORD(a) ((word)(a))
#define AS_INSTANT(a) ((real)(a))

/* A product that is rounded before it is added to anything: compilers, which may fuse the two here, do not look through
 * an empty assembly. */
#if defined(__AVX512F__)
#define REGISTER "+v"
#elif defined(__SSE2__)
#define REGISTER "+x"
#elif defined(__aarch64__)
#define REGISTER "+w"
#else
#define REGISTER "+m"
#endif
static inline real TIMES(real a, real b) {
    real c = a * b;
    __asm__("" : REGISTER(c));
    return c;
}

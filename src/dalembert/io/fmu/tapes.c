/* Which tapes this processor runs. */
#include "tapes.h"

#if defined(WIDE_TAPES)
#include <cpuid.h>

int wide_processor;

/* AVX2 and FMA are used if the processor has them and the system keeps their registers. */
__attribute__((constructor)) static void choose_tapes(void) {
    unsigned a, b, c, d, kept, high;
    const unsigned needed = bit_OSXSAVE | bit_AVX | bit_FMA, registers = 6;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & needed) != needed)
        return;
    __asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
    if ((kept & registers) == registers && __get_cpuid_count(7, 0, &a, &b, &c, &d))
        wide_processor = (b & bit_AVX2) != 0;
}
#endif

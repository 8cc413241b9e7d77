/* One instance per thread of a GPU. With DA_FLOAT numbers are single precision. DA_BLOCK threads make a block;
 * DA_RESIDENT is the least number of blocks on a multiprocessor. With two a thread may have all the registers that
 * there are (255); without a bound compilers were seen to choose 32 and to lose a factor of eight. */
#if defined(DA_FLOAT)
typedef float real;
#define sincos_ sincosf
#else
typedef double real;
#define sincos_ sincos
#endif
#if !defined(DA_BLOCK)
#define DA_BLOCK 128
#endif
#if !defined(DA_RESIDENT)
#define DA_RESIDENT 2
#endif
#define BOUNDS __launch_bounds__(DA_BLOCK, DA_RESIDENT)
#if !defined(NAN)
#define NAN __longlong_as_double(0x7ff8000000000000LL)
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#endif
#define restrict __restrict__
#define CHUNK static __device__ INLINE
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")
#define FUNCTION static __device__ __forceinline__
#define TABLE static __device__ const
#define SPLAT(a) ((real)(a))
typedef double instant; /* times and steps, in double precision also where numbers are not */
typedef bool MASK;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t, word;
#define WORD(a) ((word)(a))
#define FROM_WORD(a) ((double)(a))
#define REAL(a) ((real)(a))
#define WIDE(a) (a)
#define AS_WORD(a) ((word)__double_as_longlong(a))
#define AS_INSTANT(a) __longlong_as_double((long long)(a))
#define TIMES(a, b) __dmul_rn(a, b) /* never fused with a sum */
#define SELECT(m, a, b) ((m) ? (a) : (b))
#define K(c) ((real)(c))
#define SIGN(a) ((a) < K(0) ? K(-1) : (a) > K(0) ? K(1) : (a))
#define NOT(a) ((a) == K(0) ? K(1) : K(0))
#define LT(a, b) ((a) < (b) ? K(1) : K(0))
#define LE(a, b) ((a) <= (b) ? K(1) : K(0))
#define EQ(a, b) ((a) == (b) ? K(1) : K(0))
#define NE(a, b) ((a) != (b) ? K(1) : K(0))
#define AND(a, b) ((a) != K(0) && (b) != K(0) ? K(1) : K(0))
#define OR(a, b) ((a) != K(0) || (b) != K(0) ? K(1) : K(0))
#define IF_ELSE_ZERO(a, b) ((a) == K(0) ? K(0) : (b))

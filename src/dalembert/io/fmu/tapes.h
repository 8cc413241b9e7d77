/* Language of tapes: doubles in plain C99 and, where a processor and a compiler support them, short vectors.
 *
 * With GCC or Clang for x86-64 every long tape is there twice. The plain one runs on every such processor; the wide one,
 * of the same operations in vectors of four with fused multiplications and additions, on those that have AVX2 and FMA.
 * tapes.c looks which this is when the library is loaded. -DPLAIN_TAPES leaves the wide ones out.
 */
#ifndef TAPES_H
#define TAPES_H

#include "kernel.h"
#include "scalar.h"
#include "truth.h"

#if defined(__x86_64__) && !defined(_WIN32) && (defined(__clang__) || __GNUC__ >= 6) && !defined(PLAIN_TAPES)
#define WIDE_TAPES 1
#define WIDE __attribute__((target("avx2,fma")))

extern __attribute__((visibility("hidden"))) int wide_processor;

#if defined(__clang__)
#pragma clang attribute push(WIDE, apply_to = function)
#if !defined(__AVX__)
#define __AVX__ 1 /* which the target of functions does not define */
#define DEFINED_AVX
#endif
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

#include "sincos.h"
#include "scalar_math.h"
#include "bundles.h"
#include "vector.h"
#include "sincos.h"
#include "vector_sincos.h"
#include "angles.h"

#if defined(__clang__)
#pragma clang attribute pop
#if defined(DEFINED_AVX)
#undef __AVX__
#endif
#else
#pragma GCC pop_options
#endif
#endif

#endif

/* Comes before the texts of `stepping` and `collide` on a GPU, and puts them into the namespace `engine`. One thread advances a
 * world, whose structures and arrays are in global memory. The texts are those of single runs, compiled as C++.
 *
 * The functions that structures have are called by their names: the compiler then knows how much memory a thread needs. Those
 * of the machine, `tape_*`, come later (rollout/collider_steps.h). */
#if !defined(NAN)
#define NAN __longlong_as_double(0x7ff8000000000000LL)
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#endif
#if !defined(DBL_EPSILON)
#define DBL_EPSILON 2.2204460492503131e-16
#define INT64_MAX 0x7fffffffffffffffLL
#endif

namespace engine {
typedef long long int64_t;
typedef unsigned long long uint64_t;

#define CALLED(S, name) S##_##name
#define C_terms articulated_terms
#define C_bias tape_bias
#define C_gaps tape_gaps
#define C_move tape_move
#define C_finish tape_finish
#define C_lift tape_lift
#define C_held tape_held
#define A_terms tape_terms
#define A_poses tape_poses
#define A_step moreau_step

__device__ int articulated_terms(const double *const *in, double *const *out, double *work);
__device__ int tape_terms(const double *const *in, double *const *out, double *work);
__device__ int tape_poses(const double *const *in, double *const *out, double *work);
__device__ int tape_bias(const double *const *in, double *const *out, double *work);
__device__ int tape_gaps(const double *const *in, double *const *out, double *work);
__device__ int tape_move(const double *const *in, double *const *out, double *work);
__device__ int tape_finish(const double *const *in, double *const *out, double *work);
__device__ int tape_lift(const double *const *in, double *const *out, double *work);
__device__ int tape_held(const double *const *in, double *const *out, double *work);

/* Steps of machines with colliders on a GPU, by the texts of single runs (collide/device.h). CHUNKS are the terms of a step, the
 * other tapes have the names that they have there. */
#if COLLIDERS
namespace engine {
#define TAPE(name, EVALUATE)                                                            \
    __device__ int tape_##name(const double *const *in, double *const *out, double *) { \
        double w[N_WORK + 1];                                                           \
        EVALUATE(in, out, w)                                                            \
        return 0;                                                                       \
    }
TAPE(terms, CHUNKS)
TAPE(poses, POSES)
TAPE(bias, BIAS)
TAPE(gaps, GAPS)
TAPE(move, MOVE)
TAPE(finish, FINISH)
TAPE(lift, LIFT)
TAPE(held, HELD)
} // namespace engine
#endif

/* The rules of Newton's method onto Phi = 0, of single runs (constrained.c), lanes and threads of a GPU
 * (rollout/constraints.h). The first projects with decisions on the rank, the others mask members. */
#define SHARE 1e-6          /* least pivot ratio of a solution on the tape: core/constraint_tape.py */
#define MOST_CORRECTIONS 9  /* after which velocities are projected in any case */
/* The violation is rounding, or it no longer halves. */
#define SETTLED(error, before, tolerance) (((error) <= (tolerance)) | ((error) + (error) >= (before)))

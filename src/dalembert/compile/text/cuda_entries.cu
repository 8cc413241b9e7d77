/* Each thread loads the inputs of its instance, evaluates, and stores the outputs. Element e of instance i of an array
 * lies at e * (its element stride) + i * (its row stride); an array that all instances share has row stride 0. */
extern "C" __global__ void BOUNDS JOIN(SYMBOL, _cuda)(long long n, ARGUMENTS) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    real LOCALS, w[N_WORK + 1];
    LOADS
    const real *const in[] = {INPUTS};
    real *const out[] = {OUTPUTS};
    CHUNKS(in, out, w)
    STORES
}

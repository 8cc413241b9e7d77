"""Many runs at once: in SIMD lanes and threads, on a GPU, on the virtual machine."""

"""Time loops: native code, NumPy, SUNDIALS."""

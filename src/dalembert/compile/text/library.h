/* Exports of a library. */
#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#define HIDDEN
#else
#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#endif

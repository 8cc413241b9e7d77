/* Single calls of kernels from Python: a callable that checks its arguments, makes the results and evaluates, all in C.
 *
 * Arguments that fit the kernel (contiguous float64 arrays of the right shapes, floats for single numbers, all finite)
 * are passed on as they are. Whatever else comes, or comes out, goes to the general call in Python, which converts,
 * evaluates batches and raises the errors: nothing is refused here. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <structmember.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <string.h>

#define MOST_ARRAYS 24
#define MOST_AXES 4

typedef int (*evaluation)(const double *const *in, double *const *out, double *work);

typedef struct {
    int n_axes;
    npy_intp axes[MOST_AXES], size;
} form;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    evaluation evaluate;
    int n_in, n_out;
    int finite;   /* whether results must be finite */
    int unlocked; /* whether it takes long enough to release the interpreter lock */
    size_t n_work, n_packed;
    double *work; /* for the next call; NULL while another thread uses it */
    PyObject *general, *keep;
    form in[MOST_ARRAYS], out[MOST_ARRAYS];
} Caller;

static int finite_all(const double *x, npy_intp n) {
    int bad = 0;
    for (npy_intp i = 0; i < n; i++) bad |= !(x[i] - x[i] == 0.0);
    return !bad;
}

/* The numbers of an argument, or NULL if it is for the general call. A single number is put into `number`. */
static const double *numbers(PyObject *argument, const form *shape, double *number) {
    if (PyArray_CheckExact(argument)) {
        PyArrayObject *x = (PyArrayObject *)argument;
        if (PyArray_TYPE(x) != NPY_DOUBLE || PyArray_NDIM(x) != shape->n_axes || !PyArray_ISCARRAY_RO(x)) return NULL;
        for (int d = 0; d < shape->n_axes; d++)
            if (PyArray_DIM(x, d) != shape->axes[d]) return NULL;
        return PyArray_DATA(x);
    }
    if (shape->n_axes) return NULL;
    if (PyFloat_CheckExact(argument))
        *number = PyFloat_AS_DOUBLE(argument);
    else if (PyArray_IsScalar(argument, Double))
        *number = PyArrayScalar_VAL(argument, Double);
    else
        return NULL;
    return number;
}

/* Other threads may change the arrays once the lock is released: checks and computations use a copy. */
static void pack(const Caller *self, const double **in, double *packed) {
    for (int k = 0; k < self->n_in; k++) {
        memcpy(packed, in[k], (size_t)self->in[k].size * sizeof(double));
        in[k] = packed;
        packed += self->in[k].size;
    }
}

static int run(const Caller *self, const double *const *in, double *const *out, double *work) {
    for (int k = 0; k < self->n_in; k++)
        if (!finite_all(in[k], self->in[k].size)) return 0;
    self->evaluate(in, out, work);
    if (self->finite)
        for (int k = 0; k < self->n_out; k++)
            if (!finite_all(out[k], self->out[k].size)) return 0;
    return 1;
}

static PyObject *call(PyObject *object, PyObject *const *arguments, size_t flags, PyObject *keywords) {
    Caller *self = (Caller *)object;
    const double *in[MOST_ARRAYS];
    double *out[MOST_ARRAYS], single[MOST_ARRAYS];
    PyObject *results[MOST_ARRAYS], *result = NULL;
    int made = 0, good;
    if (keywords || PyVectorcall_NARGS(flags) != self->n_in)
        return PyObject_Vectorcall(self->general, arguments, flags, keywords);
    for (int k = 0; k < self->n_in; k++) {
        in[k] = numbers(arguments[k], &self->in[k], &single[k]);
        if (!in[k]) return PyObject_Vectorcall(self->general, arguments, flags, keywords);
    }
    double *work = self->work; /* no other thread can take it: this one has the lock */
    self->work = NULL;
    if (!work) work = PyMem_RawCalloc(self->n_work + self->n_packed + 1, sizeof(double));
    if (!work) return PyErr_NoMemory();
    for (; made < self->n_out; made++) {
        results[made] = PyArray_SimpleNew(self->out[made].n_axes, self->out[made].axes, NPY_DOUBLE);
        if (!results[made]) goto done;
        out[made] = PyArray_DATA((PyArrayObject *)results[made]);
    }
    if (self->unlocked) {
        pack(self, in, work + self->n_work);
        Py_BEGIN_ALLOW_THREADS
        good = run(self, in, out, work);
        Py_END_ALLOW_THREADS
    } else {
        good = run(self, in, out, work);
    }
    if (!good) {
        result = PyObject_Vectorcall(self->general, arguments, flags, keywords);
    } else if (made == 1) {
        made = 0; /* handed over; an array without axes becomes a number */
        result = PyArray_Return((PyArrayObject *)results[0]);
    } else if ((result = PyTuple_New(made))) {
        for (int k = 0; k < made; k++) PyTuple_SET_ITEM(result, k, PyArray_Return((PyArrayObject *)results[k]));
        made = 0;
    }
done:
    while (made) Py_DECREF(results[--made]);
    if (self->work)
        PyMem_RawFree(work);
    else
        self->work = work;
    return result;
}

static int read_forms(PyObject *shapes, form *forms) {
    const Py_ssize_t n = PyTuple_GET_SIZE(shapes);
    if (n > MOST_ARRAYS) return PyErr_Format(PyExc_ValueError, "more than %d arrays", MOST_ARRAYS), -1;
    for (Py_ssize_t k = 0; k < n; k++) {
        PyObject *shape = PyTuple_GET_ITEM(shapes, k);
        if (!PyTuple_Check(shape) || PyTuple_GET_SIZE(shape) > MOST_AXES)
            return PyErr_Format(PyExc_ValueError, "expected a tuple of up to %d axes", MOST_AXES), -1;
        forms[k].n_axes = (int)PyTuple_GET_SIZE(shape);
        forms[k].size = 1;
        for (int d = 0; d < forms[k].n_axes; d++) {
            forms[k].axes[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d));
            if (forms[k].axes[d] == -1 && PyErr_Occurred()) return -1;
            forms[k].size *= forms[k].axes[d];
        }
    }
    return (int)n;
}

/* Caller(address, inputs, outputs, n_work, general, keep, finite, unlocked): shapes as tuples; `keep` is kept alive. */
static PyObject *new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    unsigned long long address;
    Py_ssize_t n_work;
    PyObject *inputs, *outputs, *general, *keep;
    int finite, unlocked;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "KO!O!nOOpp", &address, &PyTuple_Type, &inputs, &PyTuple_Type, &outputs, &n_work,
                          &general, &keep, &finite, &unlocked))
        return NULL;
    Caller *self = (Caller *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->vectorcall = call;
    self->evaluate = (evaluation)(uintptr_t)address;
    self->finite = finite;
    self->unlocked = unlocked;
    self->n_work = (size_t)n_work;
    self->general = Py_NewRef(general);
    self->keep = Py_NewRef(keep);
    self->n_in = read_forms(inputs, self->in);
    self->n_out = self->n_in < 0 ? -1 : read_forms(outputs, self->out);
    if (self->n_out < 0) {
        Py_DECREF(self);
        return NULL;
    }
    for (int k = 0; unlocked && k < self->n_in; k++) self->n_packed += (size_t)self->in[k].size;
    return (PyObject *)self;
}

/* The general call is a method of the kernel that holds the caller: a circle that the collector has to see. */
static int traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(((Caller *)object)->general);
    Py_VISIT(((Caller *)object)->keep);
    return 0;
}

static int clear(PyObject *object) {
    Py_CLEAR(((Caller *)object)->general);
    Py_CLEAR(((Caller *)object)->keep);
    return 0;
}

static void dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    PyMem_RawFree(((Caller *)object)->work);
    clear(object);
    Py_TYPE(object)->tp_free(object);
}

static PyTypeObject caller_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "dalembert.compile.Caller",
    .tp_doc = "Calls a kernel with arrays that need no conversion, and the general call with others.",
    .tp_basicsize = sizeof(Caller),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Caller, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_new = new,
    .tp_traverse = traverse,
    .tp_clear = clear,
    .tp_dealloc = dealloc,
};

static int execute(PyObject *module) {
    import_array1(-1);
    if (PyType_Ready(&caller_type)) return -1;
    Py_INCREF(&caller_type);
    return PyModule_AddObject(module, "Caller", (PyObject *)&caller_type) ||
           PyModule_AddIntMacro(module, MOST_ARRAYS) || PyModule_AddIntMacro(module, MOST_AXES);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_dalembert_calls", .m_slots = slots};

PyMODINIT_FUNC PyInit__dalembert_calls(void) { return PyModuleDef_Init(&definition); }

/* The module: what Python hands over, and what it gets. */

#define GRADREEL_MODULE
#include "native.h"

static PyObject *taken(PyObject *known, const char *name) {
    PyObject *found = PyDict_GetItemString(known, name);
    if (found == NULL) {
        PyErr_Format(PyExc_TypeError, "the native path needs %s", name);
        return NULL;
    }
    return Py_NewRef(found);
}

static int number_of(PyObject *known, const char *name, Py_ssize_t *place) {
    PyObject *found = taken(known, name);
    if (found == NULL) return -1;
    *place = PyLong_AsSsize_t(found);
    Py_DECREF(found);
    return PyErr_Occurred() ? -1 : 0;
}

/* begin(types, known): the classes whose slots are read, and all else that Python knows; see __init__.py. */
static PyObject *begin(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *types, *known;
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &types, &PyDict_Type, &known)) return NULL;
    if (slots_of(types) < 0) return NULL;
    struct { const char *name; PyObject **place; } places[] = {
        {"Tensor", (PyObject **)&K.Tensor}, {"Storage", (PyObject **)&K.Storage},
        {"SavedResult", (PyObject **)&K.SavedResult}, {"AccumulateGrad", (PyObject **)&K.AccumulateGrad},
        {"Tape", (PyObject **)&K.Tape}, {"Run", (PyObject **)&K.Run}, {"Call", &K.Call}, {"Running", &K.Running},
        {"backward", &K.backward}, {"broken_off", &K.broken_off}, {"BackwardStarted", &K.BackwardStarted},
        {"BackwardFinished", &K.BackwardFinished}, {"ROOT", &K.ROOT}, {"ONE", &K.ONE},
        {"FLOAT", &K.FLOAT}, {"SCALAR", &K.SCALAR}, {"LAST", &K.LAST}, {"known_floats", &K.known_floats},
        {"outs_of", &K.outs_of}, {"numbers", &K.numbers}, {"special", &K.special}, {"singular", &K.singular},
        {"state", &K.state}, {"sequence", &K.sequence}, {"leaf", &K.leaf}, {"add", &K.add},
        {"fitted", &K.fitted}, {"squared", &K.squared}, {"met", &K.met}, {"steps", &K.steps},
        {"WROTE", &K.WROTE}, {"GONE", &K.GONE}, {"JOINED", &K.JOINED}, {"LEAF", &K.LEAF}, {"GOES", &K.GOES},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        PyObject *found = taken(known, places[i].name);
        if (found == NULL) return NULL;
        *places[i].place = found;
    }
    Py_ssize_t misses;
    if (number_of(known, "LARGE", &K.LARGE) < 0 || number_of(known, "SMALL", &K.SMALL) < 0 ||
        number_of(known, "MISSES", &misses) < 0)
        return NULL;
    K.MISSES = (int)misses;
    K.zero = PyLong_FromLong(0);
    K.one = PyFloat_FromDouble(1.0);
    K.nothing = PyTuple_New(0);
    if (K.zero == NULL || K.one == NULL || K.nothing == NULL) return NULL;
    struct { const char *name; PyObject **place; } words[] = {
        {"grad_enabled", &K.grad_enabled}, {"both", &K.both}, {"result", &K.result},
        {"accumulator_made", &K.accumulator_made}, {"taken", &K.taken}, {"calls", &K.calls}, {"__dict__", &K.dict},
        {"emit", &K.emit}, {"number", &K.number}, {"direct", &K.direct}, {"backward", &K.named},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((*words[i].place = PyUnicode_InternFromString(words[i].name)) == NULL) return NULL;
    Py_RETURN_NONE;
}

/* leaves(type): the class of the leaves of modules, which is there only later. */
static PyObject *leaves(PyObject *module, PyObject *type) {
    (void)module;
    if (!PyType_Check(type)) return PyErr_Format(PyExc_TypeError, "%R is no class", type);
    Py_XSETREF(K.Parameter, (PyTypeObject *)Py_NewRef(type));
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"begin", begin, METH_VARARGS, NULL},
    {"leaves", leaves, METH_O, NULL},
    {"operator", operator_for, METH_VARARGS, NULL},
    {"step", step_for, METH_VARARGS, NULL},
    {"descend", descend, METH_VARARGS, NULL},
    {"backward", (PyCFunction)(void (*)(void))backward, METH_FASTCALL, NULL},
    {"write", (PyCFunction)(void (*)(void))write_over, METH_FASTCALL, NULL},
    {"forget", forget, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "compiled", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_compiled(void) {
    import_array();
    if (PyType_Ready(&OperatorType) < 0 || PyType_Ready(&StepType) < 0 || PyType_Ready(&LedgerType) < 0 ||
        PyType_Ready(&LeavingType) < 0) return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) return NULL;
    static const char *const names[] = {"CALLED", "SUM", "DIFFERENCE", "PRODUCT", "QUOTIENT", "OPPOSITE", "DOT",
                                        "OPERAND", "RESULT", "LENGTHS", "COUNT", "STEPS", "VALUE",
                                        "AS_IT_IS", "NEGATED", "TIMES", "FUNCTION",
                                        "FITS", "OF_ONE_KIND", "OF_ONE_SHAPE", "OF_ANY_SHAPE", NULL};
    static const int values[] = {CALLED, SUM, DIFFERENCE, PRODUCT, QUOTIENT, OPPOSITE, DOT,
                                 OPERAND, RESULT, LENGTHS, COUNT, STEPS, VALUE,
                                 AS_IT_IS, NEGATED, TIMES, FUNCTION,
                                 FITS, OF_ONE_KIND, OF_ONE_SHAPE, OF_ANY_SHAPE, MANY};
    for (int i = 0; names[i] != NULL; i++)
        if (PyModule_AddIntConstant(module, names[i], values[i]) < 0) return NULL;
    if (PyModule_AddIntConstant(module, "MANY", MANY) < 0) return NULL;
    if (PyModule_AddObjectRef(module, "Ledger", (PyObject *)&LedgerType) < 0) return NULL;
    return module;
}

/* What tells a tape that a tensor goes: it lies in a slot of the tensor alone, and is dropped with it.

A weak proxy does the same in three times the bytes. The slot comes before that of the node in the alphabet, which is the
order in which Python clears slots: so a tensor is told to go before what its node lets go of. */

#include "native.h"

typedef struct {
    PyObject_HEAD
    PyObject *add; /* of the tape */
    long long number;
} Leaving;

/* Tell of `tensor`, which has the number `told`, when it goes. */
int watch(PyObject *tensor, PyObject *told, PyObject *add) {
    Leaving *leaving = PyObject_New(Leaving, &LeavingType);
    if (leaving == NULL) return -1;
    leaving->add = Py_NewRef(add);
    leaving->number = PyLong_AsLongLong(told);
    Py_XSETREF(SLOT(tensor, T.leaving), (PyObject *)leaving);
    return 0;
}

static void dropped(PyObject *self) {
    Leaving *leaving = (Leaving *)self;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback); /* a tensor may go while an error is on its way */
    if (note(leaving->add, PyLong_FromLongLong(~leaving->number)) < 0) PyErr_WriteUnraisable(NULL);
    PyErr_Restore(type, value, traceback);
    Py_DECREF(leaving->add);
    PyObject_Free(self);
}

PyTypeObject LeavingType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "autograd_core.native.leaving",
    .tp_basicsize = sizeof(Leaving),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = dropped,
};

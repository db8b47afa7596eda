/* What tells a tape that a tensor or the node of a leaf goes: it lies in a slot of that alone, and is dropped with it.

A weak proxy does the same in far more bytes. The slot of a tensor comes before that of its node in the alphabet, which is
the order in which Python clears slots: so a tensor is told to go before what its node lets go of. */

#include "native.h"

typedef struct {
    PyObject_HEAD
    Ledger *ledger;
    long long number; /* `told`; the inverse of a node's */
} Leaving;

/* Tell of `object` when it goes, by its `number`, that of a node inverted; `slot` is its place for that. */
int watch(PyObject *object, Py_ssize_t slot, Ledger *ledger, long long number) {
    Leaving *leaving = PyObject_New(Leaving, &LeavingType);
    if (leaving == NULL) return -1;
    leaving->ledger = (Ledger *)Py_NewRef((PyObject *)ledger);
    leaving->number = number;
    Py_XSETREF(SLOT(object, slot), (PyObject *)leaving);
    return 0;
}

static void dropped(PyObject *self) {
    Leaving *leaving = (Leaving *)self;
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    int is_node = leaving->number < 0;
    int is_failing = PyErr_Occurred() != NULL; /* a tensor may go while an error is on its way */
    if (is_failing) PyErr_Fetch(&type, &value, &traceback);
    if (ledger_number(leaving->ledger, is_node ? NODE_LEFT : LEFT, is_node ? ~leaving->number : leaving->number) < 0)
        PyErr_WriteUnraisable(NULL);
    if (is_failing) PyErr_Restore(type, value, traceback);
    Py_DECREF((PyObject *)leaving->ledger);
    PyObject_Free(self);
}

PyTypeObject LeavingType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "autograd_core.native.leaving",
    .tp_basicsize = sizeof(Leaving),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = dropped,
};

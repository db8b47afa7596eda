/* Where the slots of Python's classes lie: `__slots__` make members of a C struct, and their descriptors know where. */

#include "native.h"

TensorSlots T;
MetaSlots M;
ViewSlots V;
StorageSlots S;
SavedResultSlots R;
NodeSlots N;
LeafSlots A;
RunSlots U;
TapeSlots L;
WatchSlots W;
Known K;

/* The place of the slot `name` in objects of `type`; -1 with an error set if it has none. */
Py_ssize_t slot_named(PyTypeObject *type, PyObject *name) {
    PyObject *found = PyObject_GetAttr((PyObject *)type, name);
    if (found == NULL) return -1;
    Py_ssize_t offset = -1;
    if (Py_IS_TYPE(found, &PyMemberDescr_Type)) {
        PyMemberDef *member = ((PyMemberDescrObject *)found)->d_member;
        if (member->type == T_OBJECT_EX) offset = member->offset;
    }
    Py_DECREF(found);
    if (offset < 0) PyErr_Format(PyExc_TypeError, "%s has no slot %U", type->tp_name, name);
    return offset;
}

static int look(PyObject *types, const char *type, const char *const *names, Py_ssize_t *slots) {
    PyObject *found = PyDict_GetItemString(types, type);
    if (found == NULL || !PyType_Check(found)) {
        PyErr_Format(PyExc_TypeError, "the native path needs the class %s", type);
        return -1;
    }
    for (int i = 0; names[i] != NULL; i++) {
        PyObject *name = PyUnicode_FromString(names[i]);
        slots[i] = name == NULL ? -1 : slot_named((PyTypeObject *)found, name);
        Py_XDECREF(name);
        if (slots[i] < 0) return -1;
    }
    return 0;
}

int slots_of(PyObject *types) {
    static const char *const tensor[] = {"data_", "storage_", "node", "meta", "told", "leaving", NULL};
    static const char *const meta[] = {"requires_grad", "grad", "accumulator", "view", "wrapped", NULL};
    static const char *const view[] = {"base", NULL};
    static const char *const storage[] = {"version", "boxed", "address_", "counts", "told", NULL};
    static const char *const result[] = {"data_", "storage_", "output_nr", NULL};
    static const char *const node[] = {"next", "nrs", "sequence_nr", "outs", "hooks", "freed", "told", NULL};
    static const char *const leaf[] = {"variable", "leaving", NULL};
    static const char *const run[] = {"retain", "buffers", "pending", "cells", "sums", "written", "shared",
                                      "waiting", "call", "add", "arrived", NULL};
    static const char *const tape[] = {"base", "add", "grad", "reserve", "free", "levels", "weigh", "plain", "foreign",
                                       "tensors", "storages", "tensors_told", "nodes_told", "sequence", NULL};
    static const char *const watch[] = {"number", NULL};
    if (look(types, "Tensor", tensor, (Py_ssize_t *)&T) < 0) return -1;
    if (look(types, "Meta", meta, (Py_ssize_t *)&M) < 0) return -1;
    if (look(types, "View", view, (Py_ssize_t *)&V) < 0) return -1;
    if (look(types, "Storage", storage, (Py_ssize_t *)&S) < 0) return -1;
    if (look(types, "SavedResult", result, (Py_ssize_t *)&R) < 0) return -1;
    if (look(types, "Node", node, (Py_ssize_t *)&N) < 0) return -1;
    if (look(types, "Run", run, (Py_ssize_t *)&U) < 0) return -1;
    if (look(types, "AccumulateGrad", leaf, (Py_ssize_t *)&A) < 0) return -1;
    if (look(types, "Watch", watch, (Py_ssize_t *)&W) < 0) return -1;
    return look(types, "Tape", tape, (Py_ssize_t *)&L);
}

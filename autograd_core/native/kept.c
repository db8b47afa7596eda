/* What a node keeps, from when it is made until it runs: how it is put into its slots, and read from them. */

#include "native.h"

/* ---- put into slots */

/* A storage that was written `version` times. */
PyObject *new_storage(PyObject *version) {
    PyObject *storage = K.Storage->tp_alloc(K.Storage, 0);
    if (storage == NULL) return NULL;
    FILL(storage, S.version, Py_NewRef(version));
    FILL(storage, S.boxed, Py_NewRef(Py_None));
    FILL(storage, S.address_, Py_NewRef(Py_None));
    FILL(storage, S.counts, Py_NewRef(Py_True));
    return storage;
}

/* What a node keeps of its own result, which gets a storage so that writes to it are counted. */
static PyObject *kept_result(PyObject *tensor) {
    PyObject *storage = new_storage(K.zero);
    if (storage == NULL) return NULL;
    put(tensor, T.storage_, storage);
    PyObject *kept = K.SavedResult->tp_alloc(K.SavedResult, 0);
    if (kept != NULL) {
        FILL(kept, R.storage_, Py_NewRef(storage));
        FILL(kept, R.data_, Py_NewRef(SLOT(tensor, T.data_)));
        FILL(kept, R.output_nr, Py_NewRef(K.zero));
    }
    Py_DECREF(storage);
    return kept;
}

static PyObject *version_of(PyObject *tensor) {
    PyObject *storage = SLOT(tensor, T.storage_);
    return Py_NewRef(storage == Py_None ? K.zero : SLOT(storage, S.version));
}

/* Let `node` keep one thing. `wanted` are the operands that a gradient goes to, as bits. */
int keep(Keep *what, PyObject *node, PyObject *const *given, PyObject **data, PyObject *result, int wanted) {
    PyObject *kept = NULL, *version = NULL;
    PyObject *operand = what->operand < 0 ? NULL : data[what->operand];
    int is_wanted = what->users == 0 || (what->users & wanted);
    switch (what->kind) {
        case OPERAND:
            if (!is_tensor(given[what->operand])) {
                kept = Py_NewRef(given[what->operand]);
                version = Py_NewRef(K.zero);
            } else if (is_wanted) {
                kept = Py_NewRef(given[what->operand]);
                version = version_of(kept);
            } else {
                kept = Py_NewRef(Py_None);
                version = Py_NewRef(Py_None);
            }
            break;
        case RESULT:
            kept = kept_result(result);
            version = Py_NewRef(K.zero);
            break;
        case LENGTHS:
            kept = is_number(operand) ? PyTuple_New(0) : lengths_of((PyArrayObject *)operand);
            break;
        case COUNT:
            kept = PyLong_FromSsize_t(is_number(operand) ? 1 : PyArray_SIZE((PyArrayObject *)operand));
            break;
        case STEPS:
            kept = is_number(operand) || !is_wanted ? PyTuple_New(0) : steps_of((PyArrayObject *)operand);
            break;
        case VALUE:
            kept = Py_NewRef(what->value);
            break;
    }
    FILL(node, what->slot, kept);
    if (what->version) FILL(node, what->version, version);
    return kept == NULL ? -1 : 0;
}

/* ---- read from slots */

static int same_number(PyObject *a, PyObject *b) {
    return a == b || (a != NULL && b != NULL && PyObject_RichCompareBool(a, b, Py_EQ) == 1);
}

/* The data of what lies in a slot of `node`, as the formulas take it beside `grad`, in `*found`: NULL where nothing was
   kept. 0 if it is not usual: freed, written since, of another kind. */
int load(Keep *what, PyObject *node, PyObject *grad, PyObject **found) {
    PyObject *kept = SLOT(node, what->slot);
    *found = NULL;
    if (kept == NULL) return 0;
    if (what->kind == RESULT) {
        if (kept == Py_None || !Py_IS_TYPE(kept, K.SavedResult)) return 0;
        if (!same_number(SLOT(SLOT(kept, R.storage_), S.version), SLOT(node, what->version))) return 0;
        *found = Py_NewRef(SLOT(kept, R.data_));
        return is_usual(*found, 0);
    }
    if (what->kind != OPERAND) {
        *found = Py_NewRef(kept);
        return 1;
    }
    if (kept == Py_None) return SLOT(node, what->version) == Py_None;
    if (PyFloat_CheckExact(kept)) {
        *found = is_number(grad) ? Py_NewRef(kept) : PyObject_GetItem(K.numbers, kept);
        return *found != NULL;
    }
    if (!is_tensor(kept)) return 0;
    PyObject *storage = SLOT(kept, T.storage_), *meta = SLOT(kept, T.meta);
    if (storage != Py_None && !same_number(SLOT(storage, S.version), SLOT(node, what->version))) return 0;
    if (meta != Py_None && SLOT(meta, M.wrapped) != Py_False) return 0;
    *found = Py_NewRef(SLOT(kept, T.data_));
    return is_usual(*found, 0);
}

/* ---- how it is described */

/* What nodes of `type` keep, as described: (kind, operand, users, slot, slot of the version, value) each. */
int read_kept(PyTypeObject *type, PyObject *described, Keep *kept, int *count) {
    if (PyTuple_GET_SIZE(described) > MANY) {
        PyErr_SetString(PyExc_ValueError, "a node that keeps so much is not for the native path");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(described); i++) {
        Keep *what = &kept[i];
        PyObject *slot, *version;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(described, i), "iiiOOO", &what->kind, &what->operand, &what->users,
                              &slot, &version, &what->value))
            return -1;
        Py_INCREF(what->value);
        ++*count;
        what->slot = slot_named(type, slot);
        what->version = version == Py_None ? 0 : slot_named(type, version);
        if (what->slot < 0 || what->version < 0) return -1;
    }
    return 0;
}

/* Leaves: the nodes at which their gradients end, and what goes into their `.grad` when a call that is recorded ends. */

#include "native.h"

/* ---- made */

/* Tell `tape` of `leaf`, the new AccumulateGrad of `tensor`. */
static int tell_of(PyObject *tape, PyObject *leaf, PyObject *tensor) {
    PyObject *at = told_by(tensor, T.told, SLOT(tape, L.base)), *data = SLOT(tensor, T.data_);
    if (at == NULL || (!is_number(data) && PyArray_SIZE((PyArrayObject *)data) > K.LARGE)) {
        PyObject *found = PyObject_CallMethodObjArgs(tape, K.accumulator_made, leaf, tensor, NULL);
        Py_XDECREF(found);
        return found == NULL ? -1 : 0;
    }
    Ledger *ledger = ledger_of(SLOT(tape, L.add));
    PyObject *here = next_of(SLOT(tape, L.nodes_told));
    if (here == NULL) return -1;
    put(leaf, N.told, here);
    long long number = whole_number(here);
    Py_DECREF(here);
    return watch(leaf, A.leaving, ledger, ~number) < 0 ? -1 : note_few(ledger, (PyObject *[]){here, at}, 2, JOINED, 0);
}

/* The AccumulateGrad of `tensor`, which has none: see `new_accumulator` in edges.py. */
PyObject *new_leaf(PyObject *tape, PyObject *tensor, PyObject *meta) {
    PyObject *leaf = K.AccumulateGrad->tp_alloc(K.AccumulateGrad, 0), *reference = NULL;
    if (leaf == NULL) return NULL;
    FILL(leaf, A.variable, Py_NewRef(tensor));
    FILL(leaf, N.sequence_nr, Py_NewRef(K.LAST));
    FILL(leaf, N.hooks, Py_NewRef(Py_None));
    FILL(leaf, N.freed, Py_NewRef(Py_False));
    FILL(leaf, N.outs, outs_for(SLOT(tensor, T.data_)));
    reference = SLOT(leaf, N.outs) == NULL ? NULL : PyWeakref_NewRef(leaf, NULL);
    if (reference == NULL) goto failed;
    put(meta, M.accumulator, reference);
    Py_DECREF(reference);
    if (tape != NULL && tell_of(tape, leaf, tensor) < 0) goto failed;
    return leaf;
failed:
    Py_DECREF(leaf);
    return NULL;
}

/* ---- filled */

/* Whether `grad` lies in rows as `data` does, or both are numbers: so it may be the `.grad`. */
static int is_alike(PyObject *grad, PyObject *data) {
    if (is_number(grad)) return 1;
    if (!is_array(grad) || !PyArray_CheckExact(data)) return 0;
    PyArrayObject *mine = (PyArrayObject *)grad;
    if (!PyArray_IS_C_CONTIGUOUS(mine) || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)data)) return 0;
    if (PyArray_SIZE(mine) == 1)
        for (int i = 0; i < PyArray_NDIM(mine); i++)
            if (PyArray_STRIDE(mine, i) == 0) return 0;
    return 1;
}

/* A tensor over `grad`, which torch wrote `version` times, told of as `at`. */
static PyObject *gradient_of(PyObject *grad, PyObject *version, PyObject *at) {
    PyObject *made = tensor_over(grad);
    if (made == NULL) return NULL;
    put(made, T.told, at);
    if (PyObject_IsTrue(version)) {
        PyObject *storage = new_storage(version);
        if (storage == NULL) {
            Py_DECREF(made);
            return NULL;
        }
        put(storage, S.told, at);
        put(made, T.storage_, storage);
        Py_DECREF(storage);
    }
    return made;
}

/* Take what came for `leaf` as its `.grad`: 1 if done, 0 if that is for Python, -1 with an error set. */
static int take(PyObject *leaf, PyObject *cell, PyObject *tape) {
    PyObject *variable = SLOT(leaf, A.variable), *meta = SLOT(variable, T.meta);
    if (meta == Py_None || SLOT(meta, M.grad) != Py_None) return 0;
    int is_list = PyList_CheckExact(cell);
    if (is_list && PyList_GET_ITEM(cell, 2) != Py_True) return 0;
    PyObject *grad = is_list ? PyList_GET_ITEM(cell, 0) : cell, *version = is_list ? PyList_GET_ITEM(cell, 1) : K.zero;
    PyObject *here = told_by(variable, T.told, SLOT(tape, L.base));
    Ledger *ledger = ledger_of(SLOT(tape, L.add));
    if (here == NULL || SLOT(leaf, N.told) == NULL || !is_alike(grad, SLOT(variable, T.data_))) return 0;
    PyObject *at = next_of(SLOT(tape, L.tensors_told)), *made = at == NULL ? NULL : gradient_of(grad, version, at);
    int failed = -1;
    if (made != NULL && watch(made, T.leaving, ledger, whole_number(at)) == 0) {
        put(meta, M.grad, made);
        failed = note_few(ledger, (PyObject *[]){SLOT(leaf, N.told), here, at}, 3, TAKEN, (int32_t)whole_number(version));
    }
    Py_XDECREF(made);
    Py_XDECREF(at);
    return failed < 0 ? -1 : 1;
}

/* The leaves that something came for in the order in which it came for the last time. */
static PyObject *in_order(PyObject *run) {
    PyObject *arrived = SLOT(run, U.arrived);
    int is_once = SLOT(run, U.waiting) == Py_None && PyList_GET_SIZE(arrived) == PyDict_GET_SIZE(SLOT(run, U.cells));
    if (is_once) return Py_NewRef(arrived);
    PyObject *seen = PyDict_New(), *leaves = NULL;
    int failed = seen == NULL;
    for (Py_ssize_t i = PyList_GET_SIZE(arrived) - 1; !failed && i >= 0; i--)
        failed = PyDict_SetItem(seen, PyList_GET_ITEM(arrived, i), Py_None) < 0;
    if (!failed) leaves = PyDict_Keys(seen);
    if (leaves != NULL && PyList_Reverse(leaves) < 0) Py_CLEAR(leaves);
    Py_XDECREF(seen);
    return leaves;
}

static int finish_one(PyObject *leaf, PyObject *cells, Descent *descent) {
    PyObject *cell = PyDict_GetItemWithError(cells, leaf);
    if (cell == NULL) return PyErr_Occurred() ? -1 : 0;
    int taken = cell == Py_None ? 1 : take(leaf, cell, descent->tape);
    if (taken != 0) return taken < 0 ? -1 : 0;
    PyObject *stored = has_python(descent) ? PyObject_CallFunctionObjArgs(descent->take, leaf, cell, NULL) : NULL;
    Py_XDECREF(stored);
    return stored == NULL ? -1 : 0;
}

/* What came for each leaf goes into its `.grad`, in order. */
int finish(Descent *descent) {
    PyObject *cells = SLOT(descent->run, U.cells);
    if (PyDict_GET_SIZE(cells) == 0) return 0;
    PyObject *leaves = in_order(descent->run);
    int failed = leaves == NULL;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(leaves); i++)
        failed = finish_one(PyList_GET_ITEM(leaves, i), cells, descent) < 0;
    Py_XDECREF(leaves);
    return failed ? -1 : 0;
}

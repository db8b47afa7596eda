/* The loop of the quick engine: down through the sequence numbers, node by node; see Note [Sorted runs] in quick.py. */

#include "native.h"

#define BREATH 1024 /* nodes, after which Python may be interrupted */

static int newest(PyObject *pending, long long *found) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    *found = -1;
    while (PyDict_Next(pending, &at, &key, &value)) {
        long long nr = whole_number(key);
        if (nr == -1 && PyErr_Occurred()) return -1;
        if (nr > *found) *found = nr;
    }
    return 0;
}

/* Where Python has to go on: `stepped` and `settle` of a Running, which is made now if it was not needed before. */
int has_python(Descent *descent) {
    if (descent->stepped != NULL) return 1;
    PyObject *running = PyObject_CallFunctionObjArgs(K.Running, descent->tape, descent->call, descent->run, NULL);
    if (running == NULL) return 0;
    descent->stepped = PyObject_GetAttrString(running, "stepped");
    descent->settle = PyObject_GetAttrString(running, "settle");
    descent->take = PyObject_GetAttrString(running, "take");
    Py_DECREF(running);
    return descent->stepped != NULL && descent->settle != NULL && descent->take != NULL;
}

/* Whether the tape was told at once of `node`: it tells of its run itself. */
static int is_direct(PyObject *node, PyObject *direct) {
    return PySet_GET_SIZE(direct) != 0 && PySet_Contains(direct, SLOT(node, N.told)) != 0;
}

/* Run `node`, which has the number `at`, here or by Python. */
static int run_node(Descent *descent, PyObject *node, PyObject *at) {
    PyObject *run = descent->run;
    int heard = descent->direct != Py_None;
    PyObject *buffers = SLOT(run, U.buffers);
    Step *step = (Step *)PyDict_GetItemWithError(K.steps, (PyObject *)Py_TYPE(node));
    if (step == NULL && PyErr_Occurred()) return -1;
    PyObject *grad = step == NULL ? NULL : PyDict_GetItemWithError(buffers, at);
    if (grad == NULL && PyErr_Occurred()) return -1;
    if (grad != NULL && grad != Py_None && !(heard && is_direct(node, descent->direct))) {
        Py_INCREF(grad);
        int taken = PyDict_DelItem(buffers, at) < 0 ? -1 : step_taken(step, node, &grad, run, heard);
        if (taken == 0 && PyDict_SetItem(buffers, at, grad) < 0) taken = -1;
        Py_XDECREF(grad);
        if (taken != 0) return taken < 0 ? -1 : 0;
    }
    PyObject *stepped = has_python(descent) ? PyObject_CallFunctionObjArgs(descent->stepped, node, at, run, NULL) : NULL;
    Py_XDECREF(stepped);
    return stepped == NULL ? -1 : 0;
}

static int settle(Descent *descent) {
    if (PyList_GET_SIZE(SLOT(descent->run, U.shared)) == 0) return 0;
    PyObject *settled = has_python(descent) ? PyObject_CallOneArg(descent->settle, descent->run) : NULL;
    Py_XDECREF(settled);
    return settled == NULL ? -1 : 0;
}

/* Run all nodes that are pending, and those that they lead to. A node that fails is pending again. */
int go_down(Descent *descent) {
    PyObject *pending = SLOT(descent->run, U.pending);
    long long at;
    if (newest(pending, &at) < 0) return -1;
    int misses = 0, breath = 0;
    for (; PyDict_GET_SIZE(pending) != 0; at--) {
        PyObject *key = PyLong_FromLongLong(at);
        if (key == NULL) return -1;
        PyObject *node = PyDict_GetItemWithError(pending, key);
        if (node == NULL) {
            Py_DECREF(key);
            if (PyErr_Occurred()) return -1;
            if (++misses > K.MISSES) {
                if (newest(pending, &at) < 0) return -1;
                at++;
                misses = 0;
            }
            continue;
        }
        misses = 0;
        Py_INCREF(node);
        int failed = PyDict_DelItem(pending, key) < 0 || run_node(descent, node, key) < 0 || settle(descent) < 0;
        if (!failed && ++breath == BREATH) {
            breath = 0;
            failed = PyErr_CheckSignals() < 0;
        }
        if (failed) {
            PyObject *type, *value, *traceback;
            PyErr_Fetch(&type, &value, &traceback);
            PyDict_SetItem(pending, key, node);
            PyErr_Restore(type, value, traceback);
        }
        Py_DECREF(node);
        Py_DECREF(key);
        if (failed) return -1;
    }
    return 0;
}

/* descend(run, stepped, settle, direct): `in_python` of descent.py. */
PyObject *descend(PyObject *module, PyObject *args) {
    (void)module;
    Descent descent = {0};
    if (!PyArg_ParseTuple(args, "OOOO", &descent.run, &descent.stepped, &descent.settle, &descent.direct)) return NULL;
    if (go_down(&descent) < 0) return NULL;
    Py_RETURN_NONE;
}

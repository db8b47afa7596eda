/* Formulas over arrays: the gradient of one edge, and whether it is as the edge expects it. */

#include "native.h"

PyObject *gradient(Formula *formula, PyObject *grad, PyObject **loaded) {
    PyObject *arguments[MANY];
    switch (formula->how) {
        case AS_IT_IS: return Py_NewRef(grad);
        case NEGATED: return computed(OPPOSITE, grad, NULL);
        case TIMES: {
            PyObject *factor = loaded[formula->argument[0]];
            return factor == NULL ? PyNumber_Multiply(grad, Py_None) : computed(PRODUCT, grad, factor);
        }
    }
    for (int i = 0; i < formula->arguments; i++) {
        int at = formula->argument[i];
        arguments[i] = formula->value[i] != NULL ? formula->value[i] : at < 0 ? grad : loaded[at];
        if (arguments[i] == NULL) arguments[i] = Py_None;
    }
    return PyObject_Vectorcall(formula->function, arguments, formula->arguments, NULL);
}

int has_lengths(PyObject *array, PyObject *lengths) {
    int count = PyArray_NDIM((PyArrayObject *)array);
    if (PyTuple_GET_SIZE(lengths) != count) return 0;
    for (int i = 0; i < count; i++)
        if (PyLong_AsSsize_t(PyTuple_GET_ITEM(lengths, i)) != PyArray_DIM((PyArrayObject *)array, i)) return 0;
    return 1;
}

/* Whether the gradient `made` is as its edge to `below` expects it, as far as the formula leaves that open. */
int fits(Formula *formula, PyObject *node, PyObject *grad, PyObject *made, PyObject *below) {
    PyObject *outs = SLOT(below, N.outs);
    if (formula->fits == FITS) return 1;
    if (outs == NULL) return 0;
    if (formula->fits == OF_ONE_KIND) return outs == SLOT(node, N.outs);
    if (outs == K.SCALAR && is_number(made)) return 1;
    if (!is_array(made)) return 0;
    if (formula->fits == OF_ONE_SHAPE) return outs == SLOT(node, N.outs) && is_array(grad);
    PyObject *out = PyTuple_GET_ITEM(outs, 0);
    if (!PyTuple_CheckExact(out)) return 0;
    return PyTuple_GET_ITEM(out, 1) == K.FLOAT && has_lengths(made, PyTuple_GET_ITEM(out, 0));
}

PyObject *fitted(PyObject *node, int index, PyObject *made, PyObject *below) {
    PyObject *at = PyLong_FromLong(index);
    if (at == NULL) return NULL;
    PyObject *found = PyObject_CallFunctionObjArgs(K.fitted, node, at, made, below, K.zero, NULL);
    Py_DECREF(at);
    return found;
}

/* ---- how they are described */

int read_formula(PyObject *described, Formula *formula) {
    PyObject *function, *arguments;
    if (!PyArg_ParseTuple(described, "iiOO!", &formula->how, &formula->fits, &function, &PyTuple_Type, &arguments))
        return -1;
    formula->function = function == Py_None ? NULL : Py_NewRef(function);
    if (PyTuple_GET_SIZE(arguments) > MANY) {
        PyErr_SetString(PyExc_ValueError, "a formula of so much is not for the native path");
        return -1;
    }
    formula->arguments = (int)PyTuple_GET_SIZE(arguments);
    for (int i = 0; i < formula->arguments; i++) {
        PyObject *value;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(arguments, i), "iO", &formula->argument[i], &value)) return -1;
        formula->value[i] = formula->argument[i] < -1 ? Py_NewRef(value) : NULL;
    }
    return 0;
}

void drop_formula(Formula *formula) {
    Py_XDECREF(formula->function);
    for (int i = 0; i < formula->arguments; i++) Py_XDECREF(formula->value[i]);
}

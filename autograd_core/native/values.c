/* Tuples that describe arrays, tensors over them, and the arithmetic that is done without asking Python's functions. */

#include "native.h"

static PyObject *whole(npy_intp *numbers, int count, npy_intp unit) {
    PyObject *tuple = PyTuple_New(count);
    if (tuple == NULL) return NULL;
    for (int i = 0; i < count; i++) {
        PyObject *number = PyLong_FromSsize_t(numbers[i] / unit);
        if (number == NULL) {
            Py_DECREF(tuple);
            return NULL;
        }
        PyTuple_SET_ITEM(tuple, i, number);
    }
    return tuple;
}

/* `array.shape`. */
PyObject *lengths_of(PyArrayObject *array) { return whole(PyArray_DIMS(array), PyArray_NDIM(array), 1); }

/* Its strides in elements. */
PyObject *steps_of(PyArrayObject *array) {
    return whole(PyArray_STRIDES(array), PyArray_NDIM(array), PyArray_ITEMSIZE(array));
}

/* `outs` of a node whose one result is `data`. */
PyObject *outs_for(PyObject *data) {
    if (is_number(data)) return Py_NewRef(K.SCALAR);
    PyObject *lengths = lengths_of((PyArrayObject *)data);
    if (lengths == NULL) return NULL;
    PyObject *outs = PyDict_GetItemWithError(K.known_floats, lengths);
    if (outs != NULL)
        Py_INCREF(outs);
    else if (!PyErr_Occurred())
        outs = PyObject_CallFunctionObjArgs(K.outs_of, lengths, K.FLOAT, NULL);
    Py_DECREF(lengths);
    return outs;
}

/* A tensor over `data` that has no more than that. */
PyObject *tensor_over(PyObject *data) {
    PyObject *tensor = K.Tensor->tp_alloc(K.Tensor, 0);
    if (tensor == NULL) return NULL;
    FILL(tensor, T.data_, Py_NewRef(data));
    FILL(tensor, T.storage_, Py_NewRef(Py_None));
    FILL(tensor, T.node, Py_NewRef(Py_None));
    FILL(tensor, T.meta, Py_NewRef(Py_None));
    return tensor;
}

static PyObject *number(float value) {
    PyObject *made = PyFloatArrType_Type.tp_alloc(&PyFloatArrType_Type, 0);
    if (made != NULL) PyArrayScalar_ASSIGN(made, Float, value);
    return made;
}

/* `self` and `other` put together as `how` says; `other` is NULL where there is but one. */
PyObject *computed(int how, PyObject *self, PyObject *other) {
    if (is_number(self) && (other == NULL || is_number(other))) {
        float a = PyArrayScalar_VAL(self, Float), b = other == NULL ? 0 : PyArrayScalar_VAL(other, Float);
        switch (how) {
            case SUM: return number(a + b);
            case DIFFERENCE: return number(a - b);
            case PRODUCT: return number(a * b);
            case QUOTIENT: return number(a / b);
            case OPPOSITE: return number(-a);
        }
    }
    switch (how) {
        case SUM: return PyNumber_Add(self, other);
        case DIFFERENCE: return PyNumber_Subtract(self, other);
        case PRODUCT: return PyNumber_Multiply(self, other);
        case QUOTIENT: return PyNumber_TrueDivide(self, other);
        case OPPOSITE: return PyNumber_Negative(self);
        case DOT: return PyArray_MatrixProduct2(self, other, NULL);
    }
    PyErr_BadInternalCall();
    return NULL;
}

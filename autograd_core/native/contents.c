/* The contents of values as records have them: numbers and the bytes of arrays. */

#include "native.h"

/* How many bytes they take, by their code. */
size_t length_of(int32_t code) { return code >= 0 ? (size_t)code : code == NUMBER ? sizeof(float) : 0; }

/* Whether `data` is an array in rows that a fact may hold. */
int is_small_array(PyObject *data) {
    return is_array(data) && PyArray_IS_C_CONTIGUOUS((PyArrayObject *)data) &&
           PyArray_SIZE((PyArrayObject *)data) <= K.LARGE;
}

/* What a fact has of `data`: -1 with an error set. To be given back with `drop_contents`. */
int contents_of(PyObject *data, Contents *found) {
    found->rows = NULL;
    if (is_number(data)) {
        found->code = NUMBER;
        found->number = PyArrayScalar_VAL(data, Float);
        return 0;
    }
    found->rows = PyArray_GETCONTIGUOUS((PyArrayObject *)data);
    if (found->rows == NULL) return -1;
    found->code = (int32_t)PyArray_NBYTES(found->rows);
    return 0;
}

void drop_contents(Contents *found) { Py_XDECREF((PyObject *)found->rows); }

/* Put them at `at`; gives the place after them. */
char *put_contents(char *at, Contents *found) {
    size_t length = length_of(found->code);
    if (length) memcpy(at, found->code == NUMBER ? (void *)&found->number : PyArray_DATA(found->rows), length);
    return at + length;
}

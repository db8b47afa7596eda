/* What records stand for: entries as Python reads them, tuples and numbers like those that compiled code notes.

Numbers of tensors and nodes count from the base of the tape on, NONE where there is none. */

#include "native.h"

static PyObject *larger(int32_t number, long long base) {
    return number == NONE ? Py_NewRef(Py_None) : PyLong_FromLongLong(number + base);
}

/* ---- contents */

/* What is at `*at` by its code: a float, bytes, True or None. */
static PyObject *contents_at(int32_t code, const char **at) {
    const char *here = *at;
    *at += length_of(code);
    if (code == AGAIN) return Py_NewRef(Py_True);
    if (code == NONE) return Py_NewRef(Py_None);
    if (code != NUMBER) return PyBytes_FromStringAndSize(here, code);
    float number;
    memcpy(&number, here, sizeof number);
    return PyFloat_FromDouble(number);
}

/* The same, of an array with its shape and dtype, the first of `outs`. */
static PyObject *value_at(int32_t code, const char **at, PyObject *outs) {
    PyObject *contents = contents_at(code, at);
    if (code < 0 || contents == NULL) return contents;
    PyObject *value = PyTuple_Pack(2, PyTuple_GET_ITEM(outs, 0), contents);
    Py_DECREF(contents);
    return value;
}

/* A tuple of `count` new references; NULL if one of them is, with an error set. */
static PyObject *tuple_of(PyObject **parts, int count) {
    PyObject *tuple = PyTuple_New(count);
    int whole = tuple != NULL;
    for (int i = 0; i < count; i++) {
        whole &= parts[i] != NULL;
        if (tuple != NULL)
            PyTuple_SET_ITEM(tuple, i, parts[i]);
        else
            Py_XDECREF(parts[i]);
    }
    if (!whole) Py_CLEAR(tuple);
    return tuple;
}

/* ---- entry by entry */

/* That a node ran, by its number; that a tensor goes, by the inverse of it; that a node goes. */
PyObject *number_entry(int kind, long long number) {
    if (kind == RAN) return PyLong_FromLongLong(number);
    if (kind == LEFT) return PyLong_FromLongLong(~number);
    PyObject *parts[] = {Py_NewRef(K.GOES), PyLong_FromLongLong(number)};
    return tuple_of(parts, 2);
}

/* What an operator made. Objects: it, `outs`, other things that the node keeps; numbers: the code of the result,
   sequence_nr, result, node, operands, edges, versions. */
static PyObject *made(Record *record, long long base) {
    PyObject **objects = OBJECTS(record), *parts[8 + 3 * MANY];
    Operator *op = (Operator *)objects[0];
    const int32_t *numbers = NUMBERS(record);
    const char *at = BYTES(record);
    int told = op->operands + op->edges, n = 8, other = 2, i = 4;
    parts[0] = Py_NewRef(op->entry);
    parts[1] = larger(numbers[2], base);
    parts[2] = Py_NewRef(Py_None);
    parts[3] = larger(numbers[3], base);
    parts[4] = PyLong_FromLong(numbers[1]);
    parts[5] = Py_NewRef(objects[1]);
    parts[6] = contents_at(numbers[0], &at);
    parts[7] = Py_NewRef(op->zeros);
    for (; i < 4 + told; i++) parts[n++] = larger(numbers[i], base);
    for (int k = 0; k < op->keeps; k++)
        if (op->kept[k].version) parts[n++] = larger(numbers[i++], 0);
    for (int k = 0; k < op->keeps; k++)
        if (!op->kept[k].version)
            parts[n++] = Py_NewRef(op->kept[k].kind == VALUE ? op->kept[k].value : objects[other++]);
    return tuple_of(parts, n);
}

/* A result without a node. Objects: the operator, `outs` of an array, bare operands; numbers: the code of the result, its
   own, operands. */
static PyObject *plain(Record *record, long long base) {
    PyObject **objects = OBJECTS(record), *parts[5 + 2 * MANY];
    Operator *op = (Operator *)objects[0];
    const int32_t *numbers = NUMBERS(record);
    const char *at = BYTES(record);
    int n = 5;
    parts[0] = Py_NewRef(op->entry);
    parts[1] = larger(numbers[1], base);
    parts[2] = Py_NewRef(Py_None);
    parts[3] = Py_NewRef(Py_None);
    parts[4] = value_at(numbers[0], &at, objects[1]);
    for (int i = 0; i < op->operands; i++) parts[n++] = larger(numbers[2 + i], base);
    for (int i = 0; i < op->bare; i++) parts[n++] = Py_NewRef(objects[2 + i]);
    return tuple_of(parts, n);
}

/* A node that ran, with its gradients. Objects: `outs` of each; numbers: that of the node, whether those left out are
   computed again, the code of each. */
static PyObject *handed(Record *record, long long base) {
    PyObject **objects = OBJECTS(record), *parts[1 + MANY];
    const int32_t *numbers = NUMBERS(record);
    const char *at = BYTES(record);
    int edges = record->objects, n = 1;
    parts[0] = larger(numbers[0], base);
    if (!numbers[1]) {
        for (int i = 0; i < edges; i++) parts[n++] = value_at(numbers[2 + i], &at, objects[i]);
        return tuple_of(parts, n);
    }
    PyObject *grads = PyDict_New();
    for (int i = 0; grads != NULL && i < edges; i++) {
        if (numbers[2 + i] == LEFT_OUT) continue;
        PyObject *edge = PyLong_FromLong(i), *value = value_at(numbers[2 + i], &at, objects[i]);
        if (edge == NULL || value == NULL || PyDict_SetItem(grads, edge, value) < 0) Py_CLEAR(grads);
        Py_XDECREF(edge);
        Py_XDECREF(value);
    }
    parts[1] = grads;
    return tuple_of(parts, 2);
}

/* What is said in a few numbers, the first of which says what: a leaf got an AccumulateGrad, a `.grad` was set to None,
   or a leaf took a gradient. */
static PyObject *few(Record *record, long long base) {
    const int32_t *n = NUMBERS(record);
    PyObject *here = larger(n[1], base), *there = larger(n[2], base);
    if (n[0] == JOINED) return tuple_of((PyObject *[]){Py_NewRef(K.JOINED), here, there, Py_NewRef(Py_None)}, 4);
    if (n[0] == GONE) return tuple_of((PyObject *[]){Py_NewRef(K.GONE), here, there, Py_NewRef(Py_None)}, 4);
    PyObject *parts[] = {Py_NewRef(K.LEAF), here,  Py_NewRef(K.taken), there, larger(n[3], base), Py_NewRef(Py_None),
                         PyLong_FromLong(n[4])};
    return tuple_of(parts, 7);
}

/* `outs` for the lengths at `*at`, behind which it leaves off. */
static PyObject *outs_at(const int32_t **at) {
    int count = *(*at)++;
    PyObject *parts[NPY_MAXDIMS], *lengths, *outs;
    for (int i = 0; i < count; i++) parts[i] = PyLong_FromLong(*(*at)++);
    lengths = tuple_of(parts, count);
    outs = lengths == NULL ? NULL : PyObject_CallFunctionObjArgs(K.outs_of, lengths, K.FLOAT, NULL);
    Py_XDECREF(lengths);
    return outs;
}

/* A write. Object: the name of the operator; numbers: tensor, storage, the other operand, version, what it is a view of,
   the code of the contents, the lengths of the tensor and of that. All are from the base on. */
static PyObject *wrote(Record *record) {
    PyObject **objects = OBJECTS(record), *aliases, *value, *written, *outs;
    const int32_t *n = NUMBERS(record), *lengths = n + 6;
    const char *at = BYTES(record);
    PyObject *given = tuple_of((PyObject *[]){PyLong_FromLong(n[2])}, 1);
    written = tuple_of((PyObject *[]){PyLong_FromLong(n[0]), PyLong_FromLong(n[1]), Py_NewRef(objects[0]), given,
                                      PyLong_FromLong(n[3]), Py_NewRef(Py_True)}, 6);
    outs = outs_at(&lengths);
    value = outs == NULL ? NULL : value_at(n[5], &at, outs);
    Py_XDECREF(outs);
    outs = n[4] == NONE || value == NULL ? NULL : outs_at(&lengths);
    if (outs == NULL) {
        aliases = PyErr_Occurred() ? NULL : PyTuple_New(0);
    } else {
        PyObject *seen = PyTuple_Pack(2, PyTuple_GET_ITEM(outs, 0), PyTuple_GET_ITEM(value, 1));
        Py_DECREF(outs);
        PyObject *alias = tuple_of((PyObject *[]){PyLong_FromLong(n[4]), PyLong_FromLong(n[3]), seen}, 3);
        aliases = tuple_of(&alias, 1);
    }
    return tuple_of((PyObject *[]){Py_NewRef(K.WROTE), written, value, aliases}, 4);
}

/* The entry that `record` stands for. */
PyObject *record_entry(int kind, Record *record, long long base) {
    switch (kind) {
        case OBJECT: return Py_NewRef(OBJECTS(record)[0]);
        case MADE: return made(record, base);
        case PLAIN: return plain(record, base);
        case HANDED: return handed(record, base);
        case FEW: return few(record, base);
        case WROTE: return wrote(record);
    }
    PyErr_BadInternalCall();
    return NULL;
}

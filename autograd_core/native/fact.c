/* The fact of an operator with a node, in as few bytes as can be: a tape has many. Who reads asks for it as a tuple. */

#include "native.h"

#define NONE (-1)

typedef struct {
    PyObject_HEAD
    Operator *op; /* of the table, which lasts */
    PyObject *outs, *raw;
    long long nr;
    int32_t numbers[]; /* of result and node, of operands and edges, from the base of the tape on; versions */
} Fact;

/* Whether all that a node of `op` keeps can be said so. */
int is_compact(Operator *op) {
    for (int i = 0; i < op->keeps; i++)
        if (op->kept[i].kind != OPERAND && op->kept[i].kind != RESULT && op->kept[i].kind != VALUE) return 0;
    return 1;
}

static int small(PyObject *number, long long base, int32_t *found) {
    if (number == Py_None) {
        *found = NONE;
        return 1;
    }
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow) - base;
    *found = (int32_t)value;
    return !overflow && value >= 0 && value <= INT32_MAX;
}

/* The fact, whose references are those of the tape; NULL without an error if a number is too large for it. */
PyObject *compact_fact(Operator *op, PyObject *node, PyObject *raw, PyObject *base, PyObject **numbers) {
    int count = 2 + op->operands + op->edges, at = count;
    Fact *fact = PyObject_Malloc(sizeof(Fact) + sizeof(int32_t) * (count + op->keeps));
    if (fact == NULL) return PyErr_NoMemory();
    long long from = PyLong_AsLongLong(base);
    int overflow, fits = 1;
    fact->nr = PyLong_AsLongLongAndOverflow(SLOT(node, N.sequence_nr), &overflow);
    for (int i = 0; i < count; i++) fits &= small(numbers[i], from, &fact->numbers[i]);
    for (int i = 0; i < op->keeps; i++)
        if (op->kept[i].version) fits &= small(SLOT(node, op->kept[i].version), 0, &fact->numbers[at++]);
    if (overflow || !fits) {
        PyObject_Free(fact);
        return NULL;
    }
    fact->op = op;
    fact->outs = Py_NewRef(SLOT(node, N.outs));
    fact->raw = Py_NewRef(raw);
    return PyObject_Init((PyObject *)fact, &FactType);
}

static PyObject *large(int32_t number, long long base) {
    return number == NONE ? Py_NewRef(Py_None) : PyLong_FromLongLong(number + base);
}

/* fact.told(base): the tuple that `_heard` of compiled code notes, without a proxy: see leaving.c. */
static PyObject *told(PyObject *self, PyObject *start) {
    Fact *fact = (Fact *)self;
    Operator *op = fact->op;
    long long base = PyLong_AsLongLong(start);
    if (base == -1 && PyErr_Occurred()) return NULL;
    int count = op->operands + op->edges, at = 2;
    PyObject *tuple = PyTuple_New(8 + count + op->keeps);
    if (tuple == NULL) return NULL;
    Py_ssize_t n = 0;
    PyTuple_SET_ITEM(tuple, n++, Py_NewRef(op->entry));
    PyTuple_SET_ITEM(tuple, n++, large(fact->numbers[0], base));
    PyTuple_SET_ITEM(tuple, n++, Py_NewRef(Py_None));
    PyTuple_SET_ITEM(tuple, n++, large(fact->numbers[1], base));
    PyTuple_SET_ITEM(tuple, n++, PyLong_FromLongLong(fact->nr));
    PyTuple_SET_ITEM(tuple, n++, Py_NewRef(fact->outs));
    PyTuple_SET_ITEM(tuple, n++, Py_NewRef(fact->raw));
    PyTuple_SET_ITEM(tuple, n++, Py_NewRef(op->zeros));
    for (int i = 0; i < count; i++) PyTuple_SET_ITEM(tuple, n++, large(fact->numbers[at++], base));
    for (int i = 0; i < op->keeps; i++)
        if (op->kept[i].version) PyTuple_SET_ITEM(tuple, n++, large(fact->numbers[at++], 0));
    for (int i = 0; i < op->keeps; i++)
        if (!op->kept[i].version) PyTuple_SET_ITEM(tuple, n++, Py_NewRef(op->kept[i].value));
    return tuple;
}

static void dropped(PyObject *self) {
    Fact *fact = (Fact *)self;
    Py_DECREF(fact->outs);
    Py_DECREF(fact->raw);
    PyObject_Free(self);
}

static PyMethodDef methods[] = {{"told", told, METH_O, NULL}, {NULL, NULL, 0, NULL}};

PyTypeObject FactType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "autograd_core.native.fact",
    .tp_basicsize = sizeof(Fact),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = dropped,
    .tp_methods = methods,
};

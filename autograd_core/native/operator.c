/* An operator on usual operands: what `_usual` of its compiled code does, which is asked for all others.

Usual are float32 numbers and arrays in rows, results of other operators or leaves, in a thread where nobody listens. */

#include "native.h"

/* ---- operands */

/* Whether the gradient of `tensor` goes to the node that made it, or to a leaf: it is no view of something in a graph. */
static int has_plain_edge(PyObject *tensor) {
    PyObject *meta = SLOT(tensor, T.meta);
    if (meta == Py_None) return 1;
    if (SLOT(tensor, T.node) != Py_None) return 0;
    PyObject *view = SLOT(meta, M.view);
    if (view == Py_None) return 1;
    PyObject *base = SLOT(view, V.base);
    return SLOT(base, T.meta) == Py_None && SLOT(base, T.node) == Py_None;
}

static PyObject *alive(PyObject *reference) {
    if (reference == Py_None) return NULL;
#if PY_VERSION_HEX >= 0x030d0000
    PyObject *found = NULL;
    PyWeakref_GetRef(reference, &found);
    return found;
#else
    PyObject *found = PyWeakref_GetObject(reference);
    return found == Py_None ? NULL : Py_NewRef(found);
#endif
}

/* The node to which the gradient of `tensor` goes, or None. */
static PyObject *edge_of(PyObject *tape, PyObject *tensor) {
    PyObject *meta = SLOT(tensor, T.meta);
    if (meta == Py_None) return Py_NewRef(SLOT(tensor, T.node));
    if (SLOT(meta, M.requires_grad) != Py_True) return Py_NewRef(Py_None);
    PyObject *leaf = alive(SLOT(meta, M.accumulator));
    return leaf != NULL ? leaf : new_leaf(tape, tensor, meta);
}

/* The data of all operands, borrowed; 0 if one is not usual. The second may be a number, if the operator says so. */
static int look_at(Operator *op, PyObject *const *given, PyObject **data) {
    for (int i = 0; i < op->operands; i++) {
        PyObject *operand = given[i];
        if (is_tensor(operand) && is_whole(operand)) {
            data[i] = SLOT(operand, T.data_);
            if (!is_usual(data[i], op->in_rows) || !has_plain_edge(operand)) return 0;
        } else if (op->numbers && i == 1 && PyFloat_CheckExact(operand)) {
            data[i] = operand;
        } else {
            return 0;
        }
    }
    if (op->matrices) {
        if (is_number(data[0]) || is_number(data[1])) return 0;
        PyArrayObject *self = (PyArrayObject *)data[0], *other = (PyArrayObject *)data[1];
        return PyArray_NDIM(self) == 2 && PyArray_NDIM(other) == 2 && PyArray_DIM(other, 0) != 1;
    }
    return 1;
}

/* The result, as the operator's forward gives it. */
static PyObject *result_of(Operator *op, PyObject **data) {
    if (op->how == CALLED) return PyObject_Vectorcall(op->forward, data, op->operands, NULL);
    if (op->numbers && PyFloat_CheckExact(data[1]) && !is_number(data[0])) {
        PyObject *other = PyObject_GetItem(K.numbers, data[1]);
        if (other == NULL) return NULL;
        PyObject *result = computed(op->how, data[0], other);
        Py_DECREF(other);
        return result;
    }
    return computed(op->how, data[0], op->operands > 1 ? data[1] : NULL);
}

/* ---- what is made */

/* The node of `result`, unless no operand needs a gradient. */
static int link_up(Operator *op, PyObject *tape, PyObject *const *given, PyObject **data, PyObject *result) {
    PyObject *next = PyTuple_New(op->edges), *node = NULL;
    if (next == NULL) return -1;
    int wanted = 0;
    for (int i = 0; i < op->edges; i++) {
        PyObject *operand = given[op->edge[i]];
        PyObject *below = is_tensor(operand) ? edge_of(tape, operand) : Py_NewRef(Py_None);
        if (below == NULL) goto failed;
        if (below != Py_None) wanted |= 1 << op->edge[i];
        PyTuple_SET_ITEM(next, i, below);
    }
    if (wanted == 0) {
        Py_DECREF(next);
        return 0;
    }
    node = op->node->tp_alloc(op->node, 0);
    if (node == NULL) goto failed;
    FILL(node, N.next, Py_NewRef(next));
    FILL(node, N.hooks, Py_NewRef(Py_None));
    FILL(node, N.freed, Py_NewRef(Py_False));
    FILL(node, N.nrs, Py_NewRef(op->zeros));
    FILL(node, N.sequence_nr, next_of(tape == NULL ? K.sequence : SLOT(tape, L.sequence)));
    FILL(node, N.outs, outs_for(SLOT(result, T.data_)));
    if (SLOT(node, N.sequence_nr) == NULL || SLOT(node, N.outs) == NULL) goto failed;
    for (int i = 0; i < op->keeps; i++)
        if (keep(&op->kept[i], node, given, data, result, wanted) < 0) goto failed;
    put(result, T.node, node);
    Py_DECREF(node);
    Py_DECREF(next);
    return 0;
failed:
    Py_XDECREF(node);
    Py_DECREF(next);
    return -1;
}

/* ---- the call */

/* The result, with its node if it has one. NULL without an error: only Python knows what torch makes of these. */
static PyObject *made_of(Operator *op, PyObject *tape, int tracked, PyObject *const *given, PyObject **data) {
    int charged = tape != NULL && SLOT(tape, L.reserve) != Py_None;
    int later = charged && is_free(op, tape, data, op->operands);
    if (charged && !later && reserve(op, tape, data) < 0) return NULL;
    PyObject *made = result_of(op, data);
    if (made != NULL && later && !is_free(op, tape, &made, 1) && reserve(op, tape, data) < 0) {
        Py_DECREF(made);
        return NULL;
    }
    if (made == NULL || !is_usual(made, op->in_rows)) {
        if (made == NULL && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
        Py_XDECREF(made);
        return NULL;
    }
    PyObject *result = tensor_over(made);
    Py_DECREF(made);
    if (result == NULL) return NULL;
    if ((tracked && link_up(op, tape, given, data, result) < 0) ||
        (tape != NULL && tell(op, tape, given, data, result) < 0))
        Py_CLEAR(result);
    return result;
}

/* Numbers beside a node are told of as tensors. */
static int for_tape(Operator *op, PyObject *tape, int tracked, PyObject *const *given) {
    return op->heard && SLOT(tape, L.sequence) != Py_None && !(tracked && op->operands > 1 && !is_tensor(given[1]));
}

static PyObject *called(PyObject *self, PyObject *const *given, size_t flags, PyObject *names) {
    Operator *op = (Operator *)self;
    PyObject *data[MANY], *tape, *result = NULL;
    int usual = names == NULL && PyVectorcall_NARGS(flags) == op->operands ? listener(&tape) : 0;
    if (usual > 0 && look_at(op, given, data)) {
        int tracked = grad_enabled(tape);
        if (tracked >= 0 && (tape == NULL || for_tape(op, tape, tracked, given))) {
            for (int i = 0; i < op->operands; i++) Py_INCREF(data[i]);
            result = made_of(op, tape, tracked, given, data);
            for (int i = 0; i < op->operands; i++) Py_DECREF(data[i]);
        }
    }
    return result != NULL || PyErr_Occurred() ? result : PyObject_Vectorcall(op->python, given, flags, names);
}

/* ---- the type */

static PyObject *bound(PyObject *self, PyObject *instance, PyObject *type) {
    (void)type;
    return instance == NULL || instance == Py_None ? Py_NewRef(self) : PyMethod_New(self, instance);
}

static PyObject *shown(PyObject *self) {
    PyObject *name = PyObject_GetAttrString(self, "__qualname__");
    if (name == NULL) return NULL;
    PyObject *text = PyUnicode_FromFormat("<function %U at %p>", name, self);
    Py_DECREF(name);
    return text;
}

/* A copy is the operator itself, and pickles know it by its name, as functions of Python. */
static PyObject *reduced(PyObject *self, PyObject *nothing) {
    (void)nothing;
    return PyObject_GetAttrString(self, "__qualname__");
}

static void dropped(PyObject *self) {
    Operator *op = (Operator *)self;
    for (int i = 0; i < op->keeps; i++) Py_XDECREF(op->kept[i].value);
    Py_XDECREF(op->fields);
    Py_XDECREF(op->python);
    Py_XDECREF(op->node);
    Py_XDECREF(op->forward);
    Py_XDECREF(op->zeros);
    Py_XDECREF(op->entry);
    Py_XDECREF(op->name);
    Py_XDECREF(op->rest);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef methods[] = {{"__reduce__", reduced, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyGetSetDef fields[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject OperatorType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "autograd_core.native.operator",
    .tp_basicsize = sizeof(Operator),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_vectorcall_offset = offsetof(Operator, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_dictoffset = offsetof(Operator, fields),
    .tp_descr_get = bound,
    .tp_dealloc = dropped,
    .tp_repr = shown,
    .tp_methods = methods,
    .tp_getset = fields,
};

/* operator(python, entry, name, node, forward, zeros, operands, edge, rest, how, numbers, in_rows, matrices, light,
   heard, again, exact, bare, kept): an operator whose unusual operands are for the function `python`; see describing.py. */
PyObject *operator_for(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *python, *entry, *name, *node, *forward, *zeros, *edge, *rest, *kept;
    int operands, how, numbers, in_rows, matrices, light, heard, again, exact, bare;
    if (!PyArg_ParseTuple(args, "OOUO!OO!iO!O!ipppppppiO!", &python, &entry, &name, &PyType_Type, &node, &forward,
                          &PyTuple_Type, &zeros, &operands, &PyTuple_Type, &edge, &PyTuple_Type, &rest, &how, &numbers,
                          &in_rows, &matrices, &light, &heard, &again, &exact, &bare, &PyTuple_Type, &kept))
        return NULL;
    if (operands > MANY || PyTuple_GET_SIZE(edge) > MANY) {
        PyErr_SetString(PyExc_ValueError, "an operator with so much is not for the native path");
        return NULL;
    }
    Operator *op = (Operator *)OperatorType.tp_alloc(&OperatorType, 0);
    if (op == NULL) return NULL;
    op->vectorcall = called;
    op->python = Py_NewRef(python);
    op->node = (PyTypeObject *)Py_NewRef(node);
    op->forward = Py_NewRef(forward);
    op->zeros = Py_NewRef(zeros);
    op->entry = Py_NewRef(entry);
    op->name = Py_NewRef(name);
    op->rest = Py_NewRef(rest);
    op->light = light;
    op->heard = heard;
    op->again = again;
    op->exact = exact;
    op->bare = bare;
    op->operands = operands;
    op->how = how;
    op->numbers = numbers;
    op->in_rows = in_rows;
    op->matrices = matrices;
    op->edges = (int)PyTuple_GET_SIZE(edge);
    for (int i = 0; i < op->edges; i++) op->edge[i] = (int)PyLong_AsLong(PyTuple_GET_ITEM(edge, i));
    if (read_kept(op->node, kept, op->kept, &op->keeps) < 0) goto failed;
    if (PyErr_Occurred()) goto failed;
    return (PyObject *)op;
failed:
    Py_DECREF(op);
    return NULL;
}

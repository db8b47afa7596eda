/* What is done beside it all while a tape listens: a fact for each operator and for each node that ran.

The facts are those of `_heard` and `_heard_step` in compiled code; see Note [Facts] in recording/. */

#include "native.h"

int note(PyObject *add, PyObject *fact) {
    if (fact == NULL) return -1;
    PyObject *list = PyCFunction_Check(add) ? PyCFunction_GET_SELF(add) : NULL;
    int failed;
    if (list != NULL && PyList_CheckExact(list)) {
        if (PyTuple_CheckExact(fact)) PyObject_GC_UnTrack(fact); /* no cycle goes through it: the tape lets go of it */
        failed = PyList_Append(list, fact) < 0;
    } else {
        PyObject *added = PyObject_CallOneArg(add, fact);
        failed = added == NULL;
        Py_XDECREF(added);
    }
    Py_DECREF(fact);
    return failed ? -1 : 0;
}

/* The tape that takes facts of this thread, in `*tape`, borrowed, if one does. 0 if the thread is not for this path. */
int listener(PyObject **tape) {
    *tape = NULL;
    if (PyDict_GET_SIZE(K.singular) == 0) return 1;
    PyObject *number, *way;
    Py_ssize_t at = 0;
    unsigned long thread = PyThread_get_thread_ident();
    while (PyDict_Next(K.singular, &at, &number, &way))
        if (PyLong_AsUnsignedLong(number) == thread) break;
        else way = NULL;
    if (way == NULL) return 1;
    if (way == Py_False || !PyObject_TypeCheck(way, K.Tape)) return 0;
    *tape = way;
    return 1;
}

/* ---- contents */

static int is_small_array(PyObject *data) {
    return is_array(data) && PyArray_IS_C_CONTIGUOUS((PyArrayObject *)data) &&
           PyArray_SIZE((PyArrayObject *)data) <= K.LARGE;
}

static PyObject *contents(PyObject *data) {
    if (is_number(data)) return PyFloat_FromDouble(PyArrayScalar_VAL(data, Float));
    return PyArray_ToString((PyArrayObject *)data, NPY_CORDER);
}

/* What a fact has of the result `made`: None if it is computed again by whoever reads. */
static PyObject *raw(Operator *op, PyObject **data, PyObject *made) {
    int again = op->again && (op->exact || !is_number(made));
    if (again && op->exact)
        again = is_number(made) || PyArray_SIZE((PyArrayObject *)made) != 0;
    else
        for (int i = 0; again && i < op->operands; i++) again = is_small_array(data[i]);
    return again ? Py_NewRef(Py_None) : contents(made);
}

/* ---- numbers */

PyObject *next_of(PyObject *counter) { return Py_TYPE(counter)->tp_iternext(counter); }

/* The number that a tape of this `base` gave, borrowed; NULL if it has given none. */
static PyObject *told(PyObject *object, Py_ssize_t slot, PyObject *base) {
    PyObject *number = SLOT(object, slot);
    return number == NULL || PyLong_AsLongLong(number) < PyLong_AsLongLong(base) ? NULL : number;
}

static PyObject *as_tuple(PyObject *const *given, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != NULL && i < count; i++) PyTuple_SET_ITEM(tuple, i, Py_NewRef(given[i]));
    return tuple;
}

/* Let the tape's method `name` tell of `result` at once. */
static int told_at_once(PyObject *tape, PyObject *method, PyObject *result, Operator *op, PyObject *const *given) {
    PyObject *operands = as_tuple(given, op->operands);
    if (operands == NULL) return -1;
    PyObject *found = PyObject_CallMethodObjArgs(tape, method, result, op->name, operands, NULL);
    Py_DECREF(operands);
    Py_XDECREF(found);
    return found == NULL ? -1 : 0;
}

/* ---- facts of operators */

/* The fact of a result without a node. */
static int note_result(Operator *op, PyObject *tape, PyObject *const *given, PyObject **data, PyObject *result) {
    PyObject *base = SLOT(tape, L.base), *made = SLOT(result, T.data_), *numbers[MANY];
    for (int i = 0; i < op->operands; i++) {
        numbers[i] = is_tensor(given[i]) ? told(given[i], T.told, base) : Py_None;
        if (numbers[i] == NULL) return told_at_once(tape, K.result, result, op, given);
    }
    PyObject *at = next_of(SLOT(tape, L.tensors_told));
    if (at == NULL) return -1;
    put(result, T.told, at);
    PyObject *add = SLOT(tape, L.add), *kept = raw(op, data, made);
    if (kept != NULL && kept != Py_None && !is_number(made)) {
        PyObject *outs = outs_for(made);
        PyObject *whole = outs == NULL ? NULL : PyTuple_Pack(2, PyTuple_GET_ITEM(outs, 0), kept);
        Py_XDECREF(outs);
        Py_SETREF(kept, whole);
    }
    PyObject *fact = kept == NULL || watch(result, at, add) < 0 ? NULL : PyTuple_New(5 + op->operands + op->bare);
    if (fact == NULL) {
        Py_XDECREF(kept);
        Py_DECREF(at);
        return -1;
    }
    PyObject *first[] = {Py_NewRef(op->entry), at, Py_NewRef(Py_None), Py_NewRef(Py_None), kept};
    Py_ssize_t n = 0;
    for (; n < 5; n++) PyTuple_SET_ITEM(fact, n, first[n]);
    for (int i = 0; i < op->operands; i++) PyTuple_SET_ITEM(fact, n++, Py_NewRef(numbers[i]));
    for (int i = 1; i <= op->bare; i++)
        PyTuple_SET_ITEM(fact, n++, Py_NewRef(is_tensor(given[i]) ? Py_None : given[i]));
    return note(add, fact);
}

/* The numbers of all operands and edges in `found`, new references; 0 if only the tape can tell of them. */
static int numbers_of(Operator *op, PyObject *tape, PyObject *const *given, PyObject *next, PyObject **found) {
    PyObject *base = SLOT(tape, L.base);
    int all = 1;
    for (int i = 0; i < op->operands; i++)
        if ((found[i] = told(given[i], T.told, base)) == NULL) all = 0;
    for (int i = 0; i < op->edges; i++) {
        PyObject *below = PyTuple_GET_ITEM(next, i);
        PyObject *number = below == Py_None ? Py_None : told(below, N.told, base);
        if (number == NULL) all = 0;
        found[op->operands + i] = number;
    }
    if (all) {
        for (int i = 0; i < op->operands + op->edges; i++) Py_INCREF(found[i]);
        return 1;
    }
    PyObject *operands = as_tuple(given, op->operands);
    PyObject *met = operands == NULL ? NULL : PyObject_CallFunctionObjArgs(K.met, tape, operands, next, NULL);
    Py_XDECREF(operands);
    if (met == NULL) return -1;
    int known = met != Py_None;
    for (int i = 0; known && i < op->operands + op->edges; i++) found[i] = Py_NewRef(PyTuple_GET_ITEM(met, i));
    Py_DECREF(met);
    return known;
}

/* The fact of a result and its node as a tuple. `numbers` are those of both, of operands and edges. */
static PyObject *whole_fact(Operator *op, PyObject *node, PyObject *kept, PyObject **numbers) {
    int count = op->operands + op->edges;
    PyObject *fact = PyTuple_New(8 + count + op->keeps);
    if (fact == NULL) return NULL;
    PyObject *first[] = {op->entry, numbers[0], Py_None, numbers[1], SLOT(node, N.sequence_nr), SLOT(node, N.outs),
                         kept, op->zeros};
    Py_ssize_t n = 0;
    for (; n < 8; n++) PyTuple_SET_ITEM(fact, n, Py_NewRef(first[n]));
    for (int i = 0; i < count; i++) PyTuple_SET_ITEM(fact, n++, Py_NewRef(numbers[2 + i]));
    for (int i = 0; i < op->keeps; i++)
        if (op->kept[i].version) PyTuple_SET_ITEM(fact, n++, Py_NewRef(SLOT(node, op->kept[i].version)));
    for (int i = 0; i < op->keeps; i++)
        if (!op->kept[i].version) PyTuple_SET_ITEM(fact, n++, Py_NewRef(SLOT(node, op->kept[i].slot)));
    return fact;
}

/* The fact of `result` and its node. */
static int note_node(Operator *op, PyObject *tape, PyObject *const *given, PyObject **data, PyObject *result) {
    PyObject *node = SLOT(result, T.node), *add = SLOT(tape, L.add), *numbers[2 + 2 * MANY];
    int known = numbers_of(op, tape, given, SLOT(node, N.next), numbers + 2);
    if (known <= 0) return known < 0 ? -1 : told_at_once(tape, K.both, result, op, given);
    int failed = -1;
    PyObject *kept = NULL, *fact = NULL;
    numbers[0] = next_of(SLOT(tape, L.tensors_told));
    numbers[1] = next_of(SLOT(tape, L.nodes_told));
    if (numbers[0] == NULL || numbers[1] == NULL) goto end;
    put(result, T.told, numbers[0]);
    put(node, N.told, numbers[1]);
    if (SLOT(result, T.storage_) != Py_None) put(SLOT(result, T.storage_), S.told, numbers[0]);
    kept = raw(op, data, SLOT(result, T.data_));
    if (kept == NULL || watch(result, numbers[0], add) < 0) goto end;
    if (op->compact) fact = compact_fact(op, node, kept, SLOT(tape, L.base), numbers);
    if (fact == NULL && !PyErr_Occurred()) fact = whole_fact(op, node, kept, numbers);
    if (fact != NULL) failed = note(add, fact);
end:
    for (int i = 0; i < 2 + op->operands + op->edges; i++) Py_XDECREF(numbers[i]);
    Py_XDECREF(kept);
    return failed;
}

/* Whether the first `count` of `data`, operands and result, are so small that nothing is charged for them. */
int is_free(Operator *op, PyObject *tape, PyObject **data, int count) {
    if (!op->light) return 0;
    long most = PyLong_AsLong(SLOT(tape, L.free));
    for (int i = 0; i < count; i++)
        if (PyArray_CheckExact(data[i]) && PyArray_SIZE((PyArrayObject *)data[i]) > most) return 0;
    return most > 0;
}

/* Whether the tape lets the operator compute: it may charge for it. */
int reserve(Operator *op, PyObject *tape, PyObject **data) {
    PyObject *charge = SLOT(tape, L.reserve);
    if (charge == Py_None) return 0;
    int more = (int)PyTuple_GET_SIZE(op->rest);
    PyObject *arguments = PyTuple_New(op->operands + more);
    if (arguments == NULL) return -1;
    for (int i = 0; i < op->operands; i++) PyTuple_SET_ITEM(arguments, i, Py_NewRef(data[i]));
    for (int i = 0; i < more; i++)
        PyTuple_SET_ITEM(arguments, op->operands + i, Py_NewRef(PyTuple_GET_ITEM(op->rest, i)));
    PyObject *charged = PyObject_CallFunctionObjArgs(charge, op->name, arguments, NULL);
    Py_DECREF(arguments);
    Py_XDECREF(charged);
    return charged == NULL ? -1 : 0;
}

/* Tell of the result of an operator, which may have a node. */
int tell(Operator *op, PyObject *tape, PyObject *const *given, PyObject **data, PyObject *result) {
    PyObject *made = SLOT(result, T.data_);
    int has_node = SLOT(result, T.node) != Py_None;
    if (!is_number(made)) {
        npy_intp size = PyArray_SIZE((PyArrayObject *)made);
        if (size > K.LARGE) return told_at_once(tape, has_node ? K.both : K.result, result, op, given);
        PyObject *weigh = SLOT(tape, L.weigh);
        if (size > K.SMALL && weigh != Py_None) {
            PyObject *weighed = PyObject_CallOneArg(weigh, result);
            Py_XDECREF(weighed);
            if (weighed == NULL) return -1;
        }
    }
    return (has_node ? note_node : note_result)(op, tape, given, data, result);
}

/* ---- facts of nodes that ran */

/* What the fact has of the gradient `made` of an edge: True if the formula gives it again, from arrays as they were. */
static PyObject *gradient_noted(int again, PyObject *made, PyObject *below) {
    if (again) return Py_NewRef(Py_True);
    if (is_number(made)) return contents(made);
    if (made == Py_None) return Py_NewRef(Py_None);
    PyObject *bytes = PyArray_ToString((PyArrayObject *)made, NPY_CORDER);
    if (bytes == NULL) return NULL;
    PyObject *noted = PyTuple_Pack(2, PyTuple_GET_ITEM(SLOT(below, N.outs), 0), bytes);
    Py_DECREF(bytes);
    return noted;
}

/* Whether the gradient of this formula is computed again by whoever reads. */
static int is_again(Step *step, Formula *formula, PyObject *grad, PyObject **loaded) {
    if (!is_small_array(grad)) return 0;
    for (int i = 0; i < formula->arguments; i++) {
        int at = formula->argument[i];
        if (at >= 0 && step->kept[at].version && (loaded[at] == NULL || !is_small_array(loaded[at]))) return 0;
    }
    return 1;
}

/* The fact that `node` ran; `apart` says, as bits, which gradients were not what the formula gave. */
int note_step(Step *step, PyObject *node, PyObject *grad, PyObject *next, PyObject **loaded, PyObject **made,
              int apart, PyObject *run) {
    PyObject *add = SLOT(run, U.add), *number = SLOT(node, N.told), *fact = NULL;
    if (step->exact) {
        if (apart == 0 || step->fitting) return note(add, Py_NewRef(number));
        PyObject *grads = PyDict_New();
        for (int i = 0; grads != NULL && i < step->edges; i++) {
            if (!(apart & 1 << i)) continue;
            PyObject *at = PyLong_FromLong(i), *noted = PyObject_CallOneArg(K.noted, made[i]);
            if (at == NULL || noted == NULL || PyDict_SetItem(grads, at, noted) < 0) Py_CLEAR(grads);
            Py_XDECREF(at);
            Py_XDECREF(noted);
        }
        if (grads == NULL) return -1;
        fact = PyTuple_Pack(2, number, grads);
        Py_DECREF(grads);
        return note(add, fact);
    }
    fact = PyTuple_New(1 + step->edges);
    if (fact == NULL) return -1;
    PyTuple_SET_ITEM(fact, 0, Py_NewRef(number));
    for (int i = 0; i < step->edges; i++) {
        PyObject *noted = Py_NewRef(Py_None);
        if (made[i] != NULL) {
            int again = !(apart & 1 << i) && is_again(step, &step->formula[i], grad, loaded);
            Py_SETREF(noted, gradient_noted(again, made[i], PyTuple_GET_ITEM(next, i)));
        }
        if (noted == NULL) {
            Py_DECREF(fact);
            return -1;
        }
        PyTuple_SET_ITEM(fact, 1 + i, noted);
    }
    return note(add, fact);
}

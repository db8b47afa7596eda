/* What is done beside it all while a tape listens: a fact for each operator, as `_heard` of compiled code notes it. (Those
of nodes that ran are in ran.c.) See Note [Facts] in recording/. */

#include "native.h"

/* The tape that takes facts of this thread, in `*tape`, borrowed, if one does. 0 if the thread is not for this path. */
int listener(PyObject **tape) {
    *tape = NULL;
    if (PyDict_GET_SIZE(K.singular) == 0) return 1;
    PyObject *number, *way;
    Py_ssize_t at = 0;
    unsigned long thread = PyThread_get_thread_ident();
    while (PyDict_Next(K.singular, &at, &number, &way))
        if ((unsigned long)whole_number(number) == thread) break;
        else way = NULL;
    if (way == NULL) return 1;
    if (way == Py_False || !PyObject_TypeCheck(way, K.Tape) || ledger_of(SLOT(way, L.add)) == NULL) return 0;
    *tape = way;
    return 1;
}

/* Whether grad mode is on in this thread, to which `tape` listens unless it is NULL; -1 with an error set. */
int grad_enabled(PyObject *tape) {
    if (tape != NULL) return SLOT(tape, L.grad) == Py_True;
    if (PySet_GET_SIZE(K.special) == 0) return 1;
    PyObject *enabled = PyObject_GetAttr(K.state, K.grad_enabled);
    int is_on = enabled == NULL ? -1 : PyObject_IsTrue(enabled);
    Py_XDECREF(enabled);
    return is_on;
}

/* ---- numbers */

PyObject *next_of(PyObject *counter) { return Py_TYPE(counter)->tp_iternext(counter); }

/* The number that a tape of this `base` gave, borrowed; NULL if it has given none. */
PyObject *told_by(PyObject *object, Py_ssize_t slot, PyObject *base) {
    PyObject *number = SLOT(object, slot);
    return number == NULL || whole_number(number) < whole_number(base) ? NULL : number;
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

/* What a fact has of the result `made`: nothing if it is computed again by whoever reads. */
static int raw(Operator *op, PyObject **data, PyObject *made, Contents *found) {
    int again = op->again && (op->exact || !is_number(made));
    if (again && op->exact)
        again = is_number(made) || PyArray_SIZE((PyArrayObject *)made) != 0;
    else
        for (int i = 0; again && i < op->operands; i++) again = is_small_array(data[i]);
    if (!again) return contents_of(made, found);
    *found = (Contents){.code = NONE};
    return 0;
}

/* `number` from the base of the ledger on, NONE for None; 0 if it does not fit there. */
int from_base(Ledger *ledger, PyObject *number, int32_t *found) {
    *found = NONE;
    if (number == Py_None) return 1;
    long long value = whole_number(number) - ledger->base;
    *found = (int32_t)value;
    return value >= 0 && value <= INT32_MAX;
}

/* A fact of the few `numbers` of tensors and nodes, and one `more` of a FEW that is TAKEN. */
int note_few(Ledger *ledger, PyObject *const *numbers, int count, int32_t kind, int32_t more) {
    Record *record = ledger_record(ledger, FEW, 0, 2 + count, 0);
    if (record == NULL) return -1;
    NUMBERS(record)[0] = kind;
    for (int i = 0; i < count; i++) from_base(ledger, numbers[i], &NUMBERS(record)[1 + i]);
    NUMBERS(record)[1 + count] = more;
    return 0;
}

/* The fact of a result without a node. */
static int note_result(Operator *op, PyObject *tape, PyObject *const *given, PyObject **data, PyObject *result) {
    Ledger *ledger = ledger_of(SLOT(tape, L.add));
    PyObject *base = SLOT(tape, L.base), *made = SLOT(result, T.data_);
    int32_t numbers[2 + MANY];
    for (int i = 0; i < op->operands; i++) {
        PyObject *number = is_tensor(given[i]) ? told_by(given[i], T.told, base) : Py_None;
        if (number == NULL || !from_base(ledger, number, &numbers[2 + i]))
            return told_at_once(tape, K.result, result, op, given);
    }
    PyObject *at = next_of(SLOT(tape, L.tensors_told));
    Contents kept;
    if (at == NULL || raw(op, data, made, &kept) < 0) {
        Py_XDECREF(at);
        return -1;
    }
    Record *record = NULL;
    put(result, T.told, at);
    from_base(ledger, at, &numbers[1]);
    numbers[0] = kept.code;
    PyObject *outs = kept.code < 0 ? Py_NewRef(Py_None) : outs_for(made);
    if (outs != NULL && watch(result, T.leaving, ledger, whole_number(at)) == 0)
        record = ledger_record(ledger, PLAIN, 2 + op->bare, 2 + op->operands, length_of(kept.code));
    Py_DECREF(at);
    if (record == NULL) {
        Py_XDECREF(outs);
        drop_contents(&kept);
        return -1;
    }
    OBJECTS(record)[0] = Py_NewRef((PyObject *)op);
    OBJECTS(record)[1] = outs;
    for (int i = 1; i <= op->bare; i++)
        OBJECTS(record)[1 + i] = Py_NewRef(is_tensor(given[i]) ? Py_None : given[i]);
    memcpy(NUMBERS(record), numbers, (2 + op->operands) * sizeof *numbers);
    put_contents(BYTES(record), &kept);
    drop_contents(&kept);
    return 0;
}

/* The numbers of all operands and edges, from the base on, in `found`; 0 if only the tape can tell of them. */
static int numbers_of(Operator *op, PyObject *tape, PyObject *const *given, PyObject *next, int32_t *found) {
    PyObject *base = SLOT(tape, L.base);
    Ledger *ledger = ledger_of(SLOT(tape, L.add));
    int known = 1;
    for (int i = 0; known && i < op->operands; i++) {
        PyObject *number = told_by(given[i], T.told, base);
        known = number != NULL && from_base(ledger, number, &found[i]);
    }
    for (int i = 0; known && i < op->edges; i++) {
        PyObject *below = PyTuple_GET_ITEM(next, i);
        PyObject *number = below == Py_None ? Py_None : told_by(below, N.told, base);
        known = number != NULL && from_base(ledger, number, &found[op->operands + i]);
    }
    if (known) return 1;
    PyObject *operands = as_tuple(given, op->operands);
    PyObject *met = operands == NULL ? NULL : PyObject_CallFunctionObjArgs(K.met, tape, operands, next, NULL);
    Py_XDECREF(operands);
    if (met == NULL) return -1;
    known = met != Py_None;
    for (int i = 0; known && i < op->operands + op->edges; i++)
        known = from_base(ledger, PyTuple_GET_ITEM(met, i), &found[i]);
    Py_DECREF(met);
    return known;
}

/* The record of `result` and its node; `numbers` are those of the operands and edges, behind which is room. */
static int record_made(Operator *op, Ledger *ledger, PyObject *result, PyObject *node, Contents *kept, int32_t *numbers) {
    int others = 0, n = 4 + op->operands + op->edges;
    numbers[0] = kept->code;
    numbers[1] = (int32_t)whole_number(SLOT(node, N.sequence_nr));
    from_base(ledger, SLOT(result, T.told), &numbers[2]);
    from_base(ledger, SLOT(node, N.told), &numbers[3]);
    for (int i = 0; i < op->keeps; i++) {
        if (!op->kept[i].version) {
            others += op->kept[i].kind != VALUE;
            continue;
        }
        PyObject *version = SLOT(node, op->kept[i].version);
        numbers[n++] = version == Py_None ? NONE : (int32_t)whole_number(version);
    }
    Record *record = ledger_record(ledger, MADE, 2 + others, n, length_of(kept->code));
    if (record == NULL) return -1;
    PyObject **objects = OBJECTS(record);
    *objects++ = Py_NewRef((PyObject *)op);
    *objects++ = Py_NewRef(SLOT(node, N.outs));
    for (int i = 0; i < op->keeps; i++)
        if (!op->kept[i].version && op->kept[i].kind != VALUE) *objects++ = Py_NewRef(SLOT(node, op->kept[i].slot));
    memcpy(NUMBERS(record), numbers, n * sizeof *numbers);
    put_contents(BYTES(record), kept);
    return 0;
}

/* The fact of `result` and its node. */
static int note_node(Operator *op, PyObject *tape, PyObject *const *given, PyObject **data, PyObject *result) {
    PyObject *node = SLOT(result, T.node);
    Ledger *ledger = ledger_of(SLOT(tape, L.add));
    int32_t numbers[4 + 3 * MANY];
    int known = numbers_of(op, tape, given, SLOT(node, N.next), numbers + 4);
    if (known <= 0) return known < 0 ? -1 : told_at_once(tape, K.both, result, op, given);
    PyObject *at = next_of(SLOT(tape, L.tensors_told)), *joined = next_of(SLOT(tape, L.nodes_told));
    Contents kept;
    int failed = -1;
    if (at != NULL && joined != NULL && raw(op, data, SLOT(result, T.data_), &kept) == 0) {
        put(result, T.told, at);
        put(node, N.told, joined);
        if (SLOT(result, T.storage_) != Py_None) put(SLOT(result, T.storage_), S.told, at);
        if (watch(result, T.leaving, ledger, whole_number(at)) == 0)
            failed = record_made(op, ledger, result, node, &kept, numbers);
        drop_contents(&kept);
    }
    Py_XDECREF(at);
    Py_XDECREF(joined);
    return failed;
}

/* Whether the first `count` of `data`, operands and result, are so small that nothing is charged for them. */
int is_free(Operator *op, PyObject *tape, PyObject **data, int count) {
    if (!op->light) return 0;
    long most = (long)whole_number(SLOT(tape, L.free));
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

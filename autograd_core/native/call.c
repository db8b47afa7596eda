/* `tensor.backward()` that is recorded, of a graph in which all is as usual: the call around the quick engine. */

#include "native.h"

/* Whether nothing but facts is to be told of the graph below `root`, and no call is under way around this one. */
static int is_usual_call(PyObject *tape, PyObject *tensor, PyObject *fields) {
    PyObject *root = SLOT(tensor, T.node), *base = SLOT(tape, L.base);
    if (SLOT(tape, L.plain) != Py_True || SLOT(tape, L.foreign) != Py_False) return 0;
    if (ledger_of(SLOT(tape, L.add)) == NULL) return 0;
    if (told_by(tensor, T.told, base) == NULL || told_by(root, N.told, base) == NULL) return 0;
    if (!PyDict_Contains(K.steps, (PyObject *)Py_TYPE(root))) return 0;
    PyObject *calls = PyDict_GetItemWithError(fields, K.calls);
    return calls != NULL && PyList_CheckExact(calls) && PyList_GET_SIZE(calls) == 0 &&
           PyList_GET_SIZE(SLOT(tape, L.levels)) == 0;
}

/* Let the tape emit a flight, whose reference is taken over. */
static int emit(PyObject *tape, PyObject *flight) {
    PyObject *take = flight == NULL ? NULL : PyObject_GetAttr(tape, K.emit);
    PyObject *taken = take == NULL ? NULL : PyObject_CallOneArg(take, flight);
    Py_XDECREF(flight);
    Py_XDECREF(take);
    Py_XDECREF(taken);
    return taken == NULL ? -1 : 0;
}

/* The call starts, and the first gradient comes. */
static int start(PyObject *tape, PyObject *number, PyObject *tensor, PyObject *retain) {
    PyObject *root = SLOT(tensor, T.node), *base = SLOT(tape, L.base);
    PyObject *from = PyNumber_Subtract(SLOT(tensor, T.told), base), *at = PyNumber_Subtract(SLOT(root, N.told), base);
    PyObject *tensors = from == NULL ? NULL : PyTuple_Pack(1, from), *nodes = at == NULL ? NULL : PyTuple_Pack(1, at);
    PyObject *flight = NULL;
    if (tensors != NULL && nodes != NULL)
        flight = PyTuple_Pack(9, K.BackwardStarted, number, K.named, tensors, nodes, retain, Py_False, K.nothing,
                              Py_None);
    Py_XDECREF(from);
    Py_XDECREF(at);
    Py_XDECREF(tensors);
    Py_XDECREF(nodes);
    if (emit(tape, flight) < 0) return -1;
    return ledger_add(ledger_of(SLOT(tape, L.add)), PyTuple_Pack(4, K.ROOT, SLOT(root, N.told), K.zero, K.one));
}

/* A run that has begun with `root`; see `new_run`. */
static PyObject *begun(PyObject *tape, PyObject *call, PyObject *root, PyObject *retain) {
    PyObject *run = K.Run->tp_alloc(K.Run, 0);
    if (run == NULL) return NULL;
    const Py_ssize_t tables[] = {U.buffers, U.pending, U.cells, U.sums, U.written}, lists[] = {U.shared, U.arrived};
    FILL(run, U.retain, Py_NewRef(retain));
    FILL(run, U.call, Py_NewRef(call));
    FILL(run, U.add, Py_NewRef(SLOT(tape, L.add)));
    FILL(run, U.waiting, Py_NewRef(Py_None));
    int failed = 0;
    for (int i = 0; i < 5; i++) failed |= FILL(run, tables[i], PyDict_New()) == NULL;
    for (int i = 0; i < 2; i++) failed |= FILL(run, lists[i], PyList_New(0)) == NULL;
    PyObject *nr = SLOT(root, N.sequence_nr);
    failed = failed || PyDict_SetItem(SLOT(run, U.buffers), nr, K.ONE) < 0 ||
             PyDict_SetItem(SLOT(run, U.pending), nr, root) < 0;
    if (failed) Py_CLEAR(run);
    return run;
}

/* An error is on its way: let Python tell how far the run came, and put `.grad` in order. */
static void broken_off(Descent *descent) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *given[] = {descent->tape, descent->call, descent->run, value};
    PyObject *told = PyObject_Vectorcall(K.broken_off, given, 4, NULL);
    if (told == NULL) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        return;
    }
    Py_DECREF(told);
    PyErr_Restore(type, value, traceback);
}

/* The run itself, with the call among those of the thread and grad mode off, as `under_way` does it. */
static int worked(Descent *descent, PyObject *fields, PyObject *root, PyObject *retain) {
    PyObject *tape = descent->tape, *calls = PyDict_GetItemWithError(fields, K.calls);
    PyObject *before = Py_NewRef(SLOT(tape, L.grad));
    int failed = PyDict_SetItem(fields, K.grad_enabled, Py_False) < 0 || PyList_Append(calls, descent->call) < 0;
    put(tape, L.grad, Py_False);
    if (!failed) {
        descent->run = begun(tape, descent->call, root, retain);
        failed = descent->run == NULL;
        if (!failed && (go_down(descent) < 0 || finish(descent) < 0)) {
            failed = 1;
            broken_off(descent);
        }
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (PyList_SetSlice(calls, PyList_GET_SIZE(calls) - 1, PyList_GET_SIZE(calls), NULL) < 0) PyErr_Clear();
    if (PyDict_SetItem(fields, K.grad_enabled, before) < 0) PyErr_Clear();
    put(tape, L.grad, before);
    Py_DECREF(before);
    PyErr_Restore(type, value, traceback);
    return failed ? -1 : 0;
}

static int run_call(PyObject *tape, PyObject *call, PyObject *tensor, PyObject *retain, PyObject *fields) {
    PyObject *number = PyObject_GetAttr(call, K.number), *root = Py_NewRef(SLOT(tensor, T.node));
    Descent descent = {.tape = tape, .call = call, .direct = PyObject_GetAttr(tape, K.direct)};
    int failed = number == NULL || descent.direct == NULL || start(tape, number, tensor, retain) < 0 ||
                 worked(&descent, fields, root, retain) < 0;
    if (!failed) failed = emit(tape, PyTuple_Pack(2, K.BackwardFinished, number)) < 0;
    Py_XDECREF(number);
    Py_DECREF(root);
    Py_XDECREF(descent.direct);
    Py_XDECREF(descent.run);
    Py_XDECREF(descent.stepped);
    Py_XDECREF(descent.settle);
    Py_XDECREF(descent.take);
    return failed ? -1 : 0;
}

/* backward(tape, tensor, retain): `backward_in_python` of recording/engine.py, which is asked where not all is usual. */
PyObject *backward(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    if (count != 3) return PyErr_Format(PyExc_TypeError, "backward takes three arguments");
    PyObject *tape = args[0], *tensor = args[1], *retain = args[2], *call;
    PyObject *fields = PyObject_GetAttr(K.state, K.dict);
    if (fields == NULL) return NULL;
    int is_usual = PyDict_CheckExact(fields) && is_tensor(tensor) && PyObject_TypeCheck(tape, K.Tape) &&
                   is_usual_call(tape, tensor, fields);
    if (!is_usual) {
        Py_DECREF(fields);
        return PyErr_Occurred() ? NULL : PyObject_Vectorcall(K.backward, args, 3, NULL);
    }
    call = PyObject_CallFunctionObjArgs(K.Call, retain, Py_False, Py_None, NULL);
    int failed = call == NULL || run_call(tape, call, tensor, retain, fields) < 0;
    Py_XDECREF(call);
    Py_DECREF(fields);
    if (failed) return NULL;
    Py_RETURN_TRUE;
}

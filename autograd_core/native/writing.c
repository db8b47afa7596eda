/* What a step of training does beside its graph: it writes over parameters, and lets go of their gradients. */

#include "native.h"

/* ---- told of */

/* The number of `thing` in `known`, a tape's `tensors` or `storages`, borrowed; NULL if it is not there. */
static PyObject *number_in(PyObject *known, PyObject *thing) {
    PyObject *key = PyDict_GET_SIZE(known) ? PyLong_FromVoidPtr(thing) : NULL;
    PyObject *reference = key == NULL ? NULL : PyDict_GetItemWithError(known, key);
    Py_XDECREF(key);
    return reference == NULL ? NULL : SLOT(reference, W.number);
}

/* The tensor whose memory `tensor` is a view of, or NULL. */
static PyObject *base_of(PyObject *tensor) {
    PyObject *meta = SLOT(tensor, T.meta), *view = meta == Py_None ? Py_None : SLOT(meta, M.view);
    return view == Py_None ? NULL : SLOT(view, V.base);
}

/* Whether a fact can tell that what was made of `other` is written over `target`; see `Tape.wrote_alone`. */
static int is_told_alone(PyObject *tape, PyObject *target, PyObject *other) {
    PyObject *storage = SLOT(target, T.storage_), *base = SLOT(tape, L.base);
    if (told_by(target, T.told, base) == NULL || told_by(other, T.told, base) == NULL) return 0;
    if (SLOT(storage, S.address_) != Py_None || PyArray_SIZE((PyArrayObject *)SLOT(target, T.data_)) > K.LARGE) return 0;
    PyObject *whole = base_of(target);
    int holders = whole != NULL && SLOT(whole, T.storage_) == storage ? 2 : 1;
    return Py_REFCNT(storage) == holders;
}

/* Who sees what is written beside the tensor itself: that which it is a view of, by its number and data. */
typedef struct {
    int32_t number; /* NONE: nobody that the tape has met */
    PyArrayObject *data;
} Seen;

/* Who that is for `target`: 0 if it sees other contents, -1 with an error set. */
static int seen_by(PyObject *tape, PyObject *target, Seen *seen) {
    PyObject *whole = base_of(target), *known = whole == NULL ? NULL : number_in(SLOT(tape, L.tensors), whole);
    *seen = (Seen){.number = NONE};
    if (known == NULL) return PyErr_Occurred() ? -1 : 1;
    PyObject *data = SLOT(whole, T.data_);
    if (!is_array(data) || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)data)) return 0;
    *seen = (Seen){.number = (int32_t)whole_number(known), .data = (PyArrayObject *)data};
    return PyArray_NBYTES(seen->data) == PyArray_NBYTES((PyArrayObject *)SLOT(target, T.data_));
}

/* The number of the storage of `target`, from the base on; see `Tape.wrote_alone`. */
static int32_t storage_number(PyObject *tape, PyObject *target) {
    PyObject *storage = SLOT(target, T.storage_), *known = number_in(SLOT(tape, L.storages), storage);
    if (known != NULL) return (int32_t)whole_number(known);
    PyObject *own = told_by(storage, S.told, SLOT(tape, L.base));
    return (int32_t)(whole_number(own == NULL ? SLOT(target, T.told) : own) - whole_number(SLOT(tape, L.base)));
}

/* Put how many dimensions `data` has, and their lengths, at `at`; gives the place after them. */
static int32_t *put_lengths(int32_t *at, PyArrayObject *data) {
    *at++ = PyArray_NDIM(data);
    for (int i = 0; i < PyArray_NDIM(data); i++) *at++ = (int32_t)PyArray_DIM(data, i);
    return at;
}

/* The fact of a write. */
static int note_written(PyObject *tape, PyObject *name, PyObject *target, PyObject *other, Seen *seen) {
    Ledger *ledger = ledger_of(SLOT(tape, L.add));
    PyArrayObject *data = (PyArrayObject *)SLOT(target, T.data_);
    int lengths = PyArray_NDIM(data) + (seen->data == NULL ? 0 : PyArray_NDIM(seen->data));
    Record *record = ledger_record(ledger, WROTE, 1, 8 + lengths, PyArray_NBYTES(data));
    if (record == NULL) return -1;
    OBJECTS(record)[0] = Py_NewRef(name);
    int32_t *numbers = NUMBERS(record);
    from_base(ledger, SLOT(target, T.told), &numbers[0]);
    numbers[1] = storage_number(tape, target);
    from_base(ledger, SLOT(other, T.told), &numbers[2]);
    numbers[3] = (int32_t)whole_number(SLOT(SLOT(target, T.storage_), S.version));
    numbers[4] = seen->number;
    numbers[5] = (int32_t)PyArray_NBYTES(data);
    numbers = put_lengths(numbers + 6, data);
    if (seen->data != NULL) put_lengths(numbers, seen->data);
    memcpy(BYTES(record), PyArray_DATA(data), PyArray_NBYTES(data));
    return 0;
}

/* ---- done */

/* Whether two arrays of one shape, the first of which can be written in rows. */
static int fit_together(PyObject *mine, PyObject *theirs) {
    if (!is_array(mine) || !is_array(theirs)) return 0;
    PyArrayObject *a = (PyArrayObject *)mine, *b = (PyArrayObject *)theirs;
    return PyArray_ISWRITEABLE(a) && PyArray_IS_C_CONTIGUOUS(a) && PyArray_SAMESHAPE(a, b);
}

/* Whether nothing but the memory of `target` and its count changes if it is written: no graph, no other holder that is
   asked first. */
static int may_be_written(PyObject *target, PyObject *other, int tracked) {
    if (!is_tensor(target) || !is_tensor(other) || !is_whole(target) || !is_whole(other)) return 0;
    if (tracked && (SLOT(target, T.meta) != Py_None || SLOT(other, T.meta) != Py_None || SLOT(other, T.node) != Py_None))
        return 0;
    PyObject *storage = SLOT(target, T.storage_);
    return SLOT(target, T.node) == Py_None && Py_IS_TYPE(storage, K.Storage) && SLOT(storage, S.counts) == Py_True &&
           SLOT(other, T.storage_) == Py_None && fit_together(SLOT(target, T.data_), SLOT(other, T.data_));
}

/* Let the tape charge for what `name` writes; -1 if it refuses, with its error set. */
static int charge_for(PyObject *tape, PyObject *name, PyObject *mine, PyObject *theirs) {
    PyObject *charge = SLOT(tape, L.reserve);
    if (charge == Py_None || PyArray_SIZE((PyArrayObject *)mine) <= whole_number(SLOT(tape, L.free))) return 0;
    PyObject *both = PyTuple_Pack(2, mine, theirs);
    PyObject *charged = both == NULL ? NULL : PyObject_CallFunctionObjArgs(charge, name, both, NULL);
    Py_XDECREF(both);
    Py_XDECREF(charged);
    return charged == NULL ? -1 : 0;
}

static int count_write(PyObject *storage) {
    PyObject *version = PyLong_FromLongLong(whole_number(SLOT(storage, S.version)) + 1);
    if (version == NULL) return -1;
    put(storage, S.version, version);
    Py_DECREF(version);
    return 0;
}

/* Whether the tape takes a fact of the write, and lets it be done; -1 with an error set. */
static int may_be_told(PyObject *tape, PyObject *name, PyObject *target, PyObject *other, Seen *seen) {
    if (PyList_GET_SIZE(SLOT(tape, L.levels)) != 0 || !is_told_alone(tape, target, other)) return 0;
    int is_seen = seen_by(tape, target, seen);
    if (is_seen <= 0) return is_seen;
    return charge_for(tape, name, SLOT(target, T.data_), SLOT(other, T.data_)) < 0 ? -1 : 1;
}

/* write(name, ufunc, target, other): whether `ufunc` wrote over `target` what it makes of both. */
PyObject *write_over(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    if (count != 4) return PyErr_Format(PyExc_TypeError, "write takes four arguments");
    PyObject *tape, *name = args[0], *target = args[2], *other = args[3];
    if (listener(&tape) <= 0) Py_RETURN_FALSE;
    int tracked = grad_enabled(tape);
    if (tracked < 0) return NULL;
    if (!may_be_written(target, other, tracked)) Py_RETURN_FALSE;
    PyObject *mine = SLOT(target, T.data_), *theirs = SLOT(other, T.data_);
    Seen seen = {.number = NONE};
    if (tape != NULL) {
        int may_be = may_be_told(tape, name, target, other, &seen);
        if (may_be < 0) return NULL;
        if (may_be == 0) Py_RETURN_FALSE;
    }
    PyObject *given[] = {mine, theirs, mine};
    PyObject *made = PyObject_Vectorcall(args[1], given, 3, NULL);
    int failed = made == NULL || count_write(SLOT(target, T.storage_)) < 0;
    if (!failed && tape != NULL) failed = note_written(tape, name, target, other, &seen) < 0;
    Py_XDECREF(made);
    if (failed) return NULL;
    Py_RETURN_TRUE;
}

/* forget(tensor): whether its `.grad` was set to None. */
PyObject *forget(PyObject *module, PyObject *tensor) {
    (void)module;
    PyObject *tape, *meta = is_tensor(tensor) && is_whole(tensor) ? SLOT(tensor, T.meta) : Py_None;
    if (meta == Py_None || listener(&tape) <= 0) Py_RETURN_FALSE;
    PyObject *grad = SLOT(meta, M.grad);
    if (grad == NULL) Py_RETURN_FALSE;
    int failed = 0;
    Py_INCREF(grad);
    if (tape != NULL) {
        PyObject *base = SLOT(tape, L.base), *at = told_by(tensor, T.told, base);
        PyObject *was = grad == Py_None ? Py_None : is_tensor(grad) ? told_by(grad, T.told, base) : NULL;
        if (at == NULL || was == NULL) {
            Py_DECREF(grad);
            Py_RETURN_FALSE;
        }
        failed = note_few(ledger_of(SLOT(tape, L.add)), (PyObject *[]){at, was}, 2, GONE, 0);
    }
    if (!failed) put(meta, M.grad, Py_None);
    Py_DECREF(grad);
    if (failed) return NULL;
    Py_RETURN_TRUE;
}

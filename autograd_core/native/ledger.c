/* A ledger: the entries of a tape as records in large pieces of memory, which holds far fewer bytes than objects would.

To Python it is a list of the entries: it can be appended to, measured, indexed, and cut off at its end; records are made
tuples and numbers when they are asked for (entries.c). */

#include "native.h"

#define PIECE (1 << 16)      /* bytes of one piece; a record lies in one, at a multiple of 8 */
#define KIND_BITS 4          /* of each place: the kind of entry; the rest says where its record lies, or is a number */
#define PLACE_BITS 13        /* of where: in its piece */
#define MOST_PIECES (1 << (32 - KIND_BITS - PLACE_BITS))

#define KIND(place) ((place) & ((1u << KIND_BITS) - 1))
#define REST(place) ((place) >> KIND_BITS)

/* ---- growing */

static int place_for_one(Ledger *ledger) {
    if (ledger->count < ledger->room) return 0;
    Py_ssize_t room = ledger->room ? 2 * ledger->room : 256;
    uint32_t *places = PyMem_Realloc(ledger->places, room * sizeof *places);
    if (places == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    ledger->places = places;
    ledger->room = room;
    return 0;
}

static int piece_for(Ledger *ledger, size_t size) {
    if (ledger->pieces && ledger->used + size <= PIECE) return 0;
    if (size > PIECE || ledger->pieces == MOST_PIECES) {
        PyErr_SetString(PyExc_MemoryError, "a tape cannot hold so much");
        return -1;
    }
    char **piece = PyMem_Realloc(ledger->piece, (ledger->pieces + 1) * sizeof *piece);
    if (piece != NULL) {
        ledger->piece = piece;
        piece[ledger->pieces] = PyMem_Malloc(PIECE);
    }
    if (piece == NULL || piece[ledger->pieces] == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    ledger->pieces++;
    ledger->used = 0;
    return 0;
}

/* An entry that is the number of a tensor or node, as the tape gave it. */
int ledger_number(Ledger *ledger, int kind, long long number) {
    long long from_base = number - ledger->base;
    if (from_base < 0 || from_base >> (32 - KIND_BITS)) return ledger_add(ledger, number_entry(kind, number));
    if (place_for_one(ledger) < 0) return -1;
    ledger->places[ledger->count++] = (uint32_t)from_base << KIND_BITS | (uint32_t)kind;
    return 0;
}

/* A new record, to be filled at once: its objects first, with references of its own; NULL with an error set. */
Record *ledger_record(Ledger *ledger, int kind, int objects, int numbers, size_t bytes) {
    size_t size = sizeof(Record) + objects * sizeof(PyObject *) + numbers * sizeof(int32_t) + bytes;
    size = (size + 7) & ~(size_t)7;
    if (place_for_one(ledger) < 0 || piece_for(ledger, size) < 0) return NULL;
    Record *record = (Record *)(ledger->piece[ledger->pieces - 1] + ledger->used);
    record->objects = (uint16_t)objects;
    record->numbers = (uint16_t)numbers;
    record->bytes = (uint32_t)bytes;
    uint32_t at = (uint32_t)(ledger->pieces - 1) << PLACE_BITS | (uint32_t)(ledger->used >> 3);
    ledger->places[ledger->count++] = at << KIND_BITS | (uint32_t)kind;
    ledger->used += size;
    return record;
}

/* Any object, whose reference is taken over. */
int ledger_add(Ledger *ledger, PyObject *object) {
    if (object == NULL) return -1;
    Record *record = ledger_record(ledger, OBJECT, 1, 0, 0);
    if (record == NULL) {
        Py_DECREF(object);
        return -1;
    }
    if (PyTuple_CheckExact(object)) PyObject_GC_UnTrack(object); /* no cycle goes through it: the tape lets go of it */
    OBJECTS(record)[0] = object;
    return 0;
}

/* ---- looked at */

static int has_record(uint32_t place) { return KIND(place) > NODE_LEFT; }

static Record *record_at(Ledger *ledger, uint32_t rest) {
    return (Record *)(ledger->piece[rest >> PLACE_BITS] + ((size_t)(rest & ((1u << PLACE_BITS) - 1)) << 3));
}

static PyObject *entry(Ledger *ledger, Py_ssize_t at) {
    uint32_t place = ledger->places[at];
    if (!has_record(place)) return number_entry(KIND(place), ledger->base + REST(place));
    return record_entry(KIND(place), record_at(ledger, REST(place)), ledger->base);
}

static PyObject *entry_at(PyObject *self, Py_ssize_t at) {
    if (at < 0 || at >= ((Ledger *)self)->count) return PyErr_Format(PyExc_IndexError, "no such entry");
    return entry((Ledger *)self, at);
}

static Py_ssize_t length(PyObject *self) { return ((Ledger *)self)->count; }

static PyObject *entries(Ledger *ledger, Py_ssize_t from, Py_ssize_t to) {
    PyObject *list = PyList_New(to > from ? to - from : 0);
    for (Py_ssize_t at = from; list != NULL && at < to; at++) {
        PyObject *one = entry(ledger, at);
        if (one == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, at - from, one);
    }
    return list;
}

static PyObject *subscript(PyObject *self, PyObject *key) {
    Ledger *ledger = (Ledger *)self;
    if (PySlice_Check(key)) {
        Py_ssize_t from, to, step;
        if (PySlice_Unpack(key, &from, &to, &step) < 0) return NULL;
        PySlice_AdjustIndices(ledger->count, &from, &to, step);
        return step == 1 ? entries(ledger, from, to) : PyErr_Format(PyExc_ValueError, "entries are taken in order");
    }
    Py_ssize_t at = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (at == -1 && PyErr_Occurred()) return NULL;
    return entry_at(self, at < 0 ? at + ledger->count : at);
}

/* ---- cut off */

static void drop_objects(Record *record) {
    for (int i = 0; i < record->objects; i++) Py_DECREF(OBJECTS(record)[i]);
}

static void drop_all(Ledger *ledger) {
    Ledger before = *ledger;
    ledger->places = NULL;
    ledger->piece = NULL;
    ledger->count = ledger->room = 0;
    ledger->pieces = 0;
    for (Py_ssize_t at = 0; at < before.count; at++)
        if (has_record(before.places[at])) drop_objects(record_at(&before, REST(before.places[at])));
    for (int i = 0; i < before.pieces; i++) PyMem_Free(before.piece[i]);
    PyMem_Free(before.piece);
    PyMem_Free(before.places);
}

/* Drop the entries from `to` on. What they held goes when they are off the ledger. */
static int cut(Ledger *ledger, Py_ssize_t to) {
    Record *first = NULL;
    PyObject *held = PyList_New(0);
    if (held == NULL) return -1;
    int last = ledger->pieces - 1, failed = 0;
    for (Py_ssize_t at = to; !failed && at < ledger->count; at++) {
        if (!has_record(ledger->places[at])) continue;
        Record *record = record_at(ledger, REST(ledger->places[at]));
        if (first == NULL) last = (int)(REST(ledger->places[at]) >> PLACE_BITS);
        if (first == NULL) first = record;
        for (int i = 0; !failed && i < record->objects; i++) failed = PyList_Append(held, OBJECTS(record)[i]) < 0;
    }
    if (!failed) {
        for (Py_ssize_t at = to; at < ledger->count; at++)
            if (has_record(ledger->places[at])) drop_objects(record_at(ledger, REST(ledger->places[at])));
        if (first != NULL) ledger->used = (size_t)((char *)first - ledger->piece[last]);
        while (ledger->pieces > last + 1) PyMem_Free(ledger->piece[--ledger->pieces]);
        if (to < ledger->count) ledger->count = to;
    }
    Py_DECREF(held);
    return failed ? -1 : 0;
}

static PyObject *extend(PyObject *self, PyObject *objects) {
    PyObject *all = PySequence_Fast(objects, "a ledger is extended by entries");
    int failed = all == NULL;
    for (Py_ssize_t i = 0; !failed && i < PySequence_Fast_GET_SIZE(all); i++)
        failed = ledger_add((Ledger *)self, Py_NewRef(PySequence_Fast_GET_ITEM(all, i))) < 0;
    Py_XDECREF(all);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

/* ledger[at:] = objects, and del ledger[at:]. */
static int replace(PyObject *self, PyObject *key, PyObject *objects) {
    Ledger *ledger = (Ledger *)self;
    Py_ssize_t from, to, step;
    if (!PySlice_Check(key) || PySlice_Unpack(key, &from, &to, &step) < 0) to = -1;
    else PySlice_AdjustIndices(ledger->count, &from, &to, step);
    if (to != ledger->count || step != 1) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "a ledger is only changed at its end");
        return -1;
    }
    if (from == 0)
        drop_all(ledger);
    else if (cut(ledger, from) < 0)
        return -1;
    PyObject *done = objects == NULL ? Py_NewRef(Py_None) : extend(self, objects);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* ---- the type */

static PyObject *append(PyObject *self, PyObject *object) {
    if (ledger_add((Ledger *)self, Py_NewRef(object)) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *clear(PyObject *self, PyObject *nothing) {
    (void)nothing;
    drop_all((Ledger *)self);
    Py_RETURN_NONE;
}

static PyObject *new_ledger(PyTypeObject *type, PyObject *args, PyObject *options) {
    (void)args, (void)options;
    return type->tp_alloc(type, 0);
}

static void dropped(PyObject *self) {
    drop_all((Ledger *)self);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef methods[] = {
    {"append", append, METH_O, NULL},
    {"extend", extend, METH_O, NULL},
    {"clear", clear, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef fields[] = {
    {"base", T_LONGLONG, offsetof(Ledger, base), 0, "the number from which on tensors and nodes are counted"},
    {NULL, 0, 0, 0, NULL},
};

static PySequenceMethods as_sequence = {.sq_length = length, .sq_item = entry_at};
static PyMappingMethods as_mapping = {.mp_length = length, .mp_subscript = subscript, .mp_ass_subscript = replace};

PyTypeObject LedgerType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "autograd_core.native.Ledger",
    .tp_basicsize = sizeof(Ledger),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_ledger,
    .tp_dealloc = dropped,
    .tp_methods = methods,
    .tp_members = fields,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
};

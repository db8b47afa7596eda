/* What the parts of the native path share: where things lie in Python's objects, and what was handed over at import. */

#ifndef GRADREEL_NATIVE_H
#define GRADREEL_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <stdint.h>

#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL gradreel_numpy
#ifndef GRADREEL_MODULE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#define MANY 6 /* operands, edges or kept things of one operator at most */

/* ---- slots of Python's classes */

#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))

typedef struct { Py_ssize_t data_, storage_, node, meta, told, leaving; } TensorSlots;
typedef struct { Py_ssize_t requires_grad, grad, accumulator, view, wrapped; } MetaSlots;
typedef struct { Py_ssize_t base; } ViewSlots;
typedef struct { Py_ssize_t version, boxed, address_, counts, told; } StorageSlots;
typedef struct { Py_ssize_t data_, storage_, output_nr; } SavedResultSlots;
typedef struct { Py_ssize_t next, nrs, sequence_nr, outs, hooks, freed, told; } NodeSlots;
typedef struct { Py_ssize_t variable, leaving; } LeafSlots;
typedef struct {
    Py_ssize_t retain, buffers, pending, cells, sums, written, shared, waiting, call, add, arrived;
} RunSlots;
typedef struct {
    Py_ssize_t base, add, grad, reserve, free, levels, weigh, plain, foreign, tensors, storages, tensors_told,
        nodes_told, sequence;
} TapeSlots;
typedef struct { Py_ssize_t number; } WatchSlots;

extern TensorSlots T;
extern MetaSlots M;
extern ViewSlots V;
extern StorageSlots S;
extern SavedResultSlots R;
extern NodeSlots N;
extern LeafSlots A;
extern RunSlots U;
extern TapeSlots L;
extern WatchSlots W;

/* Put `value` (whose reference is taken over) into a slot of a new object, which holds nothing there yet. */
#define FILL(object, offset, value) (SLOT(object, offset) = (value))

static inline void put(PyObject *object, Py_ssize_t offset, PyObject *value) {
    PyObject *before = SLOT(object, offset);
    SLOT(object, offset) = Py_NewRef(value);
    Py_XDECREF(before);
}

/* The value of an int, which is known to be small: of one digit or two it is read at once. */
static inline long long whole_number(PyObject *number) {
#if PY_VERSION_HEX >= 0x030c0000
    if (PyUnstable_Long_IsCompact((PyLongObject *)number)) return PyUnstable_Long_CompactValue((PyLongObject *)number);
#else
    const digit *digits = ((PyLongObject *)number)->ob_digit;
    if (Py_SIZE(number) == 1) return digits[0];
    if (Py_SIZE(number) == 2) return (long long)digits[1] << PyLong_SHIFT | digits[0];
#endif
    return PyLong_AsLongLong(number);
}

int slots_of(PyObject *types);
Py_ssize_t slot_named(PyTypeObject *type, PyObject *name);

/* ---- what Python hands over */

typedef struct {
    PyTypeObject *Tensor, *Parameter, *Storage, *SavedResult, *AccumulateGrad, *Tape, *Run;
    PyObject *FLOAT, *SCALAR, *LAST;
    PyObject *known_floats, *outs_of, *numbers;
    PyObject *special, *singular, *state, *sequence;
    PyObject *leaf, *add, *fitted, *squared, *met;
    PyObject *Call, *Running, *backward, *broken_off, *BackwardStarted, *BackwardFinished, *ROOT, *ONE;
    PyObject *steps; /* the Step of each class of nodes that has one */
    PyObject *zero, *one, *nothing;
    PyObject *grad_enabled, *calls, *dict, *emit, *number, *direct, *named, *both, *result, *accumulator_made; /* names */
    PyObject *WROTE, *GONE, *JOINED, *LEAF, *GOES, *taken; /* see recording/tape.py */
    Py_ssize_t LARGE, SMALL; /* elements; see recording/noting.py */
    int MISSES;              /* see descent.py */
} Known;

extern Known K;

/* ---- kinds of values */

static inline int is_tensor(PyObject *object) {
    return Py_IS_TYPE(object, K.Tensor) || Py_IS_TYPE(object, K.Parameter);
}

/* Whether all slots of a tensor are there: one that `__new__` gave has none, memory of inference mode no version. */
static inline int is_whole(PyObject *tensor) {
    PyObject *storage = SLOT(tensor, T.storage_);
    return storage != NULL && (storage == Py_None || SLOT(storage, S.version) != NULL) &&
           SLOT(tensor, T.data_) != NULL && SLOT(tensor, T.node) != NULL && SLOT(tensor, T.meta) != NULL;
}

static inline int is_number(PyObject *data) { return Py_IS_TYPE(data, &PyFloatArrType_Type); }

static inline int is_array(PyObject *data) {
    return PyArray_CheckExact(data) && (PyObject *)PyArray_DESCR((PyArrayObject *)data) == K.FLOAT;
}

/* An array of float32 with dimensions, in C order where `in_rows`; or a number of that type. */
static inline int is_usual(PyObject *data, int in_rows) {
    if (is_number(data)) return 1;
    return is_array(data) && PyArray_NDIM((PyArrayObject *)data) > 0 &&
           (!in_rows || PyArray_IS_C_CONTIGUOUS((PyArrayObject *)data));
}

PyObject *lengths_of(PyArrayObject *array);
PyObject *steps_of(PyArrayObject *array);
PyObject *outs_for(PyObject *data);
PyObject *tensor_over(PyObject *data);
PyObject *new_storage(PyObject *version);
PyObject *computed(int how, PyObject *self, PyObject *other);

enum { CALLED, SUM, DIFFERENCE, PRODUCT, QUOTIENT, OPPOSITE, DOT };

/* ---- operators, and what they give way to */

/* How a node keeps one thing. `users` are the operands, as bits, for whose gradient it is kept; 0 for whatever comes. */
typedef struct {
    int kind, operand, users;
    Py_ssize_t slot, version;
    PyObject *value;
} Keep;

enum { OPERAND, RESULT, LENGTHS, COUNT, STEPS, VALUE };

int read_kept(PyTypeObject *type, PyObject *described, Keep *kept, int *count);
int keep(Keep *what, PyObject *node, PyObject *const *given, PyObject **data, PyObject *result, int wanted);
int load(Keep *what, PyObject *node, PyObject *grad, PyObject **found);

typedef struct {
    PyObject_HEAD
    PyObject *fields; /* its __dict__ */
    vectorcallfunc vectorcall;
    PyObject *python; /* the function that knows all cases */
    PyTypeObject *node;
    PyObject *forward, *zeros;
    PyObject *entry, *name, *rest; /* of the table; what a call leaves out */
    int operands, edges, keeps, how, numbers, in_rows, matrices, light;
    int heard, again, exact, bare; /* for tapes: by facts; computed again; numbers at the end */
    int edge[MANY]; /* the operand of each edge */
    Keep kept[MANY];
} Operator;

extern PyTypeObject OperatorType;
PyObject *operator_for(PyObject *module, PyObject *args);

/* ---- nodes that run */

/* The gradient of one edge: how, from what is kept (by its place among `kept`; -1 for the gradient that came). */
typedef struct {
    int how, fits, arguments;
    int argument[MANY];
    PyObject *value[MANY]; /* in the place of a kept thing, a constant */
    PyObject *function;
} Formula;

enum { AS_IT_IS, NEGATED, TIMES, FUNCTION };
enum { FITS, OF_ONE_KIND, OF_ONE_SHAPE, OF_ANY_SHAPE };

int read_formula(PyObject *described, Formula *formula);
void drop_formula(Formula *formula);
PyObject *gradient(Formula *formula, PyObject *grad, PyObject **loaded);
int has_lengths(PyObject *array, PyObject *lengths);
int fits(Formula *formula, PyObject *node, PyObject *grad, PyObject *made, PyObject *below);
PyObject *fitted(PyObject *node, int index, PyObject *made, PyObject *below);

typedef struct {
    PyObject_HEAD
    PyTypeObject *node;
    PyObject *zeros, *over, *unit;
    Py_ssize_t unit_slot; /* of a factor that must be `unit`, if there is one */
    int edges, keeps, square, passes, heard, exact, fitting;
    Keep kept[MANY];
    Formula formula[MANY];
} Step;

extern PyTypeObject StepType;
PyObject *step_for(PyObject *module, PyObject *args);

/* Run `node`: 1 if done, 0 if that is for Python and nothing was touched, -1 with an error set.
   `*grad` is given away when it is done. */
int step_taken(Step *step, PyObject *node, PyObject **grad, PyObject *run, int heard);

/* ---- ledgers */

/* An entry in a piece of memory: its objects, numbers and bytes follow. */
typedef struct {
    uint16_t objects, numbers;
    uint32_t bytes;
} Record;

#define OBJECTS(record) ((PyObject **)((record) + 1))
#define NUMBERS(record) ((int32_t *)(OBJECTS(record) + (record)->objects))
#define BYTES(record) ((char *)(NUMBERS(record) + (record)->numbers))

typedef struct {
    PyObject_HEAD
    long long base;
    uint32_t *places; /* of each entry */
    Py_ssize_t count, room;
    char **piece;
    int pieces;
    size_t used; /* bytes of the last piece */
} Ledger;

/* The kinds of entries, of which the first three are numbers alone; see entries.c. */
enum { RAN, LEFT, NODE_LEFT, OBJECT, MADE, PLAIN, HANDED, FEW, WROTE };
enum { JOINED, GONE, TAKEN }; /* kinds of FEW */

extern PyTypeObject LedgerType;

/* The ledger to which `add` appends, borrowed; NULL if it is none. */
static inline Ledger *ledger_of(PyObject *add) {
    PyObject *self = PyCFunction_Check(add) ? PyCFunction_GET_SELF(add) : NULL;
    return self != NULL && Py_IS_TYPE(self, &LedgerType) ? (Ledger *)self : NULL;
}

int ledger_add(Ledger *ledger, PyObject *object);
int ledger_number(Ledger *ledger, int kind, long long number);
Record *ledger_record(Ledger *ledger, int kind, int objects, int numbers, size_t bytes);
int from_base(Ledger *ledger, PyObject *number, int32_t *found);
PyObject *number_entry(int kind, long long number);
PyObject *record_entry(int kind, Record *record, long long base);

/* ---- a tape that listens */

/* The contents of a value: a number, the rows of an array, or what stands in their place. */
typedef struct {
    int32_t code; /* the length in bytes of those of an array, or one of the following */
    float number;
    PyArrayObject *rows;
} Contents;

enum { NONE = -1, NUMBER = -2, AGAIN = -3, LEFT_OUT = -4 }; /* AGAIN: whoever reads computes them */

size_t length_of(int32_t code);
int is_small_array(PyObject *data);
int contents_of(PyObject *data, Contents *found);
void drop_contents(Contents *found);
char *put_contents(char *at, Contents *found);

extern PyTypeObject LeavingType;
int watch(PyObject *object, Py_ssize_t slot, Ledger *ledger, long long number);

int listener(PyObject **tape);
int grad_enabled(PyObject *tape);
int reserve(Operator *op, PyObject *tape, PyObject **data);
int is_free(Operator *op, PyObject *tape, PyObject **data, int count);
PyObject *next_of(PyObject *counter);
PyObject *told_by(PyObject *object, Py_ssize_t slot, PyObject *base);
int tell(Operator *op, PyObject *tape, PyObject *const *given, PyObject **data, PyObject *result);
int are_again(Step *step, PyObject *grad, PyObject **loaded);
int note_square(Step *step, PyObject *node, PyObject *next, PyObject *run);
int note_few(Ledger *ledger, PyObject *const *numbers, int count, int32_t kind, int32_t more);
int note_step(Step *step, PyObject *node, PyObject *grad, PyObject *next, PyObject **loaded, PyObject **made,
              int apart, PyObject *run);

/* ---- calls */

/* A run under way. The rest is of Python's Running, and made when it is needed: of one that is not recorded, before. */
typedef struct {
    PyObject *run, *direct, *stepped, *settle; /* see `descend` */
    PyObject *take;                            /* see `Running.finish` */
    PyObject *tape, *call;                     /* of one that is recorded */
} Descent;

int has_python(Descent *descent);
int go_down(Descent *descent);
int finish(Descent *descent);

/* ---- leaves */

PyObject *new_leaf(PyObject *tape, PyObject *tensor, PyObject *meta);

/* ---- what Python calls */

PyObject *descend(PyObject *module, PyObject *args);
PyObject *backward(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *write_over(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *forget(PyObject *module, PyObject *tensor);

#endif

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
typedef struct { Py_ssize_t requires_grad, accumulator, view, wrapped; } MetaSlots;
typedef struct { Py_ssize_t base; } ViewSlots;
typedef struct { Py_ssize_t version, boxed, address_, counts, told; } StorageSlots;
typedef struct { Py_ssize_t data_, storage_, output_nr; } SavedResultSlots;
typedef struct { Py_ssize_t next, nrs, sequence_nr, outs, hooks, freed, told; } NodeSlots;
typedef struct { Py_ssize_t retain, buffers, pending, cells, sums, written, shared, add, arrived; } RunSlots;
typedef struct { Py_ssize_t base, add, grad, reserve, free, weigh, tensors_told, nodes_told, sequence; } TapeSlots;

extern TensorSlots T;
extern MetaSlots M;
extern ViewSlots V;
extern StorageSlots S;
extern SavedResultSlots R;
extern NodeSlots N;
extern RunSlots U;
extern TapeSlots L;

/* Put `value` (whose reference is taken over) into a slot of a new object, which holds nothing there yet. */
#define FILL(object, offset, value) (SLOT(object, offset) = (value))

static inline void put(PyObject *object, Py_ssize_t offset, PyObject *value) {
    PyObject *before = SLOT(object, offset);
    SLOT(object, offset) = Py_NewRef(value);
    Py_XDECREF(before);
}

int slots_of(PyObject *types);
Py_ssize_t slot_named(PyTypeObject *type, PyObject *name);

/* ---- what Python hands over */

typedef struct {
    PyTypeObject *Tensor, *Parameter, *Storage, *SavedResult, *Tape;
    PyObject *FLOAT, *SCALAR, *LAST;
    PyObject *known_floats, *outs_of, *numbers;
    PyObject *special, *singular, *state, *sequence;
    PyObject *new_leaf, *leaf, *add, *fitted, *squared, *met, *noted;
    PyObject *steps; /* the Step of each class of nodes that has one */
    PyObject *zero, *grad_enabled, *both, *result;
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
    int heard, again, exact, bare, compact; /* for tapes: by facts; computed again; numbers at the end; small */
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

/* ---- a tape that listens */

extern PyTypeObject FactType, LeavingType;
int watch(PyObject *tensor, PyObject *told, PyObject *add);
int is_compact(Operator *op);
PyObject *compact_fact(Operator *op, PyObject *node, PyObject *raw, PyObject *base, PyObject **numbers);

int listener(PyObject **tape);
int reserve(Operator *op, PyObject *tape, PyObject **data);
int is_free(Operator *op, PyObject *tape, PyObject **data, int count);
PyObject *next_of(PyObject *counter);
int tell(Operator *op, PyObject *tape, PyObject *const *given, PyObject **data, PyObject *result);
int note(PyObject *add, PyObject *fact);
int note_step(Step *step, PyObject *node, PyObject *grad, PyObject *next, PyObject **loaded, PyObject **made,
              int apart, PyObject *run);

PyObject *descend(PyObject *module, PyObject *args);

#endif

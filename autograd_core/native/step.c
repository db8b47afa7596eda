/* A node that runs: what `_step` of its compiled code does, for usual gradients, nodes and things kept.

Nothing is touched before it is sure that all is usual; else Python does it all. */

#include "native.h"

/* ---- what is kept */

static int load_all(Step *step, PyObject *node, PyObject *grad, PyObject **loaded) {
    for (int i = 0; i < step->keeps; i++)
        if (!load(&step->kept[i], node, grad, &loaded[i])) return 0;
    return 1;
}

/* What was kept goes, unless the graph is to be used again. */
static void let_go(Step *step, PyObject *node, PyObject *run) {
    if (PyObject_IsTrue(SLOT(run, U.retain))) return;
    for (int i = 0; i < step->keeps; i++)
        if (step->kept[i].version) put(node, step->kept[i].slot, Py_None);
    put(node, N.freed, Py_True);
}

/* All gradients that are wanted, in `made`; gives, as bits, which were not what the formula gave. */
static int compute(Step *step, PyObject *node, PyObject *grad, PyObject *next, PyObject **loaded, PyObject **made) {
    int apart = 0;
    for (int i = 0; i < step->edges; i++) {
        PyObject *below = PyTuple_GET_ITEM(next, i);
        if (below == Py_None) continue;
        Formula *formula = &step->formula[i];
        PyObject *found;
        if (step->over != NULL && Py_REFCNT(loaded[0]) == 1)
            found = PyObject_CallFunctionObjArgs(step->over, grad, loaded[0], NULL);
        else
            found = gradient(formula, grad, loaded);
        if (found != NULL && !fits(formula, node, grad, found, below)) {
            PyObject *other = fitted(node, i, found, below);
            Py_DECREF(found);
            found = other;
            apart |= 1 << i;
        }
        if (found == NULL) return -1;
        made[i] = found;
    }
    return apart;
}

/* ---- handing on */

static int add_to_sum(PyObject *cell, PyObject *grad) {
    PyObject *sum = PyNumber_InPlaceAdd(PyList_GET_ITEM(cell, 0), grad);
    if (sum == NULL) return -1;
    PyObject *count = PyLong_FromLongLong(whole_number(PyList_GET_ITEM(cell, 1)) + 1);
    if (count == NULL) {
        Py_DECREF(sum);
        return -1;
    }
    PyList_SetItem(cell, 0, sum);
    PyList_SetItem(cell, 1, count);
    return 0;
}

static int done(PyObject *result) {
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static int to_leaf(PyObject *run, PyObject *leaf, PyObject *grad) {
    PyObject *cells = SLOT(run, U.cells), *sums = SLOT(run, U.sums);
    PyObject *cell = PyDict_GET_SIZE(sums) ? PyDict_GetItemWithError(sums, leaf) : NULL;
    if (cell != NULL && grad != Py_None) return add_to_sum(cell, grad);
    if (Py_REFCNT(grad) == 1 && PyDict_GetItemWithError(cells, leaf) == NULL && !PyErr_Occurred())
        return PyDict_SetItem(cells, leaf, grad);
    return PyErr_Occurred() ? -1 : done(PyObject_CallFunctionObjArgs(K.leaf, run, leaf, grad, NULL));
}

static int to_node(PyObject *run, PyObject *node, PyObject *grad, int heard) {
    PyObject *nr = SLOT(node, N.sequence_nr), *buffers = SLOT(run, U.buffers);
    if (nr == K.LAST) {
        if (heard && PyList_Append(SLOT(run, U.arrived), node) < 0) return -1;
        return to_leaf(run, node, grad);
    }
    int there = PyDict_Contains(buffers, nr);
    if (there < 0) return -1;
    if (there) return done(PyObject_CallFunctionObjArgs(K.add, run, nr, grad, NULL));
    if (PyDict_SetItem(buffers, nr, grad) < 0) return -1;
    return PyDict_SetItem(SLOT(run, U.pending), nr, node);
}

/* ---- the whole */

/* Whether torch has written the gradient that came for `node`: then it counts what is made of it. */
static int was_written(PyObject *run, PyObject *node) {
    PyObject *written = SLOT(run, U.written);
    return PyDict_GET_SIZE(written) != 0 && PyDict_Contains(written, SLOT(node, N.sequence_nr)) != 0;
}

/* Whether that count goes on, below, to gradients that come there as the first, and to none but those. */
static int may_count(Step *step, PyObject *node, PyObject *grad, PyObject *run) {
    PyObject *next = SLOT(node, N.next), *buffers = SLOT(run, U.buffers);
    for (int i = 0; i < step->edges; i++) {
        PyObject *below = PyTuple_GET_ITEM(next, i);
        if (below == Py_None || step->formula[i].how == NEGATED) continue;
        if (step->formula[i].how != AS_IT_IS || !is_array(grad)) return 0;
        PyObject *outs = SLOT(below, N.outs), *nr = SLOT(below, N.sequence_nr);
        PyObject *out = outs == NULL ? Py_None : PyTuple_GET_ITEM(outs, 0);
        if (!PyTuple_CheckExact(out)) return 0;
        int as_it_is = outs == SLOT(node, N.outs) || has_lengths(grad, PyTuple_GET_ITEM(out, 0));
        if (as_it_is && (nr == K.LAST || PyDict_Contains(buffers, nr) != 0)) return 0;
    }
    return 1;
}

static int count_on(PyObject *node, PyObject *grad, PyObject *next, PyObject **made, int edges, PyObject *run) {
    PyObject *written = SLOT(run, U.written), *nr = SLOT(node, N.sequence_nr);
    PyObject *count = Py_XNewRef(PyDict_GetItemWithError(written, nr));
    int failed = count == NULL || PyDict_DelItem(written, nr) < 0;
    for (int i = 0; !failed && i < edges; i++)
        if (made[i] == grad)
            failed = PyDict_SetItem(written, SLOT(PyTuple_GET_ITEM(next, i), N.sequence_nr), count) < 0;
    Py_XDECREF(count);
    return failed ? -1 : 0;
}

/* Whether this node may run here, as far as can be told without a look at what it keeps. */
static int is_usual_node(Step *step, PyObject *node, PyObject *grad, int heard) {
    if (SLOT(node, N.nrs) != step->zeros || SLOT(node, N.next) == NULL || !is_usual(grad, 0)) return 0;
    if (step->unit != NULL && SLOT(node, step->unit_slot) != step->unit) return 0;
    return !heard || step->heard;
}

/* Whether `node` is a product of a tensor with itself, both of whose gradients go to one node. */
static int is_square(Step *step, PyObject *node, PyObject *grad, PyObject *next) {
    if (!step->square || !is_array(grad)) return 0;
    PyObject *below = PyTuple_GET_ITEM(next, 0);
    return below != Py_None && below == PyTuple_GET_ITEM(next, 1) &&
           SLOT(node, step->kept[0].slot) == SLOT(node, step->kept[1].slot);
}

/* Its gradients at once, added up: 1 if done, 0 if they are to be computed one by one, -1 with an error set. */
static int squared(PyObject *node, PyObject *grad, PyObject *below, PyObject *run) {
    PyObject *found = PyObject_CallFunctionObjArgs(K.squared, node, grad, below, run, NULL);
    int is_done = found == NULL ? -1 : PyObject_IsTrue(found);
    Py_XDECREF(found);
    return is_done;
}

int step_taken(Step *step, PyObject *node, PyObject **grad, PyObject *run, int heard) {
    PyObject *loaded[MANY] = {NULL}, *made[MANY] = {NULL};
    if (!is_usual_node(step, node, *grad, heard)) return 0;
    int counts = step->passes && was_written(run, node);
    if (counts && !may_count(step, node, *grad, run)) return 0;
    int taken = 0, apart;
    PyObject *next = Py_NewRef(SLOT(node, N.next));
    if (!load_all(step, node, *grad, loaded)) {
        if (PyErr_Occurred()) taken = -1;
        goto end;
    }
    if (is_square(step, node, *grad, next) && (!heard || are_again(step, *grad, loaded))) {
        taken = squared(node, *grad, PyTuple_GET_ITEM(next, 0), run);
        if (taken > 0 && heard && note_square(step, node, next, run) < 0) taken = -1;
        if (taken > 0) {
            let_go(step, node, run);
            Py_CLEAR(*grad);
        }
        if (taken != 0) goto end;
    }
    taken = -1;
    if (step->over != NULL) let_go(step, node, run);
    if ((apart = compute(step, node, *grad, next, loaded, made)) < 0) goto end;
    if (heard && note_step(step, node, *grad, next, loaded, made, apart, run) < 0) goto end;
    if (step->over == NULL) let_go(step, node, run);
    if (counts && count_on(node, *grad, next, made, step->edges, run) < 0) goto end;
    Py_CLEAR(*grad);
    for (int i = 0; i < step->edges; i++) {
        if (made[i] == NULL) continue;
        if (to_node(run, PyTuple_GET_ITEM(next, i), made[i], heard) < 0) goto end;
        Py_CLEAR(made[i]);
    }
    taken = 1;
end:
    for (int i = 0; i < step->edges; i++) Py_XDECREF(made[i]);
    for (int i = 0; i < step->keeps; i++) Py_XDECREF(loaded[i]);
    Py_DECREF(next);
    return taken;
}

/* ---- the type */

static void dropped(PyObject *self) {
    Step *step = (Step *)self;
    for (int i = 0; i < step->keeps; i++) Py_XDECREF(step->kept[i].value);
    for (int i = 0; i < step->edges; i++) drop_formula(&step->formula[i]);
    Py_XDECREF(step->node);
    Py_XDECREF(step->zeros);
    Py_XDECREF(step->over);
    Py_XDECREF(step->unit);
    Py_TYPE(self)->tp_free(self);
}

PyTypeObject StepType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "autograd_core.native.step",
    .tp_basicsize = sizeof(Step),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = dropped,
};

/* step(node, zeros, over, unit, unit_slot, square, passes, heard, exact, fitting, kept, formulas): how nodes of the
   class `node` run; see describing.py. */
PyObject *step_for(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *node, *zeros, *over, *unit, *unit_slot, *kept, *formulas;
    int square, passes, heard, exact, fitting;
    if (!PyArg_ParseTuple(args, "O!O!OOOpppppO!O!", &PyType_Type, &node, &PyTuple_Type, &zeros, &over, &unit,
                          &unit_slot, &square, &passes, &heard, &exact, &fitting, &PyTuple_Type, &kept, &PyTuple_Type,
                          &formulas))
        return NULL;
    if (PyTuple_GET_SIZE(formulas) > MANY) {
        PyErr_SetString(PyExc_ValueError, "a node with so much is not for the native path");
        return NULL;
    }
    Step *step = (Step *)StepType.tp_alloc(&StepType, 0);
    if (step == NULL) return NULL;
    step->node = (PyTypeObject *)Py_NewRef(node);
    step->zeros = Py_NewRef(zeros);
    step->over = over == Py_None ? NULL : Py_NewRef(over);
    step->square = square;
    step->passes = passes;
    step->heard = heard;
    step->exact = exact;
    step->fitting = fitting;
    if (unit_slot != Py_None) {
        step->unit = Py_NewRef(unit);
        step->unit_slot = slot_named(step->node, unit_slot);
        if (step->unit_slot < 0) goto failed;
    }
    if (read_kept(step->node, kept, step->kept, &step->keeps) < 0) goto failed;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(formulas); i++) {
        step->edges++;
        if (read_formula(PyTuple_GET_ITEM(formulas, i), &step->formula[i]) < 0) goto failed;
    }
    return (PyObject *)step;
failed:
    Py_DECREF(step);
    return NULL;
}

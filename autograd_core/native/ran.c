/* The facts of nodes that ran: those of `_heard_step` in compiled code; see Note [Facts] in recording/. */

#include "native.h"

/* Whether the gradient of this formula is computed again by whoever reads. */
static int is_again(Step *step, Formula *formula, PyObject *grad, PyObject **loaded) {
    if (!is_small_array(grad)) return 0;
    for (int i = 0; i < formula->arguments; i++) {
        int at = formula->argument[i];
        if (at >= 0 && step->kept[at].version && (loaded[at] == NULL || !is_small_array(loaded[at]))) return 0;
    }
    return 1;
}

/* Whether both gradients of a product are computed again by whoever reads. */
int are_again(Step *step, PyObject *grad, PyObject **loaded) {
    return is_again(step, &step->formula[0], grad, loaded) && is_again(step, &step->formula[1], grad, loaded);
}

/* The record that `node` ran, with the `shown` of its gradients; `rest` says that those left out are computed again. */
static int record_handed(Step *step, PyObject *node, Contents *shown, PyObject *next, int rest, Ledger *ledger) {
    size_t length = 0;
    for (int i = 0; i < step->edges; i++) length += length_of(shown[i].code);
    Record *record = ledger_record(ledger, HANDED, step->edges, 2 + step->edges, length);
    if (record == NULL) return -1;
    char *at = BYTES(record);
    from_base(ledger, SLOT(node, N.told), &NUMBERS(record)[0]);
    NUMBERS(record)[1] = rest;
    for (int i = 0; i < step->edges; i++) {
        OBJECTS(record)[i] = Py_NewRef(shown[i].code < 0 ? Py_None : SLOT(PyTuple_GET_ITEM(next, i), N.outs));
        NUMBERS(record)[2 + i] = shown[i].code;
        at = put_contents(at, &shown[i]);
    }
    return 0;
}

/* The fact that a product ran of which both gradients are computed again. */
int note_square(Step *step, PyObject *node, PyObject *next, PyObject *run) {
    Ledger *ledger = ledger_of(SLOT(run, U.add));
    if (step->exact) return ledger_number(ledger, RAN, whole_number(SLOT(node, N.told)));
    Contents again[] = {{.code = AGAIN}, {.code = AGAIN}};
    return record_handed(step, node, again, next, 0, ledger);
}

/* What the fact has of one gradient, which may be missing. */
static int gradient_shown(Step *step, int i, PyObject *grad, PyObject **loaded, PyObject *made, int apart,
                          Contents *shown) {
    *shown = (Contents){.code = step->exact ? LEFT_OUT : NONE};
    if (made == NULL || (step->exact && !apart)) return 0;
    shown->code = NONE;
    if (made == Py_None) return 0;
    shown->code = AGAIN;
    if (!step->exact && !apart && is_again(step, &step->formula[i], grad, loaded)) return 0;
    return contents_of(made, shown);
}

/* The fact that `node` ran; `apart` says, as bits, which gradients were not what the formula gave. */
int note_step(Step *step, PyObject *node, PyObject *grad, PyObject *next, PyObject **loaded, PyObject **made,
              int apart, PyObject *run) {
    Ledger *ledger = ledger_of(SLOT(run, U.add));
    if (step->exact && (apart == 0 || step->fitting))
        return ledger_number(ledger, RAN, whole_number(SLOT(node, N.told)));
    Contents shown[MANY];
    int failed = 0, n = 0;
    for (; !failed && n < step->edges; n++)
        failed = gradient_shown(step, n, grad, loaded, made[n], apart & 1 << n, &shown[n]) < 0;
    if (!failed) failed = record_handed(step, node, shown, next, step->exact, ledger) < 0;
    for (int i = 0; i < n; i++) drop_contents(&shown[i]);
    return failed ? -1 : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Loop and Scan: loops whose bodies are graphs in attributes. */
#include <gpugraph/op.h>
#include <gpugraph/scan.h>
#include <string.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

/* A loop that is being built. */
typedef struct loop {
  const gg__onnx_graph *body;
  gg_scan *scan;
  gg_var **in, **out; /* of the body; body->n_in and body->n_out of them */
  int *is_wide;       /* for each output: set_output added an axis 0 */
  int has_end;        /* a condition may end the loop early */
} loop;

static int loop_init(gg__onnx_call *c, loop *l) {
  const gg__onnx_attr *a = gg__call_attr(c, "body");

  if (a == NULL || a->g == NULL)
    return ga__fail(GA_VALUE_ERROR, "attribute \"body\" is missing");
  l->body = a->g;
  l->in = ga__arena_alloc(c->b->arena, (a->g->n_in + 1) * sizeof *l->in);
  l->out = ga__arena_alloc(c->b->arena, (a->g->n_out + 1) * sizeof *l->out);
  l->is_wide =
      ga__arena_alloc(c->b->arena, (a->g->n_out + 1) * sizeof *l->is_wide);
  if (l->in == NULL || l->out == NULL || l->is_wide == NULL)
    return ga__fail_nomem();
  l->scan = gg_scan_open(c->g);
  return l->scan == NULL ? ga__fail_nomem() : GA_NO_ERROR;
}

static int check_count(size_t have, size_t want, const char *what) {
  return have == want
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR, "the body has %zu %s, expected %zu",
                        have, what, want);
}

/* Nonzero if v is an input of the body. As a result of the loop such a variable
 * gets one more axis, so that it is another variable: gg_scan_all of a state
 * would give the values after each iteration, not before. */
static int is_input(const loop *l, const gg_var *v) {
  for (size_t i = 0; i < l->body->n_in; i++)
    if (l->in[i] == v)
      return 1;
  return 0;
}

static void set_output(loop *l, size_t i) {
  l->is_wide[i] = is_input(l, l->out[i]);
  if (l->is_wide[i])
    l->out[i] = gg_expand_dims(l->out[i], 0);
  gg_scan_output(l->scan, l->out[i]);
}

/* Output i of all iterations that ran, as rows. */
static gg_var *rows(const loop *l, size_t i) {
  gg_var *all = gg_scan_all(l->scan, l->out[i]);

  if (l->has_end)
    all = gg_slice_at(all, 0, NULL, gg_scan_count(l->scan), NULL);

  return l->is_wide[i] ? gg_squeeze(all, 1) : all;
}

/* Close the loop. Its last states, then the rows of its other outputs, become
 * outputs of the node. The states of the body are in[first_in ...] and
 * out[first_out ...], the other outputs follow. */
static int finish(gg__onnx_call *c, loop *l, size_t n_states, size_t first_in,
                  size_t first_out) {
  if (n_states > c->n_out)
    return ga__fail(GA_VALUE_ERROR, "%zu states, but %zu outputs", n_states,
                    c->n_out);
  for (size_t i = 0; i < n_states; i++)
    GA_TRY(gg_scan_next(l->scan, l->in[first_in + i], l->out[first_out + i]));
  for (size_t i = n_states; i < c->n_out; i++)
    set_output(l, first_out + i);
  GA_TRY(gg_scan_close(l->scan));
  for (size_t i = 0; i < c->n_out; i++)
    c->out[i] = i < n_states ? gg_scan_last(l->scan, l->in[first_in + i])
                             : rows(l, first_out + i);
  return gg_graph_status(c->g);
}

/* --- Loop: trip count, condition, states --- */

/* Iterations of a loop without a trip count at most. */
#define MOST_STEPS INT32_MAX

/* Set the number of iterations, which is 0 if the first condition is false. */
static int set_steps(gg__onnx_call *c, loop *l, size_t n_states) {
  gg_var *steps = gg_i64(c->g, MOST_STEPS), *first, *none = gg_i64(c->g, 0);

  if (gg__call_has(c, 0))
    GA_TRY(gg__call_size(c, 0, &steps));
  else if (c->n_out > n_states)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "rows of a loop without a trip count");
  steps = gg_cast(steps, GA_LONG);
  if (gg__call_has(c, 1)) {
    GA_TRY(gg__call_size(c, 1, &first));
    steps = gg_where(gg_cast(first, GA_BOOL), steps, none);
  }
  return gg_scan_steps(l->scan, steps);
}

/* End the loop when the body's condition is false. A condition that is always
 * true, or that the body passes on, needs nothing. */
static int set_condition(loop *l) {
  gg_var *go_on = l->out[0];
  double known;

  if (go_on == l->in[1] ||
      (go_on != NULL && gg_var_uniform(go_on, &known) && known != 0))
    return GA_NO_ERROR;
  l->has_end = 1;
  if (go_on != NULL && gg_var_type(go_on)->nd == 1)
    go_on = gg_index(go_on, 0, 0);
  return gg_scan_until(l->scan, gg_not(go_on));
}

static const gg__onnx_shape *declared(const gg__onnx_info *x) {
  return x->type.tensor != NULL ? x->type.tensor->shape : NULL;
}

/* Do declared sizes agree? Open sizes do unless they have different names. */
static int agree(const gg__onnx_dim *a, const gg__onnx_dim *b) {
  if (a->value >= 0 || b->value >= 0)
    return a->value == b->value;
  return a->name == NULL || b->name == NULL || strcmp(a->name, b->name) == 0;
}

/* Does the body declare that the sizes of state i change? Then dims[k] is open
 * where they do. */
static int is_resized(const loop *l, size_t i, const gg_var *init,
                      int64_t *dims) {
  const gg_type *t = init != NULL ? gg_var_type(init) : NULL;
  const gg__onnx_shape *in = declared(&l->body->in[2 + i]), *out;
  int any = 0;

  if (1 + i >= l->body->n_out || t == NULL || in == NULL)
    return 0;
  out = declared(&l->body->out[1 + i]);
  if (out == NULL || in->nd != t->nd || out->nd != t->nd)
    return 0;
  for (unsigned int k = 0; k < t->nd; k++) {
    const int same = agree(&in->dims[k], &out->dims[k]);
    dims[k] = same ? t->dims[k] : GG_ANY;
    any |= !same;
  }
  return any;
}

static gg_var *open_state(gg__onnx_call *c, const loop *l, size_t i) {
  gg_var *init = gg__call_in(c, 2 + i);
  int64_t dims[GG_MAX_ND];

  return is_resized(l, i, init, dims) ? gg_scan_state_sized(l->scan, init, dims)
                                      : gg_scan_state(l->scan, init);
}

static int build_loop(gg__onnx_call *c, loop *l) {
  const size_t n = c->n_in < 2 ? 0 : c->n_in - 2;

  GA_TRY(check_count(l->body->n_in, n + 2, "inputs"));
  GA_TRY(check_count(l->body->n_out, c->n_out + 1, "outputs"));
  GA_TRY(set_steps(c, l, n));
  gg_var *count = gg_scan_state(l->scan, gg_i64(c->g, 0));
  l->in[0] = count;
  l->in[1] = gg_scalar(c->g, GA_BOOL, 1);
  for (size_t i = 0; i < n; i++)
    l->in[2 + i] = open_state(c, l, i);
  GA_TRY(gg_graph_status(c->g));
  GA_TRY(c->b->subgraph(c, l->body, n + 2, l->in, l->out));
  GA_TRY(gg_scan_next(l->scan, count, gg_add(count, gg_i64(c->g, 1))));
  GA_TRY(set_condition(l));
  return finish(c, l, n, 2, 1);
}

int gg__from_loop(gg__onnx_call *c) {
  loop l = {0};
  int err = loop_init(c, &l);

  if (err == GA_NO_ERROR)
    err = build_loop(c, &l);
  gg_scan_free(l.scan);
  return err;
}

/* --- Scan: states, sequences --- */

/* Element i of an attribute with integers, 0 if there is none. */
static int64_t listed(gg__onnx_call *c, const char *name, size_t i) {
  size_t n;
  const int64_t *list = gg__call_ints(c, name, &n);

  return i < n ? list[i] : 0;
}

/* Bring sequence i of a Scan into the order of the iterations, and their axis
 * to the front. */
static int sequence(gg__onnx_call *c, size_t i, gg_var **x) {
  const char *const turns =
      c->version < 9 ? "directions" : "scan_input_directions";
  int axis;

  GA_TRY(gg__call_axis(listed(c, "scan_input_axes", i),
                       *x == NULL ? 1 : gg_var_type(*x)->nd, &axis));
  *x = gg_moveaxis(*x, axis, 0);
  if (listed(c, turns, i) != 0)
    *x = gg_flip(*x, 0);
  return GA_NO_ERROR;
}

/* Bring sequence i of the results, which is output `at`, into the order and
 * onto the axis that the attributes ask for. */
static int arrange_rows(gg__onnx_call *c, size_t at, size_t i) {
  gg_var *x = c->out[at];
  int axis;

  if (listed(c, "scan_output_directions", i) != 0)
    x = gg_flip(x, 0);
  GA_TRY(gg__call_axis(listed(c, "scan_output_axes", i),
                       x == NULL ? 1 : gg_var_type(x)->nd, &axis));
  c->out[at] = gg_moveaxis(x, 0, axis);
  return GA_NO_ERROR;
}

/* Nodes have n_in inputs, the last of which are sequences. *n gets how many
 * states there are. */
static int count_states(gg__onnx_call *c, const loop *l, size_t n_in,
                        size_t *n) {
  const int64_t m = gg__call_int(c, "num_scan_inputs", 0);

  if (m <= 0 || (uint64_t)m > n_in)
    return ga__fail(GA_VALUE_ERROR, "%lld sequences of %zu inputs",
                    (long long)m, n_in);
  *n = n_in - (size_t)m;
  GA_TRY(check_count(l->body->n_in, n_in, "inputs"));
  return check_count(l->body->n_out, c->n_out, "outputs");
}

/* A Scan of n_in values: states, then sequences. */
static int build_scan(gg__onnx_call *c, loop *l, size_t n_in,
                      gg_var *const *in) {
  size_t n = 0;

  GA_TRY(count_states(c, l, n_in, &n));
  for (size_t i = 0; i < n; i++)
    l->in[i] = gg_scan_state(l->scan, in[i]);
  for (size_t i = n; i < n_in; i++) {
    gg_var *x = in[i];

    GA_TRY(sequence(c, i - n, &x));
    l->in[i] = gg_scan_sequence(l->scan, x, 0);
  }
  GA_TRY(gg_graph_status(c->g));
  GA_TRY(c->b->subgraph(c, l->body, n_in, l->in, l->out));
  GA_TRY(finish(c, l, n, 0, 0));
  for (size_t i = n; i < c->n_out; i++)
    GA_TRY(arrange_rows(c, i, i - n));
  return GA_NO_ERROR;
}

static int scan(gg__onnx_call *c, size_t n_in, gg_var *const *in) {
  loop l = {0};
  int err = loop_init(c, &l);

  if (err == GA_NO_ERROR)
    err = build_scan(c, &l, n_in, in);
  gg_scan_free(l.scan);
  return err;
}

/* The inputs from `first` on. */
static int take_inputs(gg__onnx_call *c, size_t first, gg_var ***in) {
  *in = ga__arena_alloc(c->b->arena, (c->n_in + 1) * sizeof **in);
  if (*in == NULL)
    return ga__fail_nomem();
  for (size_t i = first; i < c->n_in; i++)
    (*in)[i - first] = gg__call_in(c, i);
  return gg_graph_status(c->g);
}

int gg__from_scan(gg__onnx_call *c) {
  gg_var **in;

  GA_TRY(take_inputs(c, 0, &in));
  return scan(c, c->n_in, in);
}

/* Run a Scan for each element of a batch. */
static int scan_each(gg__onnx_call *c, gg_scan *batch, size_t n, gg_var **in) {
  for (size_t i = 0; i < n; i++)
    in[i] = gg_scan_sequence(batch, in[i], 0);
  GA_TRY(scan(c, n, in));
  for (size_t i = 0; i < c->n_out; i++)
    gg_scan_output(batch, c->out[i]);
  GA_TRY(gg_scan_close(batch));
  for (size_t i = 0; i < c->n_out; i++)
    c->out[i] = gg_scan_all(batch, c->out[i]);
  return gg_graph_status(c->g);
}

/* In opset 8 all values have an axis 0 for a batch, and input 0 may be lengths
 * of its sequences. */
int gg__from_scan_batches(gg__onnx_call *c) {
  gg_var **in;

  if (gg__call_has(c, 0))
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "lengths of sequences are not supported");
  GA_TRY(take_inputs(c, 1, &in));
  gg_scan *batch = gg_scan_open(c->g);
  if (batch == NULL)
    return ga__fail_nomem();
  const int err = scan_each(c, batch, c->n_in < 1 ? 0 : c->n_in - 1, in);
  gg_scan_free(batch);
  return err;
}

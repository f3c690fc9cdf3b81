/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/random_graph.h"

#include <gpugraph/debug.h>
#include <gpugraph/grad.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/cases.h"
#include "support/lcg.h"

enum {
  MAX_OPS = 10,
  MAX_RANK = 4, /* of what a graph goes on with */
  TRIES = 12
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- random numbers --- */

unsigned int random_below(random_graph *r, size_t n) {
  return (unsigned int)lcg_below(&r->state, n);
}

double random_between(random_graph *r, double lo, double hi) {
  return lo + (hi - lo) * random_below(r, 1u << 20) / (1u << 20);
}

/* --- inputs --- */

static const int dtypes[] = {GA_HALF,  GA_FLOAT, GA_DOUBLE, GA_BYTE,
                             GA_UBYTE, GA_SHORT, GA_INT,    GA_UINT,
                             GA_LONG,  GA_BOOL,  GA_BFLOAT};
int random_dtype(random_graph *p) {
  return dtypes[random_below(p, COUNT(dtypes))];
}

static const size_t sizes[] = {0, 1, 1, 2, 3, 3, 5, 6};

/* Small, so that little overflows; indices are for the first rows. */
static double draw_value(random_graph *p, int dtype) {
  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_FLOAT:
    return random_below(p, 3) == 0 ? random_between(p, -2, 2)
                                   : random_between(p, 0.2, 2);
  case GA_KIND_INT:
    return dtype == GA_LONG ? random_below(p, 2)
                            : (double)random_below(p, 9) - 4;
  default:
    return random_below(p, ga__dtype_kind(dtype) == GA_KIND_BOOL ? 2 : 5);
  }
}

static void fill_input(random_graph *p, random_input *x, int dtype) {
  const size_t bytes = ga__dtype_size(dtype);
  char *data = malloc((x->n + 1) * bytes);

  x->value = malloc((x->n + 1) * sizeof *x->value);
  assert_non_null(data);
  assert_non_null(x->value);
  for (size_t k = 0; k < x->n; k++) {
    ga__dtype_from_double(dtype, data + k * bytes, draw_value(p, dtype));
    x->value[k] = ga__dtype_to_double(dtype, data + k * bytes);
  }
  assert_ok(gg_test_value(x->v, x->dims, data));
  free(data);
}

static const char *const names[RANDOM_MOST_IN] = {
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l",
    "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x"};

/* Of the graph's sizes or 1; a size is known to the graph or not, 1 always
 * where it is to stretch. */
static gg_var *new_input(random_graph *p, int dtype, unsigned int nd) {
  random_input *x = &p->in[p->n_in];
  int64_t dims[GG_MAX_ND];
  unsigned int i;

  assert_true(p->n_in < RANDOM_MOST_IN);
  for (i = 0, x->n = 1; i < nd; i++) {
    x->dims[i] =
        random_below(p, 4) == 0 ? 1 : p->size[random_below(p, RANDOM_SIZES)];
    dims[i] =
        x->dims[i] == 1 || random_below(p, 2) ? (int64_t)x->dims[i] : GG_ANY;
    if (x->dims[i] == 1 && random_below(p, 4) == 0)
      dims[i] = GG_ANY;
    x->n *= x->dims[i];
  }
  x->v = gg_input_sized(p->g, names[p->n_in], dtype, nd, dims);
  assert_non_null(x->v);
  p->n_in++;
  fill_input(p, x, dtype);
  return x->v;
}

void random_graph_bind(const void *arg, interp *it) {
  const random_graph *p = arg;

  for (unsigned int i = 0; i < p->n_in; i++)
    interp_bind(it, p->in[i].v, gg_var_type(p->in[i].v)->nd, p->in[i].dims,
                p->in[i].value);
}

/* --- growing --- */

/* Recent values more often, so that graphs get deep. */
gg_var *random_pick(random_graph *p) {
  const unsigned int a = random_below(p, p->n), b = random_below(p, p->n);

  return p->v[random_below(p, 2) != 0 || a > b ? a : b];
}

static int is_elementwise(const op_case *c) {
  return c->in[0].nd == 2 && c->in[0].dims[0] == 5 && c->in[0].dims[1] == 7;
}

static const double numbers[] = {0, 1, 2, 3, 4, -1, 0.5, -2};

/* Something of a dtype and rank: what is there, perhaps cast, or an input. */
gg_var *random_operand(random_graph *p, int dtype, unsigned int nd) {
  for (unsigned int k = 0; k < TRIES; k++) {
    gg_var *v = random_pick(p);
    if (gg_var_type(v)->nd != nd)
      continue;
    if (gg_var_type(v)->dtype == dtype)
      return v;
    if (k > TRIES / 2 && dtype != GA_LONG)
      return gg_cast(v, dtype);
  }
  return p->n_in < RANDOM_MOST_IN ? new_input(p, dtype, nd) : NULL;
}

/* Operands of a case in the turn of a dtype; 0 if it has none. */
static int choose_operands(random_graph *p, const op_case *c, int dtype,
                           gg_var **x) {
  const unsigned int nd = random_below(p, 5) == 0 ? random_below(p, 4) : 2;

  for (unsigned int i = 0; i < c->n_in; i++) {
    int its = case_dtype(&c->in[i], dtype);
    if (its < 0)
      return 0;
    unsigned int its_nd = is_elementwise(c) ? nd : c->in[i].nd;
    if (i > 0 && is_elementwise(c) && random_below(p, 5) == 0)
      x[i] = gg_scalar(p->g, its, numbers[random_below(p, COUNT(numbers))]);
    else if (i > 0 && random_below(p, 8) == 0 &&
             gg_var_type(x[0])->dtype == its && gg_var_type(x[0])->nd == its_nd)
      x[i] = x[0];
    else
      x[i] = random_operand(p, its, its_nd);
    if (x[i] == NULL)
      return 0;
  }
  return 1;
}

/* Are these operands of a case what it may be given? Classes are to be there:
 * what becomes of others is not promised. */
static int are_fit(const op_case *c, gg_var *const *x) {
  const int64_t *class = NULL;
  size_t dims[GG_MAX_ND], at[1] = {0}, k, classes = 0;

  if (strncmp(c->name, "crossentropy", 12) != 0 &&
      strncmp(c->name, "softmax_xent", 12) != 0)
    return 1;
  for (unsigned int i = 0; i < c->n_in; i++)
    if (c->in[i].dtypes == CLASSES)
      class = gg_var_test_value(x[i], at);
    else if (c->in[i].nd == 2 && gg_var_test_value(x[i], dims) != NULL)
      classes = dims[1];
  for (k = 0; class != NULL && k < at[0]; k++)
    if (class[k] < 0 || (size_t) class[k] >= classes)
      return 0;
  return 1;
}

static gg_var *use_case(random_graph *p) {
  const op_case *c = &op_cases[random_below(p, n_op_cases)];
  const int dtype = random_below(p, 4) ? p->dtype : random_dtype(p);
  gg_var *x[3];

  return choose_operands(p, c, dtype, x) && are_fit(c, x) ? c->build(x) : NULL;
}

/* Make one more value, of an op that takes what there is. */
static void grow(random_graph *p) {
  gg_var *v = NULL;

  for (unsigned int k = 0; k < TRIES && v == NULL; k++) {
    v = random_below(p, 3) == 0 ? random_op(p) : use_case(p);
    /* Sizes that clash are seen by the test values. */
    if (gg_var_test_value(v, NULL) == NULL || gg_var_type(v)->nd > MAX_RANK)
      v = NULL;
    gg_graph_reset_error(p->g);
  }
  if (v != NULL)
    p->v[p->n++] = v;
}

/* The last value, perhaps another one and a gradient. */
static void choose_results(random_graph *p) {
  gg_var *last = p->v[p->n - 1], *wrt = p->v[0], *grad = NULL;

  p->result[p->n_results++] = last;
  if (random_below(p, 3) == 0)
    p->result[p->n_results++] = random_pick(p);
  if (random_below(p, 2) == 0 &&
      ga__dtype_kind(gg_var_type(last)->dtype) == GA_KIND_FLOAT &&
      ga__dtype_kind(gg_var_type(wrt)->dtype) == GA_KIND_FLOAT &&
      gg_grad_ex(&grad, gg_sum(last), 1, &wrt, 0, NULL, 0) == GA_NO_ERROR)
    p->result[p->n_results++] = grad;
  gg_graph_reset_error(p->g);
}

void random_graph_make(random_graph *p, size_t number) {
  memset(p, 0, sizeof *p);
  p->state = (unsigned int)number * 2654435761u + 1;
  p->g = gg_graph_new(test_context());
  assert_non_null(p->g);
  unsigned int n = 2 + random_below(p, MAX_OPS);
  p->dtype = random_dtype(p);
  for (unsigned int i = 0; i < RANDOM_SIZES; i++)
    p->size[i] = sizes[random_below(p, COUNT(sizes))];
  for (unsigned int i = 0; i < 3; i++)
    p->v[p->n++] = new_input(p, p->dtype, i == 0 ? random_below(p, 4) : 2);
  while (n-- > 0)
    grow(p);
  choose_results(p);
}

void random_graph_clear(random_graph *p) {
  for (unsigned int i = 0; i < p->n_in; i++)
    free(p->in[i].value);
  gg_graph_free(p->g);
}

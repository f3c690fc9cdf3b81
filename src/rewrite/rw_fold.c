/* SPDX-License-Identifier: BSD-2-Clause */
/* Constant folding: computing what is known when a function is compiled. */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "reference/reference.h"
#include "rewrite/rw_match.h"

#define MAX_FOLD 65536 /* elements */

/* --- elements of constants --- */

/* A constant, read along the axes of another shape. A step of one along an axis
 * moves by step[axis] elements. */
typedef struct reader {
  const char *data;
  size_t bytes; /* bytes of an element */
  int dtype;
  size_t step[GG_MAX_ND];
} reader;

/* A reader that broadcasts `v`: its axes of size 1 have step 0. */
static reader read_stretched(const gg_var *v) {
  reader r = {.data = v->data,
              .bytes = ga__dtype_size(v->type.dtype),
              .dtype = v->type.dtype};
  size_t step = 1;

  for (unsigned int i = v->type.nd; i-- > 0;) {
    r.step[i] = v->type.dims[i] != 1 ? step : 0;
    step *= (size_t)v->type.dims[i];
  }
  return r;
}

/* The address of the element for element n of type t, in C order. */
static const char *element(const reader *r, const gg_type *t, size_t n) {
  size_t at = 0;

  for (unsigned int i = t->nd; i-- > 0;) {
    size_t dim = (size_t)t->dims[i];
    at += n % dim * r->step[i];
    n /= dim;
  }
  return r->data + at * r->bytes;
}

/* The number of elements of a result; 0 if it is unknown, none or too many to
 * fold. */
static size_t fold_size(const gg_type *t) {
  const int64_t n = gg__type_size(t);

  return n != GG_ANY && n <= MAX_FOLD ? (size_t)n : 0;
}

static gg_var *constant(gg_graph *g, const gg_type *t, const void *data) {
  size_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < t->nd; i++)
    dims[i] = (size_t)t->dims[i];
  return gg_constant(g, t->dtype, t->nd, dims, data);
}

static int all_constant(const gg_apply *a) {
  for (unsigned int i = 0; i < a->n_in; i++)
    if (a->in[i]->kind != GG_VAR_CONST)
      return 0;
  return a->n_in != 0;
}

/* --- elementwise --- */

/* Store `v` as the op would. Returns 0 for integers that would wrap around or
 * may have been rounded to a double. */
static int store(int dtype, void *p, double v) {
  const ga__kind kind = ga__dtype_kind(dtype);

  if (kind == GA_KIND_BOOL)
    v = v != 0;
  else if (kind != GA_KIND_FLOAT)
    v = trunc(v);
  if (kind != GA_KIND_FLOAT && !gg__number_fits(dtype, v))
    return 0;
  ga__dtype_from_double(dtype, p, v);
  return 1;
}

/* Make a constant for the node's output. `fill` computes n elements of type t,
 * and returns 0 if it cannot. */
static gg_var *fold(const gg_apply *a,
                    int (*fill)(const gg_apply *a, const gg_type *t, size_t n,
                                char *out)) {
  const gg_type *t = &a->out[0]->type;
  const size_t n = fold_size(t);
  gg_var *v = NULL;

  if (n == 0)
    return NULL;
  char *data = ga__calloc(n, ga__dtype_size(t->dtype));
  if (data == NULL)
    gg__fail(a->out[0]->graph, GA_MEMORY_ERROR, "out of host memory");
  else if (fill(a, t, n, data))
    v = constant(a->out[0]->graph, t, data);
  ga__free(data);
  return v;
}

static int fold_elements(const gg_apply *a, const gg_type *t, size_t n,
                         char *out) {
  double (*eval)(const double *) = gg__host_code(a);
  const size_t bytes = ga__dtype_size(t->dtype);
  reader r[GG_MAX_OPERANDS];
  double x[GG_MAX_OPERANDS];

  if (eval == NULL)
    return 0;
  for (unsigned int k = 0; k < a->n_in; k++)
    r[k] = read_stretched(a->in[k]);
  for (size_t i = 0; i < n; i++) {
    for (unsigned int k = 0; k < a->n_in; k++) {
      x[k] = ga__dtype_to_double(r[k].dtype, element(&r[k], t, i));
      if (!gg__is_float(a->in[k]) && fabs(x[k]) >= GG_MAX_EXACT)
        return 0;
    }
    if (!store(t->dtype, out + i * bytes, eval(x)))
      return 0;
  }
  return 1;
}

static gg_var *fold_elemwise(gg_apply *a) {
  return gg__is_map(a) && !a->op->no_fold && all_constant(a)
             ? fold(a, fold_elements)
             : NULL;
}

/* A uniform constant becomes a single element if the other operands have the
 * shape anyway. */
static gg_var *shrink_constant(gg_apply *a) {
  const unsigned int want = gg__wide(a->out[0]);
  gg_var *in[GG_MAX_OPERANDS], *v;
  unsigned int k, wide;
  double c;

  if (!gg__is_map(a))
    return NULL;
  for (unsigned int i = 0; i < a->n_in; i++) {
    v = a->in[i];
    if (v->kind != GG_VAR_CONST || gg__wide(v) == 0 || !gg_var_uniform(v, &c))
      continue;
    for (k = 0, wide = 0; k < a->n_in; k++) {
      in[k] = a->in[k];
      wide |= k != i ? gg__wide(in[k]) : 0;
    }
    if (wide != want)
      continue;
    /* Copy the bytes of the first element, since a double may not hold it. */
    v = gg_constant(v->graph, v->type.dtype, 0, NULL, v->data);
    in[i] = v != NULL ? gg__pad_rank(v, a->out[0]->type.nd) : NULL;
    return in[i] != NULL ? gg__apply_like(a, in) : NULL;
  }
  return NULL;
}

/* --- ops of the host --- */

/* The arguments of `perform` for constants: sizes and host memory, nothing on a
 * device. */
typedef struct folded {
  gg_prepare p;
  GpuArray *arrays, **list;
  const void **from;
  const double **number;
  double *value; /* scalar values of uniform inputs */
  void *to;
  ga__arena arena;
} folded;

static int fold_array(ga__arena *m, const gg_var *v, GpuArray *a) {
  const gg_type *t = &v->type;
  ssize_t step = (ssize_t)ga__dtype_size(t->dtype);

  a->typecode = t->dtype;
  a->nd = t->nd;
  a->dimensions = ga__arena_alloc(m, t->nd * sizeof *a->dimensions);
  a->strides = ga__arena_alloc(m, t->nd * sizeof *a->strides);
  if (a->dimensions == NULL || a->strides == NULL)
    return 0;
  for (unsigned int i = t->nd; i-- > 0;) {
    a->dimensions[i] = (size_t)t->dims[i];
    a->strides[i] = step;
    step *= (ssize_t)t->dims[i];
  }
  a->flags = GA_C_CONTIGUOUS | GA_ALIGNED | GA_WRITEABLE;
  return 1;
}

static int folded_init(folded *x, const gg_apply *a) {
  const unsigned int n = a->n_in + 1;

  x->arrays = ga__arena_alloc(&x->arena, n * sizeof *x->arrays);
  x->list = ga__arena_alloc(&x->arena, n * sizeof *x->list);
  x->from = ga__arena_alloc(&x->arena, n * sizeof *x->from);
  x->number = ga__arena_alloc(&x->arena, n * sizeof *x->number);
  x->value = ga__arena_alloc(&x->arena, n * sizeof *x->value);
  if (x->arrays == NULL || x->list == NULL || x->from == NULL ||
      x->number == NULL || x->value == NULL)
    return 0;
  for (unsigned int i = 0; i < n; i++) {
    x->list[i] = &x->arrays[i];
    if (!fold_array(&x->arena, i < a->n_in ? a->in[i] : a->out[0],
                    &x->arrays[i]))
      return 0;
    if (i == a->n_in)
      break;
    x->from[i] = a->in[i]->data;
    if (gg_var_uniform(a->in[i], &x->value[i]))
      x->number[i] = &x->value[i];
  }
  x->to = ga__arena_alloc(&x->arena, (size_t)gg__type_size(&a->out[0]->type) *
                                         ga__dtype_size(a->out[0]->type.dtype));
  x->p = (gg_prepare){.apply = a,
                      .ctx = a->out[0]->graph->ctx,
                      .n_in = a->n_in,
                      .n_out = 1,
                      .in = x->list,
                      .out = x->list + a->n_in,
                      .number = x->number,
                      .from = x->from,
                      .to = &x->to};
  return x->to != NULL;
}

static int can_fold(const gg_apply *a) {
  const gg_op *op = a->op;

  if (op->kind != GG_OP_PERFORM || !op->on_host || op->no_fold ||
      op->state_new != NULL || a->n_out != 1)
    return 0;
  return all_constant(a) && gg__type_size(&a->out[0]->type) != GG_ANY;
}

static gg_var *fold_perform(gg_apply *a) {
  folded x;
  gg_var *v = NULL;

  if (!can_fold(a))
    return NULL;
  memset(&x, 0, sizeof x);
  gpuarray_clear_error();
  int err = folded_init(&x, a) ? a->op->perform(&x.p) : GA_MEMORY_ERROR;
  if (err == GA_NO_ERROR)
    v = gg_constant(a->out[0]->graph, a->out[0]->type.dtype, x.p.out[0]->nd,
                    x.p.out[0]->dimensions, x.to);
  else
    gg_op_fail(a, err, "%s", ga__err_text(err));
  ga__arena_clear(&x.arena);
  return v;
}

/* --- views --- */

static int shuffle_elements(const gg_apply *a, const gg_type *t, size_t n,
                            char *data) {
  const gg__dimshuffle_props *p = a->props;
  const reader in = read_stretched(a->in[0]);
  reader out = in;

  for (size_t i = 0; i < t->nd; i++)
    out.step[i] = p->pattern[i] >= 0 ? in.step[p->pattern[i]] : 0;
  for (size_t i = 0; i < n; i++)
    memcpy(data + i * in.bytes, element(&out, t, i), in.bytes);
  return 1;
}

static gg_var *fold_dimshuffle(gg_apply *a) {
  return all_constant(a) ? fold(a, shuffle_elements) : NULL;
}

static gg_var *fold_reshape(gg_apply *a) {
  const gg_type *t = &a->out[0]->type;

  if (a->in[0]->kind != GG_VAR_CONST || fold_size(t) == 0)
    return NULL;
  return constant(a->out[0]->graph, t, a->in[0]->data);
}

/* --- shapes --- */

static int fill_sizes(const gg_apply *a, const gg_type *t, size_t n,
                      char *data) {
  gg_dims in, want;
  double x;
  const double *const number = gg_var_uniform(a->in[0], &x) ? &x : NULL;

  (void)n;
  if (gg__type_size(&a->in[0]->type) == GG_ANY ||
      (gg__number_only(a, 0) && number == NULL))
    return 0;
  gg__dims_of_type(&in, &a->in[0]->type);
  gg__dims_of_type(&want, t);
  return a->op->host(a, &in, &number, &want, data) == GA_NO_ERROR;
}

static gg_var *fold_shape(gg_apply *a) {
  return a->op->kind == GG_OP_SHAPE && a->n_in == 1 ? fold(a, fill_sizes)
                                                    : NULL;
}

/* A condition that is known to hold needs no check. */
static gg_var *true_assertion(gg_apply *a) {
  double c;

  return gg__number(a->in[1], &c) && c != 0 ? a->in[0] : NULL;
}

const gg_rule gg__rules_fold[] = {
    GG_RULE_ANY("fold constants", GG_CANON, fold_elemwise),
    GG_RULE_ANY("fold host ops", GG_CANON, fold_perform),
    GG_RULE_ANY("fold sizes", GG_CANON, fold_shape),
    GG_RULE("fold dimshuffle", GG_CANON, fold_dimshuffle, &gg__op_dimshuffle),
    GG_RULE("fold reshape", GG_CANON, fold_reshape, &gg__op_reshape),
    GG_RULE("true assertion", GG_CANON, true_assertion, &gg__op_assert),
    GG_RULE_ANY("shrink uniform constant", GG_CANON, shrink_constant),
    {0}};

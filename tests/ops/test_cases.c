/* SPDX-License-Identifier: BSD-2-Clause */
/* Every case without a device: types and shapes against the reference, the
 * host's arithmetic, and macros against what they lower to. */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/graph.h"
#include "support/inputs.h"
#include "support/interp_ops.h"

static const int dtypes[] = {GA_FLOAT, GA_DOUBLE, GA_HALF,   GA_BFLOAT, GA_INT,
                             GA_UINT,  GA_BYTE,   GA_USHORT, GA_BOOL};

/* What fails is a case in a dtype: say which. */
static void complain(const case_run *r, const gg_apply *a, const char *what) {
  char type[160];

  fail_msg("%s of %s: %s: %s", r->c->name,
           gg_type_text(gg_var_type(r->x[0]), type, sizeof type), a->op->name,
           what);
}

/* Numeric shapes of one node. */
static void check_shape(const case_run *r, interp *it, const gg_apply *a) {
  gg_dims in[8], out[2];
  const double *host[8] = {NULL};

  if (a->op->shape == NULL)
    return;
  for (unsigned int i = 0; i < a->n_in; i++) {
    const tensor *t = interp_eval(it, a->in[i]);
    in[i].nd = t->nd;
    memcpy(in[i].dim, t->dim, sizeof t->dim);
    host[i] = gg__number_only(a, i) ? t->v : NULL;
  }
  assert_true(a->n_out <= 2);
  if (a->op->shape(a, in, host, out) != GA_NO_ERROR)
    complain(r, a, gg_graph_error(r->g));
  for (unsigned int i = 0; i < a->n_out; i++) {
    const tensor *t = interp_eval(it, a->out[i]);
    if (out[i].nd != t->nd ||
        memcmp(out[i].dim, t->dim, t->nd * sizeof *t->dim) != 0)
      complain(r, a, "the shape is not the value's");
  }
}

static int agree(double a, double b, double tol) {
  if (isnan(a) || isnan(b) || isinf(a) || isinf(b))
    return a == b || (isnan(a) && isnan(b));
  return fabs(a - b) <= tol * (1 + fabs(b));
}

/* What is left of x in a dtype. */
static double stored(int dtype, double x) {
  double room[2];

  if (ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return x;
  ga__dtype_from_double(dtype, room, x);
  return ga__dtype_to_double(dtype, room);
}

/* The host's function of one elementwise node, element by element. Numbers
 * that wrap around are not its business. */
static void check_eval(const case_run *r, interp *it, const gg_apply *a) {
  const int dtype = gg_var_type(a->out[0])->dtype;
  size_t coord[GG_MAX_ND], i;
  double x[3], y;

  if (a->op->kind != GG_OP_ELEMWISE)
    return;
  const gg_code *code = gg_apply_code(a);
  if (code == NULL || code->text == NULL || code->eval == NULL)
    complain(r, a, "no code");
  const tensor *out = interp_eval(it, a->out[0]);
  for (i = 0; i < out->n; i++) {
    tensor_coord(out, i, coord);
    for (unsigned int k = 0; k < a->n_in; k++) {
      const tensor *in = interp_eval(it, a->in[k]);
      x[k] = in->v[tensor_at(in, coord)];
    }
    y = code->eval(x);
    if (ga__dtype_kind(dtype) == GA_KIND_UINT && y < 0)
      continue;
    if (!agree(stored(dtype, y), out->v[i], 1e-12))
      complain(r, a, "the host computes something else");
  }
}

/* A macro equals what it stands for. */
static void check_lower(const case_run *r, interp *it, const gg_apply *a) {
  gg_var *lowered = NULL;

  if (a->op->kind != GG_OP_MACRO)
    return;
  if (a->op->lower(a, &lowered) != GA_NO_ERROR || lowered == NULL)
    complain(r, a, gg_graph_error(r->g));
  if (!gg__type_fits(&lowered->type, &a->out[0]->type))
    complain(r, a, "another type when lowered");
  const tensor *got = interp_eval(it, lowered);
  const tensor *want = interp_eval(it, a->out[0]);
  assert_int_equal(got->n, want->n);
  for (size_t i = 0; i < got->n; i++)
    if (!agree(got->v[i], want->v[i], 1e-12))
      complain(r, a, "another value when lowered");
}

static void check_nodes(const case_run *r) {
  interp *it = interp_new();
  gg__order order = {0};

  assert_non_null(it);
  case_bind(r, it);
  interp_eval(it, r->y);
  assert_ok(gg__toposort(&order, 1, &r->y));
  for (size_t i = 0; i < order.n; i++) {
    check_shape(r, it, order.v[i]);
    check_eval(r, it, order.v[i]);
    check_lower(r, it, order.v[i]);
  }
  ga__vec_clear(&order);
  interp_free(it);
}

static void test_case(void **state) {
  const op_case *c = *state;
  case_run r;
  size_t n = 0;

  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
    for (int sizes = SIZES_KNOWN; sizes <= SIZES_OPEN; sizes++) {
      gg_graph *g = gg_graph_new(NULL);
      assert_non_null(g);
      if (case_begin(&r, c, g, dtypes[i], (case_sizes)sizes)) {
        check_nodes(&r);
        case_end(&r);
        n++;
      }
      gg_graph_free(g);
    }
  assert_true(n >= 2);
}

int main(void) {
  return case_group("cases", test_case);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Every case, with gradients, through text and through a file: the same text
 * again, and the same results to the last bit. */
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/inputs.h"
#include "support/roundtrip.h"

#define GROUP 16 /* cases of one function */
#define MOST 160 /* inputs and outputs of one function */

typedef struct batch {
  gg_graph *g;
  case_run run[GROUP];
  unsigned int n_runs, n_in, n_out;
  gg_var *in[MOST + 1], *out[MOST + 1];
  GpuArray in_array[MOST];
} batch;

static void make_array(GpuArray *a, const case_run *r, unsigned int i) {
  const int dtype = gg_var_type(r->x[i])->dtype;
  char *raw = malloc(r->n[i] * ga__dtype_size(dtype) + 1);

  assert_non_null(raw);
  for (size_t k = 0; k < r->n[i]; k++)
    test_set(raw, dtype, k, r->value[i][k]);
  test_array(a, dtype, r->c->in[i].nd, r->c->in[i].dims, raw);
  free(raw);
}

/* Of the sum of the result, for each operand that is a float. */
static void add_gradients(batch *b, const case_run *r) {
  gg_var *wrt[3], *grad[3];
  unsigned int n = 0;

  for (unsigned int i = 0; i < r->c->n_in; i++)
    if (ga__dtype_kind(gg_var_type(r->x[i])->dtype) == GA_KIND_FLOAT)
      wrt[n++] = r->x[i];
  if (n == 0 || !r->c->gradient ||
      ga__dtype_kind(gg_var_type(r->y)->dtype) != GA_KIND_FLOAT)
    return;
  assert_ok(gg_grad_ex(grad, gg_sum(gg_sqr(r->y)), n, wrt, 0, NULL,
                       GG_GRAD_ALLOW_DISCONNECTED));
  for (unsigned int i = 0; i < n; i++)
    b->out[b->n_out++] = grad[i];
}

static void add_case(batch *b, const op_case *c, int dtype, case_sizes sizes,
                     int gradients) {
  case_run *r = &b->run[b->n_runs];

  if (!case_begin(r, c, b->g, dtype, sizes))
    return;
  b->n_runs++;
  for (unsigned int i = 0; i < c->n_in; i++)
    b->in[b->n_in++] = r->x[i];
  b->out[b->n_out++] = r->y;
  if (gradients)
    add_gradients(b, r);
  assert_true(b->n_in < MOST && b->n_out < MOST);
}

/* Fill a batch from case `i` on; the number of the next. */
static size_t begin(batch *b, gpucontext *ctx, size_t i, int dtype,
                    case_sizes sizes, int gradients) {
  const gg_func_spec spec = {.name = "cases",
                             .inputs = b->in,
                             .outputs = b->out,
                             .flags = GG_ALLOW_UNUSED_INPUT};

  memset(b, 0, sizeof *b);
  b->g = gg_graph_new(ctx);
  for (size_t k = 0; k < GROUP && i < n_op_cases; k++, i++)
    add_case(b, &op_cases[i], dtype, sizes, gradients);
  assert_int_equal(gg_graph_status(b->g), GA_NO_ERROR);
  assert_ok(gg_graph_add_func(b->g, &spec));
  return i;
}

static void end(batch *b) {
  for (unsigned int i = 0; i < b->n_runs; i++)
    case_end(&b->run[i]);
  for (unsigned int i = 0; i < MOST; i++)
    GpuArray_clear(&b->in_array[i]);
  gg_graph_free(b->g);
}

/* --- the text --- */

static const int dtypes[] = {GA_FLOAT, GA_DOUBLE, GA_HALF,   GA_BFLOAT, GA_INT,
                             GA_UINT,  GA_BYTE,   GA_USHORT, GA_BOOL};

static void check_text(batch *b) {
  char *once = graph_text(b->g, 0);
  gg_graph *h = graph_of_text(NULL, once);

  char *twice = graph_text(h, 0);
  assert_string_equal(twice, once);
  assert_int_equal(gg_graph_size(h) <= gg_graph_size(b->g), 1);
  free(once);
  free(twice);
  gg_graph_free(h);
}

static void test_text(void **state) {
  batch *b = malloc(sizeof *b);

  (void)state;
  assert_non_null(b);
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (int sizes = SIZES_KNOWN; sizes <= SIZES_OPEN; sizes++)
      for (size_t i = 0; i < n_op_cases;) {
        i = begin(b, NULL, i, dtypes[d], (case_sizes)sizes, 1);
        check_text(b);
        end(b);
      }
  free(b);
}

/* --- the values --- */

static void call(gg_graph *g, GpuArray *const *in, GpuArray *out) {
  GpuArray *outs[MOST];
  gg_func *f = NULL;

  for (unsigned int i = 0; i < MOST; i++)
    outs[i] = &out[i];
  if (gg_func_new(&f, g, gg_graph_func(g, "cases")) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  if (gg_func_call(f, in, outs) != GA_NO_ERROR)
    fail_msg("%s", gg_func_error(f));
  gg_func_free(f);
}

static void assert_same(const GpuArray *a, const GpuArray *b) {
  void *want = calloc(test_size(a) + 1, sizeof(double));

  assert_non_null(want);
  assert_int_equal(a->typecode, b->typecode);
  assert_int_equal(test_size(a), test_size(b));
  test_gather(a, want);
  test_array_equal(b, want);
  free(want);
}

static void check_values(batch *b) {
  gg_graph *loaded = graph_of_file(test_context(), b->g);
  char *text = graph_text(b->g, 0);
  gg_graph *read = graph_of_text(test_context(), text);
  GpuArray *in[MOST], out[3][MOST] = {0};

  for (unsigned int r = 0, i = 0; r < b->n_runs; r++)
    for (unsigned int k = 0; k < b->run[r].c->n_in; k++, i++)
      make_array(&b->in_array[i], &b->run[r], k);
  for (unsigned int i = 0; i < MOST; i++)
    in[i] = &b->in_array[i];
  call(b->g, in, out[0]);
  call(loaded, in, out[1]);
  call(read, in, out[2]);
  for (unsigned int i = 0; i < b->n_out; i++) {
    assert_same(&out[0][i], &out[1][i]);
    assert_same(&out[0][i], &out[2][i]);
  }
  for (unsigned int i = 0; i < MOST; i++)
    for (unsigned int k = 0; k < 3; k++)
      GpuArray_clear(&out[k][i]);
  free(text);
  gg_graph_free(loaded);
  gg_graph_free(read);
}

static void check_dtype(int dtype, case_sizes sizes, int gradients) {
  batch *b = malloc(sizeof *b);

  assert_non_null(b);
  for (size_t i = 0; i < n_op_cases;) {
    i = begin(b, test_context(), i, dtype, sizes, gradients);
    if (b->n_runs != 0)
      check_values(b);
    end(b);
  }
  free(b);
}

static void test_float32(void **state) {
  (void)state;
  check_dtype(GA_FLOAT, SIZES_OPEN, 1);
}

static void test_float16(void **state) {
  (void)state;
  test_need_full();
  check_dtype(GA_HALF, SIZES_KNOWN, 0);
}

static void test_int32(void **state) {
  (void)state;
  check_dtype(GA_INT, SIZES_KNOWN, 0);
}

static void test_bool(void **state) {
  (void)state;
  check_dtype(GA_BOOL, SIZES_OPEN, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),    cmocka_unit_test(test_float32),
      cmocka_unit_test(test_float16), cmocka_unit_test(test_int32),
      cmocka_unit_test(test_bool),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

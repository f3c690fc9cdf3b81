/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs at which modes once differed; random ones have found them. All modes
 * give the same bits. */
#include <gpugraph/save.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/funcs.h"

#define MAX_IN 4

/* A function f, and the sizes of its inputs, which are -2, -1, 0, ... */
typedef struct found {
  const char *text;
  size_t dims[MAX_IN][3];
} found;

static const found list[] = {
    /* integers wrap around, and floats stop at the ends of the range */
    {"b = input int8[?]\n"
     "y = cast{dtype=uint8}(cast{dtype=float32}(b))\n"
     "function f(b) -> (y)\n",
     {{5}}},
    /* numbers without sign have no negative ones */
    {"a = input uint32[?]\n"
     "y = mul(neg(a), 4)\n"
     "function f(a) -> (y)\n",
     {{5}}},
    {"a = input int8[?]\n"
     "y = neg(mul(-128, a))\n"
     "function f(a) -> (y)\n",
     {{5}}},
    /* one index, which no rule finds out before the call */
    {"p = input float32[?, 3]\n"
     "n = sub(shape{axis=1}(p), 1)\n"
     "i = slice{axis=0, start=1, stop=100}(iota{axis=0}(extent(n)))\n"
     "y = gt(crossentropy(softmax(p), i), 0)\n"
     "function f(p) -> (y)\n",
     {{1, 3}}},
    /* the same where macros become other ops: nothing stretches */
    {"p = input float32[5, 3]\n"
     "k = input int64[5]\n"
     "z = input float32[10, ?, 1]\n"
     "n = sub(shape{axis=1}(p), 1)\n"
     "r = cast{dtype=float32}(iota{axis=0}(extent(n)))\n"
     "v = mul(dimshuffle{pattern=[0, -1]}(crossentropy(p, mul(k, 0))), "
     "dimshuffle{pattern=[-1, 0]}(r))\n"
     "y = lt(reshape{dims=[10, -1, 1]}(v), z)\n"
     "function f(p, k, z) -> (y)\n",
     {{5, 3}, {5}, {10, 1, 1}}},
    /* a size that is known to be 1 before and after rewriting: it stretches */
    {"c = input float32[1, ?]\n"
     "z = input float32[4, ?]\n"
     "y = add(reshape{dims=[-1, 3]}(reshape{dims=[1, 3]}(c)), z)\n"
     "function f(c, z) -> (y)\n",
     {{1, 3}, {4, 3}}},
    /* where there is nothing, the number of elements decides no size */
    {"c = input float32[0, ?]\n"
     "y = reduce{op=sum, axes=[1]}(cast{dtype=int16}("
     "reshape{dims=[0, 0]}(lt(c, c))))\n"
     "function f(c) -> (y)\n",
     {{0, 1}}},
};

static void make_input(GpuArray *a, const gg_var *v, const size_t *dims) {
  const gg_type *t = gg_var_type(v);
  const size_t item = ga__dtype_size(t->dtype);
  size_t n = 1;

  for (unsigned int i = 0; i < t->nd; i++)
    n *= dims[i];
  char *data = malloc((n + 1) * item);
  assert_non_null(data);
  for (size_t i = 0; i < n; i++)
    ga__dtype_from_double(t->dtype, data + i * item, (double)i - 2);
  test_array(a, t->dtype, t->nd, dims, data);
  free(data);
}

typedef struct result {
  unsigned int nd;
  size_t dim[GG_MAX_ND], bytes;
  void *data;
} result;

static result call(gg_graph *g, gg_mode mode, GpuArray *const *in) {
  gg_func_spec spec = *gg_graph_func(g, "f");
  GpuArray out = {0};

  spec.mode = mode;
  gg_func *f = func_make(g, &spec);
  func_run(f, in, (GpuArray *[]){&out});
  result r = {.nd = out.nd, .bytes = ga__dtype_size(out.typecode)};
  for (unsigned int i = 0; i < out.nd; i++)
    r.bytes *= r.dim[i] = out.dimensions[i];
  r.data = malloc(r.bytes + 1);
  assert_non_null(r.data);
  test_gather(&out, r.data);
  GpuArray_clear(&out);
  gg_func_free(f);
  return r;
}

static void check_found(const found *x) {
  static const gg_mode modes[] = {GG_FAST_COMPILE, GG_FAST_RUN, GG_DEBUG};
  gg_graph *g = gg_graph_new(test_context());
  GpuArray in[MAX_IN] = {0}, *args[MAX_IN];

  assert_ok(gg_graph_parse(g, "found", x->text, strlen(x->text)));
  gg_var *const *vars = gg_graph_func(g, "f")->inputs;
  for (unsigned int i = 0; vars[i] != NULL; i++) {
    args[i] = &in[i];
    make_input(&in[i], vars[i], x->dims[i]);
  }
  result want = call(g, GG_NO_REWRITE, args);
  for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
    result got = call(g, modes[m], args);
    assert_int_equal(got.nd, want.nd);
    assert_memory_equal(got.dim, want.dim, sizeof got.dim);
    assert_memory_equal(got.data, want.data, want.bytes);
    free(got.data);
  }
  free(want.data);
  for (unsigned int i = 0; i < MAX_IN; i++)
    GpuArray_clear(&in[i]);
  gg_graph_free(g);
}

static void modes_agree(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    print_message("%s", list[i].text);
    check_found(&list[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(modes_agree)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions as models: saved, read again by the library, and run; results are
 * those of the function. Other programs judge the models (check_runtime.sh). */
#include <dirent.h>
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strb.h"
#include "support/device.h"
#include "support/onnx_saved.h"
#include "support/roundtrip.h"
#include "support/tmpfile.h"

/* --- elementwise ops: many in one function --- */

static gg_var *of_two(gg_var *(*op)(gg_var *a, gg_var *b), gg_var **x) {
  return op(x[0], x[1]);
}

static void test_floats(void **state) {
  test_need_full();
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x[2] = {gg_input(g, "x", GA_FLOAT, 2), gg_input(g, "y", GA_FLOAT, 2)};
  gg_var *out[SAVED_MOST] = {
      gg_sqr(x[0]),
      gg_sqrt(x[0]),
      gg_rsqrt(x[0]),
      gg_cbrt(x[0]),
      gg_exp(x[0]),
      gg_exp2(x[0]),
      gg_exp10(x[0]),
      gg_expm1(x[0]),
      gg_log(x[0]),
      gg_log2(x[0]),
      gg_log10(x[0]),
      gg_log1p(x[0]),
      gg_sin(x[0]),
      gg_cos(x[0]),
      gg_asin(x[0]),
      gg_acos(x[0]),
      gg_atan(x[0]),
      gg_sinh(x[0]),
      gg_cosh(x[0]),
      gg_tanh(x[0]),
      gg_asinh(x[0]),
      gg_acosh(x[0]),
      gg_atanh(x[0]),
      gg_degrees(x[0]),
      gg_radians(x[0]),
      gg_erf(x[0]),
      gg_erfc(x[0]),
      gg_sigmoid(x[0]),
      gg_logit(x[0]),
      gg_softplus(x[0]),
      gg_relu(x[0]),
      gg_ceil(x[0]),
      gg_floor(x[0]),
      gg_trunc(x[0]),
      gg_round(x[0]),
      gg_sign(x[0]),
      gg_abs(x[0]),
      gg_neg(x[0]),
      gg_reciprocal(x[0]),
      gg_isnan(x[0]),
      gg_isinf(x[0]),
      gg_isfinite(x[0]),
      gg_tan(x[0]),
      of_two(gg_add, x),
      of_two(gg_sub, x),
      of_two(gg_mul, x),
      of_two(gg_div, x),
      of_two(gg_mod, x),
      of_two(gg_pow, x),
      of_two(gg_hypot, x),
      of_two(gg_floordiv, x),
      of_two(gg_fmod, x),
      of_two(gg_copysign, x),
      of_two(gg_maximum, x),
      of_two(gg_minimum, x),
      of_two(gg_atan2, x),
      of_two(gg_logaddexp, x),
      of_two(gg_lt, x),
      of_two(gg_le, x),
      of_two(gg_gt, x),
      of_two(gg_ge, x),
      of_two(gg_eq, x),
      of_two(gg_ne, x),
      gg_where(gg_lt(x[0], x[1]), x[0], gg_weak(g, 2)),
      gg_cast(x[0], GA_INT),
      gg_cast(x[0], GA_BOOL),
      gpucontext_caps(test_context())->fp64 ? gg_cast(x[0], GA_DOUBLE) : NULL};

  (void)state;
  assert_saved(g,
               &(gg_func_spec){.inputs = GG_VARS(x[0], x[1]), .outputs = out},
               "floats");
  gg_graph_free(g);
}

static void test_integers(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *i = gg_input(g, "i", GA_INT, 1), *k = gg_input(g, "k", GA_INT, 1);
  gg_var *b = gg_input(g, "b", GA_BOOL, 1), *c = gg_input(g, "c", GA_BOOL, 1);
  gg_var *x[2] = {gg_sub(i, gg_i64(g, 1)), gg_sub(k, gg_i64(g, 1))};

  x[0] = gg_cast(x[0], GA_INT);
  x[1] = gg_cast(x[1], GA_INT);
  gg_var *out[SAVED_MOST] = {of_two(gg_add, x),
                             of_two(gg_sub, x),
                             of_two(gg_mul, x),
                             of_two(gg_div, x),
                             of_two(gg_mod, x),
                             of_two(gg_floordiv, x),
                             of_two(gg_maximum, x),
                             of_two(gg_minimum, x),
                             of_two(gg_and, x),
                             of_two(gg_or, x),
                             of_two(gg_xor, x),
                             gg_not(x[0]),
                             of_two(gg_lt, x),
                             of_two(gg_ne, x),
                             gg_neg(x[0]),
                             gg_abs(x[0]),
                             gg_sign(x[0]),
                             gg_cast(x[0], GA_FLOAT),
                             gg_cast(x[0], GA_SHORT),
                             gg_and(b, c),
                             gg_or(b, c),
                             gg_xor(b, c),
                             gg_not(b),
                             gg_eq(b, c),
                             gg_lt(b, c),
                             gg_where(b, x[0], x[1])};

  (void)state;
  assert_saved(g,
               &(gg_func_spec){.inputs = GG_VARS(i, k, b, c), .outputs = out},
               "integers");
  gg_graph_free(g);
}

/* --- texts --- */

/* Functions: what they are built of, their inputs, and their outputs. */
static const struct {
  const char *name, *leaves, *inputs, *outputs[SAVED_MOST];
} texts[] = {
    {"reduce",
     "x = input float32[?, ?, 4]\n",
     "x",
     {"reduce{op=sum, axes=[0, 2]}(x)",
      "reduce{op=max, axes=[1], keepdims=true}(x)",
      "reduce{op=min, axes=[0, 1, 2]}(x)", "reduce{op=prod, axes=[2]}(x)",
      "reduce{op=argmax, axes=[1]}(x)",
      "reduce{op=argmin, axes=[0, 2], keepdims=true}(x)",
      "reduce{op=argmax, axes=[0, 1, 2]}(x)",
      "reduce{op=variance, axes=[0, 1]}(x)", "mean(x)"}},
    {"reduce_whole",
     "x = input int32[?, 4]\n"
     "b = input bool[?, 4]\n",
     "x, b",
     {"sum(x)", "reduce{op=max, axes=[1]}(x)", "reduce{op=any_of, axes=[0]}(b)",
      "reduce{op=all_of, axes=[1]}(b)", "sum(b)"}},
    {"arrange",
     "x = input float32[?, 1, 4]\n"
     "y = input float32[?, 4]\n",
     "x, y",
     {"dimshuffle{pattern=[2, -1, 0]}(x)", "dimshuffle{pattern=[0, 2]}(x)",
      "dimshuffle{pattern=[-1, 0, -1, 1]}(y)", "reshape{dims=[2, -1]}(y)",
      "reshape_like(x, y)", "join{axis=1}(y, exp(y))",
      "part{axis=1, part=1}(join{axis=1}(y, y, y), y, y, y)",
      "part{axis=0, part=1}(join{axis=0}(y, y), y, y)",
      "fill(y, float32[1, 1] {2})", "shape{axis=0}(y)", "size(y)",
      "iota{axis=0}(y)", "transpose(y)",
      "reshape_sizes(y, shape{axis=0}(y), int64 2, int64 -1)",
      "specify_shape{dims=[-1, 4]}(y)"}},
    {"slices",
     "x = input float32[?, 5]\n"
     "k = input int64\n"
     "n = input uint8\n"
     "v = input float32[?, 2]\n",
     "x, k, n, v",
     {"slice{axis=1, start=1, stop=4, step=2}(x)", "slice{axis=1, step=-1}(x)",
      "slice{axis=1, start=-2, stop=0, step=-2}(x)",
      "slice{axis=0, start=1}(x)", "index{axis=1, at=-2}(x)",
      "slice_set{axis=1, start=0, stop=4, step=2}(x, v)",
      "slice_set{axis=1, start=4, stop=1, step=-2}(x, v)",
      "slice_grad{axis=1, start=3}(x, v)", "index_at{axis=1}(x, k)",
      "index_at{axis=1}(x, n)", "slice_at{axis=1}(x, k, int64 5, int64 1)",
      "vector(k, int64 3, shape{axis=0}(x))"}},
    {"by_index",
     "x = input float32[4, 3]\n"
     "i = input int64[2]\n"
     "j = input int32[4, 2]\n"
     "k = input int64[2, 3]\n"
     "v = input float32[2, 3]\n",
     "x, i, j, k, v",
     {"take{axis=0}(x, i)", "take{axis=1}(x, i)", "take{axis=1}(x, j)",
      "take{axis=0}(x, k)", "take{axis=0}(x, reshape{dims=[2, 1]}(i))",
      "put{axis=0, op=add}(x, i, v)", "put{axis=0, op=max}(x, k, v)",
      "put{axis=0, op=mul}(x, i, v)"}},
    {"products",
     "a = input float32[?, 4]\n"
     "b = input float32[4, 3]\n"
     "v = input float32[4]\n"
     "c = input float32[?, 3]\n"
     "p = input float32[2, 3, 4]\n"
     "q = input float32[2, 4, 3]\n"
     "u = input float32[?]\n",
     "a, b, v, c, p, q, u",
     {"dot{alpha=1}(a, b)", "dot{alpha=2}(a, v)", "dot{alpha=1}(v, b)",
      "dot{alpha=1}(v, v)", "gemm{alpha=0.5, beta=2}(c, a, b)",
      "gemv{alpha=1, beta=1}(u, a, v)", "ger{alpha=3}(a, u, v)",
      "batched_dot{alpha=1}(p, q)", "outer(u, v)"}},
    {"rows",
     "x = input float32[?, 4]\n"
     "y = input int64[3]\n"
     "x3 = input float32[3, 4]\n",
     "x, y, x3",
     {"softmax(x)", "log_softmax(x)", "crossentropy(softmax(x3), y)",
      "cumulate{op=sum, axis=1}(x)",
      "cumulate{op=sum, axis=0, exclusive=true, reversed=true}(x)"}},
    {"weights",
     "x = input float32[?, 2]\n"
     "w = shared float32[2, 3] {1, 2, 3, 4, 5, 6}\n"
     "b = shared float32[3] {0.5, -0.5, 0.25}\n",
     "x",
     {"add(dot{alpha=1}(x, w), dimshuffle{pattern=[-1, 0]}(b))",
      "stop_gradient(w)"}},
    {"sorted",
     "x = input float32[?, 5]\n",
     "x",
     {"sort{axis=1}(x)", "sort{axis=0, descending=true}(x)",
      "argsort{axis=1, descending=true}(x)", "argsort{axis=0}(x)",
      "partition{axis=1}(x, 2)"}},
    {"windows",
     "x = input float32[2, 2, 7, 6]\n"
     "w = input float32[4, 1, 3, 2]\n"
     "y = input float32[2, 4, 3, 3]\n",
     "x, w, y",
     {"conv{stride=[2, 2], dilation=[1, 1], before=[1, 0], after=[0, 0], "
      "groups=2}(x, w)",
      "conv{stride=[1, 1], dilation=[2, 1], before=[1, 1], after=[1, 0], "
      "groups=2, flip=1}(x, w)",
      "conv_input{stride=[2, 2], dilation=[1, 1], before=[1, 0], "
      "after=[0, 0], groups=2}(y, w, x)"}},
    {"gradients_by_filters",
     "x = input float32[2, 4, 7, 6]\n"
     "y = input float32[2, 2, 3, 3]\n"
     "z = input float32[2, 2, 8, 3]\n"
     "w = input float32[2, 2, 3, 2]\n"
     "v = input float32[?, 2, 9]\n"
     "u = input float32[?, 3, 4]\n"
     "t = input float32[3, 2, ?]\n",
     "x, y, z, w, v, u, t",
     {"conv_filters{stride=[2, 2], dilation=[1, 1], before=[1, 0], "
      "after=[0, 0], groups=2}(x, y, w)",
      "conv_filters{stride=[1, 2], dilation=[1, 1], before=[1, 0], "
      "after=[2, 1], groups=2, flip=1}(x, z, w)",
      "conv_filters{stride=[2], dilation=[1], before=[0], after=[0], "
      "groups=1}(v, u, t)"}},
    {"pools",
     "x = input float32[2, 3, 7, 6]\n"
     "g = input float32[2, 3, 4, 4]\n"
     "z = input float32[?, 2, ?]\n",
     "x, g, z",
     {"pool_max{size=[3, 2], stride=[2, 1], dilation=[1, 2], before=[1, 0], "
      "after=[1, 0]}(x)",
      "pool_indices{size=[3, 2], stride=[2, 1], dilation=[1, 2], "
      "before=[1, 0], after=[1, 0]}(x)",
      "pool_pick{size=[3, 2], stride=[2, 1], dilation=[1, 2], before=[1, 0], "
      "after=[1, 0]}(g, pool_indices{size=[3, 2], stride=[2, 1], "
      "dilation=[1, 2], before=[1, 0], after=[1, 0]}(x), x)",
      "pool_max{size=[2], stride=[2], dilation=[1], before=[0], after=[0], "
      "flags=1}(z)",
      "pool_mean{size=[3, 2], stride=[2, 2], dilation=[1, 1], before=[1, 0], "
      "after=[1, 0]}(x)",
      "pool_mean{size=[3, 2], stride=[2, 2], dilation=[1, 1], before=[1, 0], "
      "after=[1, 0], flags=2}(x)",
      "pool_mean{size=[2], stride=[2], dilation=[1], before=[0], after=[0], "
      "flags=1}(z)"}},
    {"transforms",
     "x = input float32[?, 6]\n"
     "y = input float32[4, ?]\n"
     "n = input float32[4, 5]\n"
     "z = complex(x, exp(x))\n"
     "q = rfft{axes=[1]}(y)\n"
     "l = input float32[?]\n",
     "x, y, n, l",
     {"irfft{axes=[0]}(rfft{axes=[0]}(l), shape{axis=0}(l))", "real(q)",
      "imag(q)", "imag(rfft{axes=[0], ortho=true}(y))",
      "real(rfft{axes=[1], forward=true}(n))", "real(fft{axes=[1]}(z))",
      "imag(fft{axes=[0, 1], inverse=true}(z))",
      "real(fft{axes=[1], ortho=true}(z))",
      "imag(fft{axes=[1], inverse=true, ortho=true}(z))",
      "real(fft{axes=[1], inverse=true, forward=true}(z))",
      "imag(fft{axes=[1], forward=true}(z))",
      "irfft{axes=[1]}(q, shape{axis=1}(y))",
      "irfft{axes=[1], inverse=true}(q, shape{axis=1}(y))",
      "imag(rfft{axes=[1], inverse=true}(n))",
      "irfft{axes=[1], ortho=true, inverse=true}(rfft{axes=[1]}(n), int64 5)",
      "irfft{axes=[0], forward=true}(rfft{axes=[0]}(n), int64 4)"}},
    {"complex",
     "x = input float32[?, 4]\n"
     "y = input float32[?, 1]\n"
     "m = input bool[?, 4]\n"
     "z = complex(x, exp(x))\n"
     "w = complex(add(2, sqr(y)), x)\n",
     "x, y, m",
     {"real(mul(z, w))", "imag(mul(z, w))", "real(div(z, w))",
      "imag(div(z, w))", "magnitude(sub(z, w))", "angle(add(z, w))",
      "imag(conj(z))", "real(sqr(z))", "imag(neg(z))",
      "imag(reduce{op=sum, axes=[0]}(z))", "imag(transpose(z))",
      "imag(where(m, z, w))", "real(slice{axis=1, start=1}(z))",
      "imag(join{axis=0}(z, w))", "shape{axis=0}(z)",
      "imag(mul(z, complex64 1+2j))",

      "imag(index{axis=1, at=2}(z))", "real(reshape{dims=[-1]}(w))"}},
    {"logarithms",
     "x = input float32[?]\n"
     "y = input float32[?]\n",
     "x, y",
     {"log(sigmoid(mul(x, 100)))", "log(sub(1, sigmoid(mul(x, 100))))",
      "xlogy(relu(x), abs(y))", "xlog1py(relu(x), abs(y))"}},
    {"narrow",
     "x = input float16[?, 4]\n",
     "x",
     {"add(x, 1)", "exp(x)", "softmax(x)"}},
    {"wide",
     "x = input float64[?, 4]\n",
     "x",
     {"add(x, 0.1)", "exp(x)", "reduce{op=sum, axes=[0]}(x)"}},
    {"regions",
     "x = input float32[3, 2, 5, 4]\n"
     "r = input float32[?, 4]\n"
     "n = input int64[?]\n",
     "x, r, n",
     {"roi_pool{rows=2, columns=4, scale=1.5}(x, r, sub(n, 1))",
      "roi_pool{rows=1, columns=2, scale=0.7}(x, cast{dtype=float16}(r), n)"}},
    {"size_of_rows",
     "x = input float32[?]\n"
     "y, z = scan() {\na = row(x)\nb = exp(a)\noutput (b)\n}\n",
     "x",
     {"iota{axis=0}(extent(shape{axis=0}(y)))"}},
};

/* The graph of a text, with a function f. */
static gg_graph *graph_of(size_t i) {
  ga__strb text = GA_STRB_INIT;

  ga__strb_append(&text, texts[i].leaves);
  for (size_t k = 0; texts[i].outputs[k] != NULL; k++)
    ga__strb_appendf(&text, "out%zu = %s\n", k, texts[i].outputs[k]);
  ga__strb_appendf(&text, "function f(%s) -> (", texts[i].inputs);
  for (size_t k = 0; texts[i].outputs[k] != NULL; k++)
    ga__strb_appendf(&text, "%sout%zu", k == 0 ? "" : ", ", k);
  ga__strb_append(&text, ")\n");
  gg_graph *g = graph_of_text(test_context(), ga__strb_text(&text));
  ga__strb_clear(&text);
  return g;
}

/* Save a function, and check that what is saved can be built. */
static void check_saved(const gg_func_spec *f) {
  const char *path = test_file_path("built.onnx");
  gg_onnx *m;

  assert_ok(gg_onnx_save(f, path, NULL));
  assert_ok(gg_onnx_open(&m, path));
  assert_ok(gg_onnx_check(m, test_context(), NULL));
  gg_onnx_close(m);
}

/* Each has many kernels, so quick tests run few of them. */
static void test_texts(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (strstr(texts[i].leaves, "float64") != NULL &&
        !gpucontext_caps(test_context())->fp64)
      continue;
    gg_graph *g = graph_of(i);

    if (test_is_quick() && i % 7 != 6)
      check_saved(gg_graph_func(g, "f"));
    else
      assert_saved(g, gg_graph_func(g, "f"), texts[i].name);
    gg_graph_free(g);
  }
}

/* --- all texts of the fuzzer's corpus --- */

/* Save the functions of a file, and check that what is saved can be built. A
 * model that is refused lists why. Returns how many were saved. */
static size_t save_all(const char *file) {
  const char *path = test_file_path("corpus.onnx");
  gg_graph *g = gg_graph_new(test_context());
  const gg_func_spec *f;
  size_t n = 0;
  gg_onnx *m;

  if (gg_graph_load(g, file) != GA_NO_ERROR)
    gg_graph_reset_error(g);
  for (size_t i = 0; (f = gg_graph_func_at(g, i)) != NULL; i++) {
    const int err = gg_onnx_save(
        f, path, &(gg_onnx_save_options){.flags = GG_ONNX_NO_UPDATES});

    if (err == GA_NO_ERROR) {
      assert_ok(gg_onnx_open(&m, path));
      if (gg_onnx_check(m, test_context(), NULL) != GA_NO_ERROR)
        fail_msg("%s: %s", file, gpuarray_error_text(GA_VALUE_ERROR));
      gg_onnx_close(m);
      n++;
    } else if (f->outputs[0] != NULL) {
      assert_int_equal(err, GA_UNSUPPORTED_ERROR);
    }
  }
  gg_graph_free(g);
  return n;
}

static void test_corpus(void **state) {
  const char *folder = "tests/fuzz/corpus/text";
  DIR *dir = opendir(folder);
  const struct dirent *e;
  char file[512];
  size_t n = 0;

  (void)state;
  if (dir == NULL)
    skip(); /* not in the project's folder */
  while ((e = readdir(dir)) != NULL) {
    snprintf(file, sizeof file, "%s/%s", folder, e->d_name);
    if (e->d_name[0] != '.')
      n += save_all(file);
  }
  closedir(dir);
  assert_true(n >= 1);
}

/* --- loops and choices --- */

/* A recurrence over rows with weights, all rows and the last one. */
static void test_recurrence(void **state) {
  const int64_t dims[] = {GG_ANY, 3}, start[] = {3}, square[] = {3, 3};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *xs = gg_input_sized(g, "xs", GA_FLOAT, 2, dims);
  gg_var *h0 = gg_input_sized(g, "h0", GA_FLOAT, 1, start);
  gg_var *u = gg_input_sized(g, "u", GA_FLOAT, 2, square);
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_sequence(s, xs, 0), *h = gg_scan_state(s, h0);
  gg_var *y = gg_scan_output(s, gg_mul(h, x));

  (void)state;
  gg_scan_next(s, h, gg_tanh(gg_add(gg_dot(x, u), h)));
  gg_scan_close(s);
  gg_var *out[] = {gg_scan_all(s, h), gg_scan_last(s, h), gg_scan_all(s, y),
                   gg_scan_last(s, y), NULL};
  gg_scan_free(s);
  assert_saved(g, &(gg_func_spec){.inputs = GG_VARS(xs, h0, u), .outputs = out},
               "recurrence");
  gg_graph_free(g);
}

/* Backwards, with two earlier values of a state, and a number of steps. */
static void test_taps(void **state) {
  const int64_t dims[] = {5, 2}, two[] = {2, 2};
  const int back[] = {-1, -2};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *xs = gg_input_sized(g, "xs", GA_FLOAT, 2, dims);
  gg_var *init = gg_input_sized(g, "init", GA_FLOAT, 2, two), *h[2];
  gg_scan *s = gg_scan_open(g);
  gg_var *x = gg_scan_sequence(s, xs, 0);

  (void)state;
  gg_scan_state_taps(s, init, 2, back, h);
  gg_scan_next(s, h[0], gg_add(gg_mul(h[0], gg_weak(g, 0.5)), gg_sub(x, h[1])));
  gg_scan_backwards(s);
  gg_scan_close(s);
  gg_var *out[] = {gg_scan_all(s, h[0]), gg_scan_last(s, h[0]), NULL};
  gg_scan_free(s);
  assert_saved(g, &(gg_func_spec){.inputs = GG_VARS(xs, init), .outputs = out},
               "taps");
  gg_graph_free(g);
}

/* A loop that ends when a sum is large enough. */
static void test_until(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 0);
  gg_scan *s = gg_scan_open(g);
  gg_var *h = gg_scan_state(s, x);
  gg_var *next = gg_add(gg_mul(h, gg_weak(g, 2)), gg_weak(g, 10));

  (void)state;
  gg_scan_steps(s, gg_i64(g, 20));
  gg_scan_next(s, h, next);
  gg_scan_until(s, gg_gt(next, gg_weak(g, 100)));
  gg_scan_close(s);
  gg_var *out[] = {gg_scan_last(s, h), gg_scan_all(s, h), NULL};
  gg_scan_free(s);
  assert_saved(g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = out},
               "until");
  gg_graph_free(g);
}

static void test_choices(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *b = gg_input(g, "b", GA_BOOL, 0);
  gg_var *out[3] = {gg_ifelse(b, gg_exp(x), gg_neg(x)),
                    gg_ifelse(gg_not(b), x, gg_sin(x))};

  (void)state;
  assert_saved(g, &(gg_func_spec){.inputs = GG_VARS(x, b), .outputs = out},
               "choices");
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),  cmocka_unit_test(test_integers),
      cmocka_unit_test(test_texts),   cmocka_unit_test(test_recurrence),
      cmocka_unit_test(test_taps),    cmocka_unit_test(test_until),
      cmocka_unit_test(test_choices), cmocka_unit_test(test_corpus),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

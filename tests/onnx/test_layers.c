/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers of models that ONNX's own tests do not cover: each is a graph of one
 * node, with known results. */
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "support/device.h"
#include "support/onnx_message.h"

#define MOST 64

/* A graph of one node with inputs a, b, ... and outputs y, z, ... */
typedef struct trial {
  message graph;
  size_t n_in, n_out;
  gg_host_array in[8], out[4];
  double got[4][MOST];
} trial;

static trial trial_new(const char *op, const char *in, const char *out,
                       const message *attrs) {
  trial t = {.n_out = 1};

  put_node_in(&t.graph, 1, op, in, out, attrs);
  return t;
}

/* The next input, an array of float32, or of int32. */
static void give(trial *t, int dtype, unsigned int nd, const size_t *dims,
                 const void *data) {
  const char name[] = {(char)('a' + t->n_in), 0};
  gg_host_array *a = &t->in[t->n_in++];
  int64_t sizes[GG_MAX_ND];

  *a = (gg_host_array){.dtype = dtype, .nd = nd, .data = (void *)(size_t)data};
  a->bytes = 4;
  for (unsigned int i = 0; i < nd; i++) {
    a->dims[i] = dims[i];
    a->bytes *= dims[i];
    sizes[i] = (int64_t)dims[i];
  }
  put_typed(&t->graph, 11, name, dtype == GA_FLOAT ? 1 : 6, nd, sizes);
}

#define GIVE(t, data, ...)                                                     \
  give(t, GA_FLOAT, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t),          \
       (size_t[]){__VA_ARGS__}, data)

static int load(gg_onnx **m, trial *t, gg_graph *g, int64_t opset) {
  static const char *const names[] = {"y", "z", "u", "v"};
  message all = {.n = 0};

  for (size_t i = 0; i < t->n_out; i++)
    put_typed(&t->graph, 12, names[i], 1, 0, NULL);
  put_model(&all, &t->graph, opset);
  assert_ok(gg_onnx_open_memory(m, all.bytes, all.n, NULL));
  return gg_onnx_load(*m, g, NULL);
}

static void run(trial *t, int64_t opset) {
  gg_graph *g = gg_graph_new(test_context());
  const gg_host_array *in[9] = {NULL};
  gg_host_array *out[5] = {NULL};
  gg_onnx *m;
  gg_func *f;

  for (size_t i = 0; i < t->n_in; i++)
    in[i] = &t->in[i];
  for (size_t i = 0; i < t->n_out; i++) {
    t->out[i] = (gg_host_array){.data = t->got[i], .bytes = sizeof t->got[i]};
    out[i] = &t->out[i];
  }
  assert_ok(load(&m, t, g, opset));
  assert_ok(gg_func_new(&f, g,
                        &(gg_func_spec){.inputs = gg_onnx_inputs(m),
                                        .outputs = gg_onnx_outputs(m)}));
  assert_ok(gg_func_call_host(f, in, out));
  gg_func_free(f);
  gg_onnx_close(m);
  gg_graph_free(g);
}

/* Loading fails, and the message contains `part`. */
static void refuse(trial *t, int code, const char *part) {
  gg_graph *g = gg_graph_new(test_context());
  gg_onnx *m;

  assert_code(code, load(&m, t, g, 21));
  assert_message(code, part);
  gg_onnx_close(m);
  gg_graph_free(g);
}

static void assert_floats(const trial *t, size_t i, size_t n,
                          const float *want) {
  const float *got = t->out[i].data;
  size_t count = 1;

  for (unsigned int k = 0; k < t->out[i].nd; k++)
    count *= t->out[i].dims[k];
  assert_int_equal(count, n);
  for (size_t k = 0; k < n; k++)
    if (!(fabsf(got[k] - want[k]) <= 1e-5f * (1 + fabsf(want[k]))))
      fail_msg("output %zu, element %zu: %g, expected %g", i, k, got[k],
               want[k]);
}

#define EXPECT(t, i, ...)                                                      \
  assert_floats(t, i, sizeof((float[]){__VA_ARGS__}) / sizeof(float),          \
                (float[]){__VA_ARGS__})

/* --- attributes: fields of a node --- */

static void put_numbers(message *attrs, const char *name, size_t n,
                        const int64_t *list) {
  message a = {.n = 0};

  put_text(&a, 1, name);
  for (size_t i = 0; i < n; i++)
    put_int(&a, 8, list[i]);
  put_int(&a, 20, 7);
  put_message(attrs, 5, &a);
}

#define NUMBERS(attrs, name, ...)                                              \
  put_numbers(attrs, name, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
              (int64_t[]){__VA_ARGS__})

static void put_word(message *attrs, const char *name, const char *text) {
  message a = {.n = 0};

  put_text(&a, 1, name);
  put_text(&a, 4, text);
  put_int(&a, 20, 3);
  put_message(attrs, 5, &a);
}

/* --- convolutions --- */

static const float ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const float count[] = {1, 2, 3, 4, 5, 6, 7, 8};

static void test_auto_pad(void **state) {
  message upper = {.n = 0}, lower = {.n = 0};

  (void)state;
  put_word(&upper, "auto_pad", "SAME_UPPER");
  NUMBERS(&upper, "strides", 2);
  trial t = trial_new("Conv", "a b", "y", &upper);
  GIVE(&t, count, 1, 1, 5);
  GIVE(&t, ones, 1, 1, 2);
  run(&t, 21);
  EXPECT(&t, 0, 3, 7, 5); /* 1+2, 3+4, 5+0 */
  put_word(&lower, "auto_pad", "SAME_LOWER");
  NUMBERS(&lower, "strides", 2);
  t = trial_new("Conv", "a b", "y", &lower);
  GIVE(&t, count, 1, 1, 5);
  GIVE(&t, ones, 1, 1, 2);
  run(&t, 21);
  EXPECT(&t, 0, 1, 5, 9); /* 0+1, 2+3, 4+5 */
}

/* The result is longer than the windows reach, or shorter. */
static void test_transposed_sizes(void **state) {
  message longer = {.n = 0}, shorter = {.n = 0}, far = {.n = 0};

  (void)state;
  NUMBERS(&longer, "output_shape", 5);
  trial t = trial_new("ConvTranspose", "a b c", "y", &longer);
  GIVE(&t, count, 1, 1, 2);
  GIVE(&t, ones, 1, 1, 2);
  GIVE(&t, ones, 1);
  run(&t, 21);
  EXPECT(&t, 0, 2, 4, 3, 1, 1);
  NUMBERS(&shorter, "output_shape", 2);
  t = trial_new("ConvTranspose", "a b", "y", &shorter);
  GIVE(&t, count, 1, 1, 2);
  GIVE(&t, ones, 1, 1, 2);
  run(&t, 21);
  EXPECT(&t, 0, 3, 2); /* of 1 3 2: the odd pad is in front */
  NUMBERS(&far, "output_padding", 1);
  NUMBERS(&far, "pads", 0, 2);
  t = trial_new("ConvTranspose", "a b", "y", &far);
  GIVE(&t, count, 1, 1, 3);
  GIVE(&t, ones, 1, 1, 2);
  run(&t, 21);
  EXPECT(&t, 0, 1, 3, 5);
}

static void test_windows_refused(void **state) {
  static const struct {
    const char *name;
    size_t n;
    int64_t list[4];
    const char *part;
  } cases[] = {
      {"pads", 2, {-1, 0}, "pads[0] is -1, expected 0 to"},
      {"pads", 3, {0, 0, 0}, "pads has 3 values, expected 2"},
      {"strides", 1, {0}, "strides[0] is 0, expected 1 to"},
      {"dilations", 1, {INT64_MAX}, "dilations[0] is 9223372036854775807"},
      {"kernel_shape", 1, {3}, "kernel_shape[0] is 3, but the filters have 2"},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    message attrs = {.n = 0};

    put_numbers(&attrs, cases[i].name, cases[i].n, cases[i].list);
    trial t = trial_new("Conv", "a b", "y", &attrs);
    GIVE(&t, count, 1, 1, 5);
    GIVE(&t, ones, 1, 1, 2);
    refuse(&t, GA_VALUE_ERROR, cases[i].part);
  }
  trial t = trial_new("Conv", "a b", "y", NULL);
  GIVE(&t, count, 1, 5);
  GIVE(&t, ones, 1, 1, 2);
  refuse(&t, GA_VALUE_ERROR, "2 dimensions, and 3 of the filters");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_auto_pad),
      cmocka_unit_test(test_transposed_sizes),
      cmocka_unit_test(test_windows_refused),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

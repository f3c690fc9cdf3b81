/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/onnx_trial.h"

#include <math.h>
#include <string.h>

#include "support/device.h"

trial trial_new(const char *op, const char *in, const char *out,
                const message *attrs) {
  trial t = {.n_out = 1};

  put_node_in(&t.graph, 1, op, in, out, attrs);
  return t;
}

/* The format's number of a dtype. */
static int elem_of(int dtype) {
  return dtype == GA_FLOAT ? 1 : dtype == GA_LONG ? 7 : dtype == GA_INT ? 6 : 2;
}

void give(trial *t, int dtype, unsigned int nd, const size_t *dims,
          const void *data) {
  const char name[] = {(char)('a' + t->n_in), 0};
  gg_host_array *a = &t->in[t->n_in++];
  int64_t sizes[GG_MAX_ND];

  *a = (gg_host_array){.dtype = dtype, .nd = nd, .data = (void *)(size_t)data};
  a->bytes = dtype == GA_LONG ? 8 : dtype == GA_UBYTE ? 1 : 4;
  for (unsigned int i = 0; i < nd; i++) {
    a->dims[i] = dims[i];
    a->bytes *= dims[i];
    sizes[i] = (int64_t)dims[i];
  }
  if (t->open_batch)
    sizes[0] = -1;
  put_typed(&t->graph, 11, name, elem_of(dtype), nd, sizes);
}

static int load(gg_onnx **m, trial *t, gg_graph *g, int64_t opset) {
  static const char *const names[] = {"y", "z", "u", "v"};
  message all = {.n = 0};

  for (size_t i = 0; i < t->n_out; i++)
    put_typed(&t->graph, 12, names[i], 0, 0, NULL); /* any dtype */
  put_model(&all, &t->graph, opset);
  assert_ok(gg_onnx_open_memory(m, all.bytes, all.n, NULL));
  return gg_onnx_load(*m, g, NULL);
}

/* The code of a call. */
static int call(trial *t, int64_t opset) {
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
                                        .outputs = gg_onnx_outputs(m),
                                        .flags = GG_ALLOW_UNUSED_INPUT}));
  const int err = gg_func_call_host(f, in, out);
  gg_func_free(f);
  gg_onnx_close(m);
  gg_graph_free(g);
  return err;
}

void run(trial *t, int64_t opset) {
  assert_ok(call(t, opset));
}

void refuse_call(trial *t, int64_t opset, int code, const char *part) {
  assert_code(code, call(t, opset));
  assert_message(code, part);
}

void refuse(trial *t, int code, const char *part) {
  refuse_in(t, 21, code, part);
}

void refuse_in(trial *t, int64_t opset, int code, const char *part) {
  gg_graph *g = gg_graph_new(test_context());
  gg_onnx *m;

  assert_code(code, load(&m, t, g, opset));
  assert_message(code, part);
  gg_onnx_close(m);
  gg_graph_free(g);
}

void assert_output(const trial *t, size_t i, size_t n, const float *want) {
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

/* --- attributes: fields of a node --- */

void put_numbers(message *attrs, const char *name, size_t n,
                 const int64_t *list) {
  message a = {.n = 0};

  put_text(&a, 1, name);
  for (size_t i = 0; i < n; i++)
    put_int(&a, 8, list[i]);
  put_int(&a, 20, 7);
  put_message(attrs, 5, &a);
}

void put_word(message *attrs, const char *name, const char *text) {
  message a = {.n = 0};

  put_text(&a, 1, name);
  put_text(&a, 4, text);
  put_int(&a, 20, 3);
  put_message(attrs, 5, &a);
}

void put_float(message *attrs, const char *name, float v) {
  message a = {.n = 0};

  put_text(&a, 1, name);
  a.bytes[a.n++] = 2 << 3 | 5;
  memcpy(a.bytes + a.n, &v, sizeof v);
  a.n += sizeof v;
  put_int(&a, 20, 1);
  put_message(attrs, 5, &a);
}

void put_floats(message *attrs, const char *name, size_t n, const float *list) {
  message a = {.n = 0};

  put_text(&a, 1, name);
  put_bytes(&a, 7, list, n * sizeof *list);
  put_int(&a, 20, 6);
  put_message(attrs, 5, &a);
}

void put_list_of_words(message *attrs, const char *name, const char *words) {
  message a = {.n = 0};

  put_text(&a, 1, name);
  put_words(&a, 9, words);
  put_int(&a, 20, 8);
  put_message(attrs, 5, &a);
}

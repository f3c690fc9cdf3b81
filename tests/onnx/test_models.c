/* SPDX-License-Identifier: BSD-2-Clause */
/* Models that are written here, byte by byte: what is listed, built and
 * refused. */
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strb.h"
#include "onnx/op_table.h"
#include "support/device.h"

/* --- writing messages --- */

typedef struct message {
  uint8_t bytes[8192];
  size_t n;
} message;

static void put_varint(message *m, uint64_t v) {
  for (; v >= 0x80; v >>= 7)
    m->bytes[m->n++] = (uint8_t)(v | 0x80);
  m->bytes[m->n++] = (uint8_t)v;
}

static void put_int(message *m, unsigned int id, int64_t v) {
  put_varint(m, id << 3);
  put_varint(m, (uint64_t)v);
}

static void put_bytes(message *m, unsigned int id, const void *p, size_t n) {
  put_varint(m, id << 3 | 2);
  put_varint(m, n);
  memcpy(m->bytes + m->n, p, n);
  m->n += n;
}

static void put_text(message *m, unsigned int id, const char *text) {
  put_bytes(m, id, text, strlen(text));
}

static void put_message(message *m, unsigned int id, const message *inner) {
  put_bytes(m, id, inner->bytes, inner->n);
}

/* An input or output of float32; a size below 0 has a name instead. */
static void put_value(message *graph, unsigned int id, const char *name,
                      size_t nd, const int64_t *dims) {
  message shape = {.n = 0}, tensor = {.n = 0}, type = {.n = 0},
          value = {.n = 0};

  for (size_t i = 0; i < nd; i++) {
    message dim = {.n = 0};

    if (dims[i] < 0)
      put_text(&dim, 2, "batch");
    else
      put_int(&dim, 1, dims[i]);
    put_message(&shape, 1, &dim);
  }
  put_int(&tensor, 1, 1);
  put_message(&tensor, 2, &shape);
  put_message(&type, 1, &tensor);
  put_text(&value, 1, name);
  put_message(&value, 2, &type);
  put_message(graph, id, &value);
}

/* Inputs are words of a text. */
static void put_node(message *graph, const char *op, const char *in,
                     const char *out, const message *attr) {
  message node = {.n = 0};
  char words[200];

  snprintf(words, sizeof words, "%s", in);
  for (char *w = strtok(words, " "); w != NULL; w = strtok(NULL, " "))
    put_text(&node, 1, w);
  if (out != NULL)
    put_text(&node, 2, out);
  put_text(&node, 4, op);
  if (attr != NULL)
    put_message(&node, 5, attr);
  put_message(graph, 1, &node);
}

static void put_tensor(message *graph, const char *name, int64_t n,
                       const float *data, size_t bytes) {
  message t = {.n = 0};

  put_int(&t, 1, n);
  put_int(&t, 2, 1);
  put_text(&t, 8, name);
  put_bytes(&t, 9, data, bytes);
  put_message(graph, 5, &t);
}

static void put_model(message *m, const message *graph, int64_t opset) {
  message import = {.n = 0};

  put_int(&import, 2, opset);
  put_int(m, 1, 8);
  put_message(m, 7, graph);
  put_message(m, 8, &import);
}

static const int64_t open3[] = {-1, 3};
static const float weights[] = {1, 2, 3};

/* y = x * w for x [batch, 3]. */
static void fill_good(message *m) {
  message graph = {.n = 0};

  put_value(&graph, 11, "x", 2, open3);
  put_tensor(&graph, "w", 3, weights, sizeof weights);
  put_node(&graph, "Mul", "x w", "y", NULL);
  put_value(&graph, 12, "y", 2, open3);
  put_model(m, &graph, 17);
}

/* The message of loading the model of a graph, which fails. */
static const char *load_message(const message *graph, int64_t opset) {
  gpucontext *ctx = test_context();
  message m = {.n = 0};
  gg_onnx *model = NULL;
  int err;

  put_model(&m, graph, opset);
  err = gg_onnx_open_memory(&model, m.bytes, m.n, NULL);
  if (err == GA_NO_ERROR)
    err = gg_onnx_check(model, ctx, NULL);
  gg_onnx_close(model);
  assert_int_not_equal(err, GA_NO_ERROR);
  return gpuarray_error_text(err);
}

#define assert_says(graph, part)                                               \
  do {                                                                         \
    const char *text_ = load_message(graph, 17);                               \
    if (strstr(text_, part) == NULL)                                           \
      fail_msg("\"%s\" has no \"%s\"", text_, part);                           \
  } while (0)

/* --- tests --- */

static void test_runs(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_onnx *model;
  gg_func *f;
  float x[] = {1, 1, 1, 2, 2, 2}, y[6];
  gg_host_array in = {GA_FLOAT, 2, {2, 3}, x, sizeof x};
  gg_host_array out = {.data = y, .bytes = sizeof y};
  message m = {.n = 0};

  (void)state;
  fill_good(&m);
  assert_ok(gg_onnx_open_memory(&model, m.bytes, m.n, NULL));
  assert_int_equal(gg_onnx_n_inputs(model), 1);
  assert_string_equal(gg_onnx_input(model, 0)->size_names[0], "batch");
  assert_int_equal(gg_onnx_input(model, 0)->dims[1], 3);
  assert_int_equal(gg_onnx_describe(model).opset, 17);
  assert_ok(gg_onnx_load(model, g, NULL));
  assert_ok(gg_func_new(&f, g,
                        &(gg_func_spec){.inputs = gg_onnx_inputs(model),
                                        .outputs = gg_onnx_outputs(model)}));
  gg_onnx_close(model);
  assert_string_equal(gg_var_name(gg_func_shared(f, 0)), "w");
  assert_ok(gg_func_call_host(f, (const gg_host_array *[]){&in},
                              (gg_host_array *[]){&out}));
  for (int i = 0; i < 6; i++)
    assert_true(y[i] == x[i] * weights[i % 3]);
  gg_func_free(f);
  gg_graph_free(g);
}

static void test_options(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  float x[] = {1, 2, 3};
  gg_host_array value = {GA_FLOAT, 2, {1, 3}, x, sizeof x};
  gg_onnx *model;
  message m = {.n = 0};

  (void)state;
  fill_good(&m);
  assert_ok(gg_onnx_open_memory(&model, m.bytes, m.n, NULL));
  assert_ok(gg_onnx_load(
      model, g, &(gg_onnx_options){.sizes = GG_ONNX_SIZES({"batch", 7})}));
  assert_int_equal(gg_var_type(gg_onnx_outputs(model)[0])->dims[0], 7);
  assert_ok(gg_onnx_load(
      model, g, &(gg_onnx_options){.fixed = GG_ONNX_FIXED({"x", &value})}));
  assert_null(gg_onnx_inputs(model)[0]);
  value.nd = 1;
  assert_code(
      GA_VALUE_ERROR,
      gg_onnx_load(model, g,
                   &(gg_onnx_options){.fixed = GG_ONNX_FIXED({"x", &value})}));
  assert_message(GA_VALUE_ERROR, "expected float32 and 2");
  assert_int_equal(gg_graph_status(g), GA_NO_ERROR);
  gg_onnx_close(model);
  gg_graph_free(g);
}

/* All that is wrong comes in one message. */
static void test_reports_all(void **state) {
  message graph = {.n = 0}, attr = {.n = 0};

  (void)state;
  put_value(&graph, 11, "x", 2, open3);
  put_text(&attr, 1, "colour");
  put_int(&attr, 3, 1);
  put_int(&attr, 20, 2);
  put_node(&graph, "Frobnicate", "x", "a", NULL);
  put_node(&graph, "Softmax", "a", "b", &attr);
  put_node(&graph, "Gelu", "x", "c", NULL);
  put_node(&graph, "Add", "x nobody", "d", NULL);
  assert_says(&graph, "4 problems");
  assert_says(&graph, "(Frobnicate, opset 17, at byte ");
  assert_says(&graph, "attribute \"colour\" is not supported");
  assert_says(&graph, "supported since opset 20");
  assert_says(&graph, "input 1 \"nobody\" is not computed before this node");
}

static void test_refuses(void **state) {
  message twice = {.n = 0}, short_w = {.n = 0}, cycle = {.n = 0},
          clash = {.n = 0}, blind = {.n = 0}, number = {.n = 0};

  (void)state;
  put_text(&number, 1, "value_int");
  put_int(&number, 3, 1);
  put_int(&number, 20, 2);
  put_node(&blind, "Constant", "", NULL, &number);
  assert_says(&blind, "the node has no outputs");
  put_value(&twice, 11, "x", 2, open3);
  put_node(&twice, "Neg", "x", "y", NULL);
  put_node(&twice, "Abs", "x", "y", NULL);
  assert_says(&twice, "the name \"y\" is used twice");
  put_tensor(&short_w, "w", 4, weights, sizeof weights);
  assert_says(&short_w, "tensor \"w\" has 12 bytes, its sizes need 16");
  put_node(&cycle, "Neg", "b", "a", NULL);
  put_node(&cycle, "Neg", "a", "b", NULL);
  assert_says(&cycle, "\"b\" is not computed before this node");
  put_value(&clash, 11, "x", 2, (int64_t[]){2, 3});
  put_value(&clash, 11, "y", 2, (int64_t[]){2, 4});
  put_node(&clash, "Add", "x y", "z", NULL);
  assert_says(&clash, "model:1");
}

/* Each cut of a good file and each changed byte is read or refused. */
static void test_damaged(void **state) {
  message m = {.n = 0};
  gg_onnx *model;

  (void)state;
  fill_good(&m);
  const long live = ga__alloc_live();
  for (size_t n = 0; n < m.n; n++) {
    message bad = m;

    if (gg_onnx_open_memory(&model, m.bytes, n, NULL) == GA_NO_ERROR)
      gg_onnx_close(model);
    bad.bytes[n] ^= 0xff;
    if (gg_onnx_open_memory(&model, bad.bytes, bad.n, NULL) == GA_NO_ERROR) {
      gg_onnx_check(model, NULL, NULL);
      gg_onnx_close(model);
    }
  }
  assert_int_equal(ga__alloc_live(), live);
}

static void test_without_memory(void **state) {
  message m = {.n = 0};
  gg_onnx *model;
  int err = GA_MEMORY_ERROR;

  (void)state;
  fill_good(&m);
  const long live = ga__alloc_live();
  for (long nth = 1; err == GA_MEMORY_ERROR; nth++) {
    ga__alloc_fail(nth, 1);
    err = gg_onnx_open_memory(&model, m.bytes, m.n, NULL);
    if (err == GA_NO_ERROR)
      err = gg_onnx_check(model, NULL, NULL);
    ga__alloc_fail(0, 0);
    gg_onnx_close(model);
    assert_int_equal(ga__alloc_live(), live);
  }
  assert_int_equal(err, GA_NO_ERROR);
}

/* --- elements in other files --- */

static void put_external(message *graph, const char *location,
                         const char *offset) {
  message t = {.n = 0}, where = {.n = 0}, at = {.n = 0};

  put_text(&where, 1, "location");
  put_text(&where, 2, location);
  put_text(&at, 1, "offset");
  put_text(&at, 2, offset);
  put_int(&t, 1, 3);
  put_int(&t, 2, 1);
  put_text(&t, 8, "w");
  put_message(&t, 13, &where);
  put_message(&t, 13, &at);
  put_int(&t, 14, 1);
  put_message(graph, 5, &t);
}

static int check_external(const char *folder, const char *location,
                          const char *offset) {
  message graph = {.n = 0}, m = {.n = 0};
  gg_onnx *model;
  int err;

  put_external(&graph, location, offset);
  put_node(&graph, "Neg", "w", "y", NULL);
  put_model(&m, &graph, 17);
  assert_ok(gg_onnx_open_memory(&model, m.bytes, m.n, folder));
  err = gg_onnx_check(model, NULL, NULL);
  gg_onnx_close(model);
  return err;
}

static void test_external(void **state) {
  const char *dir = getenv("TEST_DIR") == NULL ? "/tmp" : getenv("TEST_DIR");
  char path[4096], link[4096];

  (void)state;
  snprintf(path, sizeof path, "%s/weights.bin", dir);
  snprintf(link, sizeof link, "%s/link.bin", dir);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fwrite(weights, 1, sizeof weights, f);
  fclose(f);
  unlink(link);
  assert_int_equal(symlink("/etc/hostname", link), 0);
  assert_ok(check_external(dir, "weights.bin", "0"));
  assert_code(GA_VALUE_ERROR, check_external(dir, "weights.bin", "4"));
  assert_message(GA_VALUE_ERROR, "12 bytes at 4 are not within the 12");
  assert_code(GA_VALUE_ERROR, check_external(dir, "weights.bin", "-1"));
  assert_code(GA_VALUE_ERROR, check_external(dir, "..", "0"));
  assert_message(GA_VALUE_ERROR, "leaves the model's folder");
  assert_code(GA_VALUE_ERROR, check_external(dir, "link.bin", "0"));
  assert_code(GA_VALUE_ERROR, check_external(NULL, "weights.bin", "0"));
  unlink(link);
  unlink(path);
}

/* --- the list in docs/models.md --- */

static int first_version(const char *op) {
  const gg__onnx_row *r;
  int least = 0;

  for (size_t i = 0; (r = gg__onnx_row_at(i)) != NULL; i++)
    if (strcmp(r->op, op) == 0 && (least == 0 || r->since < least))
      least = r->since;
  return least;
}

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All ops in the order of the alphabet, in lines of at most 120 columns. */
static void write_ops(ga__strb *out) {
  const char *names[1000];
  const gg__onnx_row *r;
  size_t n = 0, column = 0;
  char word[100];

  for (size_t i = 0; (r = gg__onnx_row_at(i)) != NULL; i++)
    names[n++] = r->op;
  qsort(names, n, sizeof *names, compare);
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && strcmp(names[i], names[i - 1]) == 0)
      continue;
    const size_t k = (size_t)snprintf(word, sizeof word, "%s %d,", names[i],
                                      first_version(names[i]));

    if (column > 0 && column + 1 + k > 119)
      column = 0;
    ga__strb_append(out, column > 0 ? " " : "\n");
    ga__strb_append(out, word);
    column += k + 1;
  }
  out->s[out->n - 1] = '\n';
}

static void test_documented(void **state) {
  static char text[1 << 16];
  FILE *f = fopen("docs/models.md", "r");
  ga__strb ops = GA_STRB_INIT;

  (void)state;
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  write_ops(&ops);
  if (strstr(text, ga__strb_text(&ops)) == NULL) {
    fputs(ga__strb_text(&ops), stderr); /* fail_msg cuts it */
    fail_msg("docs/models.md should list these");
  }
  ga__strb_clear(&ops);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs),        cmocka_unit_test(test_options),
      cmocka_unit_test(test_reports_all), cmocka_unit_test(test_refuses),
      cmocka_unit_test(test_damaged),     cmocka_unit_test(test_without_memory),
      cmocka_unit_test(test_external),    cmocka_unit_test(test_documented),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

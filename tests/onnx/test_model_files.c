/* SPDX-License-Identifier: BSD-2-Clause */
/* Models beside other files: those with their elements, and the document that
 * lists what they may contain. */
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strb.h"
#include "onnx/ops/op_table.h"
#include "support/device.h"
#include "support/onnx_message.h"

static const float weights[] = {1, 2, 3};

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
      cmocka_unit_test(test_external),
      cmocka_unit_test(test_documented),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

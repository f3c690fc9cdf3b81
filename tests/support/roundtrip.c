/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs through text and files. */
#include "support/roundtrip.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "support/tmpfile.h"

char *graph_text(gg_graph *g, int flags) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);

  assert_non_null(f);
  if (gg_graph_print(g, f, flags) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  fclose(f);
  return text;
}

gg_graph *graph_of_text(gpucontext *ctx, const char *text) {
  gg_graph *g = gg_graph_new(ctx);

  assert_non_null(g);
  if (gg_graph_parse(g, "text", text, strlen(text)) != GA_NO_ERROR)
    fail_msg("%s\n%s", gg_graph_error(g), text);
  return g;
}

gg_graph *graph_of_file(gpucontext *ctx, gg_graph *g) {
  const char *path = test_file_path("roundtrip.gg");
  gg_graph *h = gg_graph_new(ctx);

  assert_non_null(h);
  if (gg_graph_save(g, path) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  if (gg_graph_load(h, path) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(h));
  return h;
}

void assert_same_text(const char *text) {
  gg_graph *g = graph_of_text(NULL, text);
  char *again = graph_text(g, 0);

  assert_string_equal(again, text);
  free(again);
  gg_graph_free(g);
}

void assert_texts_mean(size_t n, const written_text *list) {
  for (size_t i = 0; i < n; i++) {
    gg_graph *g = graph_of_text(NULL, list[i].written);
    char *text = graph_text(g, 0);
    assert_string_equal(text, list[i].means);
    assert_same_text(text);
    free(text);
    gg_graph_free(g);
  }
}

/* Blocks that are alive, with a thread's message of one size. */
static long live_now(void) {
  ga__fail(GA_MISC_ERROR, "none");
  return ga__alloc_live();
}

static void assert_refused(const refused_text *r) {
  gg_graph *g = gg_graph_new(NULL);

  if (gg_graph_parse(g, "t", r->text, strlen(r->text)) == GA_NO_ERROR)
    fail_msg("read: %s", r->text);
  if (strstr(gg_graph_error(g), r->message) == NULL)
    fail_msg("%s\nexpected: %s\ngot: %s", r->text, r->message,
             gg_graph_error(g));
  assert_int_equal(gg_graph_size(g), 0);
  gg_graph_free(g);
}

void assert_texts_refused(size_t n, const refused_text *list) {
  for (size_t i = 0; i < n; i++) {
    const long before = live_now();

    assert_refused(&list[i]);
    assert_int_equal(live_now(), before);
  }
}

void assert_prefixes_end(const char *text) {
  const long before = live_now();

  for (size_t n = 0; n <= strlen(text); n++) {
    gg_graph *g = gg_graph_new(NULL);
    gg_graph_parse(g, "t", text, n);
    gg_graph_free(g);
  }
  assert_int_equal(live_now(), before);
}

void assert_read_without_memory(const char *text, int code) {
  int err = GA_MEMORY_ERROR;

  for (long n = 1; err == GA_MEMORY_ERROR; n++) {
    const long before = live_now();

    gg_graph *g = gg_graph_new(NULL);
    ga__alloc_fail(n, 0);
    err = gg_graph_parse(g, "t", text, strlen(text));
    ga__alloc_fail(0, 0);
    assert_int_equal(gg_graph_status(g), err);
    gg_graph_reset_error(g);
    assert_non_null(gg_input(g, "x", GA_FLOAT, 1));
    gg_graph_free(g);
    assert_int_equal(live_now(), before);
  }
  assert_int_equal(err, code);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs through text and files. */
#include "support/roundtrip.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "graph/graph.h"
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

/* Messages begin with the place, and have one. */
static int says(const gg_graph *g, const char *message) {
  const char *all = gg_graph_error(g), *at = strstr(all, message);

  return strncmp(all, "t:", 2) == 0 && strstr(all, " t:") == NULL &&
         (strncmp(message, "t:", 2) == 0 ? at == all : at != NULL);
}

static void assert_refused(const refused_text *r) {
  gg_graph *g = gg_graph_new(NULL);

  if (gg_graph_parse(g, "t", r->text, strlen(r->text)) == GA_NO_ERROR)
    fail_msg("read: %s", r->text);
  if (!says(g, r->message))
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

/* A failure that is no error changes nothing. */
static void assert_whole(gg_graph *g, const char *name, const char *text) {
  char *now = graph_text(g, 0);
  int line;

  assert_string_equal(now, text);
  free(now);
  for (size_t i = 0; i < g->vars.n; i++)
    assert_string_equal(gg_var_site(g->vars.v[i], &line), name);
}

/* The graph's name is long, so that copies of it need memory of their own. */
void assert_read_without_memory(const char *text, int code) {
  char name[5000];

  memset(name, 't', sizeof name);
  name[sizeof name - 1] = '\0';
  gg_graph *whole = code == GA_NO_ERROR ? graph_of_text(NULL, text) : NULL;
  char *want = whole != NULL ? graph_text(whole, 0) : NULL;

  gg_graph_free(whole);
  for (long n = 1, left = 0; left <= 0; n++) {
    const long before = live_now();

    gg_graph *g = gg_graph_new(NULL);
    ga__alloc_fail(n, 0);
    const int err = gg_graph_parse(g, name, text, strlen(text));
    left = ga__alloc_fail(0, 0);
    if ((err != code && (err != GA_MEMORY_ERROR || left > 0)) ||
        strstr(gg_graph_error(g), " tt") != NULL) /* two places */
      fail_msg("%s\nallocation %ld: code %d, %s", text, n, err,
               gg_graph_error(g));
    assert_int_equal(gg_graph_status(g), err);
    if (err == GA_NO_ERROR)
      assert_whole(g, name, want);
    gg_graph_reset_error(g);
    assert_non_null(gg_input(g, "x", GA_FLOAT, 1));
    gg_graph_free(g);
    assert_int_equal(live_now(), before);
  }
  free(want);
}

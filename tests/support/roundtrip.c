/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs through text and files. */
#include "support/roundtrip.h"

#include <stdlib.h>
#include <string.h>

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

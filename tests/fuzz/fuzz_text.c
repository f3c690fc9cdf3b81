/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs as text: refused with a message and without a trace, or read; what is
 * printed of it reads as the same text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpugraph/save.h>

#include "base/alloc.h"
#include "base/err.h"
#include "fuzz/fuzz.h"

static char *print(gg_graph *g) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);

  if (f == NULL || gg_graph_print(g, f, 0) != GA_NO_ERROR || fclose(f) != 0)
    abort();
  return text;
}

static void check(gg_graph *g) {
  char *once = print(g);
  gg_graph *h = gg_graph_new(NULL);

  if (gg_graph_parse(h, "again", once, strlen(once)) != GA_NO_ERROR)
    abort();
  char *twice = print(h);
  if (strcmp(once, twice) != 0)
    abort();
  free(once);
  free(twice);
  gg_graph_free(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  ga__fail(GA_MISC_ERROR, "none");
  long before = ga__alloc_live();
  gg_graph *g = gg_graph_new(NULL);
  int err = gg_graph_parse(g, "fuzz", (const char *)bytes, n);
  fuzz_accepted = err == GA_NO_ERROR;
  if (err != gg_graph_status(g) ||
      (err == GA_NO_ERROR) != (gg_graph_error(g)[0] == '\0') ||
      (err != GA_NO_ERROR && gg_graph_size(g) != 0))
    abort();
  if (err == GA_NO_ERROR)
    check(g);
  gg_graph_free(g);
  ga__fail(GA_MISC_ERROR, "none");
  if (ga__alloc_live() != before)
    abort();
  return 0;
}

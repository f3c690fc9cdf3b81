/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs as text: refused with a message and without a trace, or read; what is
 * printed of it reads as the same text. Small ones are differentiated and
 * compiled (use_graph.h), and some of them called, as kernels take long. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpugraph/save.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/xxh64.h"
#include "fuzz/fuzz.h"
#include "fuzz/use_graph.h"

#define ONE_IN 8 /* graphs is called */

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

/* The same in a context. */
static void use_text(const uint8_t *bytes, size_t n) {
  gg_graph *g = gg_graph_new(fuzz_context());

  if (gg_graph_parse(g, "fuzz", (const char *)bytes, n) == GA_NO_ERROR)
    fuzz_use_graph(g, ga__xxh64_of(bytes, n) % ONE_IN == 0);
  gg_graph_free(g);
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
  const int is_small = err == GA_NO_ERROR && fuzz_is_small(g);
  gg_graph_free(g);
  ga__fail(GA_MISC_ERROR, "none");
  if (ga__alloc_live() != before)
    abort();
  if (is_small && fuzz_context() != NULL)
    use_text(bytes, n);
  return 0;
}

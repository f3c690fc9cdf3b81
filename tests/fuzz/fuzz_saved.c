/* SPDX-License-Identifier: BSD-2-Clause */
/* Saved files: read or refused, without a trace; small graphs are used
 * (use_graph.h). An input whose first byte is
 * odd is a file; else the sums of the file behind it are made right first, or
 * next to nothing would get past them. */
#include <stdlib.h>
#include <string.h>

#include <gpugraph/save.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/xxh64.h"
#include "fuzz/fuzz.h"
#include "fuzz/use_graph.h"
#include "text/saved.h"

#define ONE_IN 8 /* graphs is called */

static uint64_t get(const unsigned char *p) {
  uint64_t v = 0;

  for (int i = 8; i-- > 0;)
    v = v << 8 | p[i];
  return v;
}

static void put(unsigned char *p, uint64_t v) {
  for (int i = 0; i < 8; i++)
    p[i] = (unsigned char)(v >> (8 * i));
}

/* The sum of each block that lies within the file. */
static void seal_blocks(unsigned char *p, size_t n, uint64_t n_blocks) {
  unsigned char *entry = p + GG_HEADER_BYTES;

  for (uint64_t i = 0; i < n_blocks; i++, entry += GG_ENTRY_BYTES) {
    const uint64_t at = get(entry), bytes = get(entry + 8);

    if (at <= n && bytes <= n - at)
      put(entry + 16, ga__xxh64_of(p + at, (size_t)bytes));
  }
}

static void seal(unsigned char *p, size_t n) {
  if (n < GG_HEADER_BYTES)
    return;
  memcpy(p, GG_SAVED_MAGIC, GG_AT_VERSION);
  uint64_t blocks = get(p + GG_AT_BLOCKS);
  uint64_t text = get(p + GG_AT_TEXT);
  uint64_t left = n - GG_HEADER_BYTES;
  if (blocks <= left / GG_ENTRY_BYTES &&
      text <= left - blocks * GG_ENTRY_BYTES) {
    seal_blocks(p, n, blocks);
    put(p + GG_AT_SUM, ga__xxh64_of(p + GG_HEADER_BYTES,
                                    (size_t)(blocks * GG_ENTRY_BYTES + text)));
  }
  put(p + GG_AT_HEADER_SUM, ga__xxh64_of(p, GG_AT_HEADER_SUM));
}

/* Nonzero for a graph that can be used. */
static int load(const unsigned char *p, size_t n) {
  const char *path = fuzz_path("saved");
  gg_graph *g = gg_graph_new(NULL);

  fuzz_write(path, p, n);
  int err = gg_graph_load(g, path);
  fuzz_accepted = err == GA_NO_ERROR;
  if (err != gg_graph_status(g) ||
      (err != GA_NO_ERROR && gg_graph_size(g) != 0))
    abort();
  const int is_small = err == GA_NO_ERROR && fuzz_is_small(g);
  gg_graph_free(g);
  return is_small;
}

/* The file that was written, in a context. */
static void use_file(int calls) {
  gg_graph *g = gg_graph_new(fuzz_context());

  if (gg_graph_load(g, fuzz_path("saved")) == GA_NO_ERROR)
    fuzz_use_graph(g, calls);
  gg_graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  unsigned char *copy = malloc(n + 1);

  if (copy == NULL)
    abort();
  ga__fail(GA_MISC_ERROR, "none");
  long before = ga__alloc_live();
  memcpy(copy, bytes, n);
  if (n > 0 && bytes[0] % 2 == 0)
    seal(copy + 1, n - 1);
  fuzz_accepted = 0;
  const int is_small = n > 0 && load(copy + 1, n - 1);
  free(copy);
  ga__fail(GA_MISC_ERROR, "none");
  if (ga__alloc_live() != before)
    abort();
  if (is_small && fuzz_context() != NULL)
    use_file(ga__xxh64_of(bytes, n) % ONE_IN == 0);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* PageRank: the share of time that a reader spends on each page who follows a
 * link of the page, or with probability 1 - D goes to any page. The matrix of
 * links is sparse, and is multiplied from the left in a loop. */
#include "op_example.h"

#include <string.h>

enum { PAGES = 500, LINKS = 4, STEPS = 60 };
static const float D = 0.85f;

/* Links of page i to pages that are smaller, so these are more popular. */
static void fill(int32_t *starts, int32_t *columns, float *values) {
  uint32_t state = 1;

  for (int i = 0; i < PAGES; i++) {
    int32_t next = 0;

    for (int k = 0; k < LINKS; k++) {
      const int32_t room = (PAGES - next - LINKS + k) / (LINKS - k) + 1;

      state = state * 1664525u + 1013904223u;
      columns[i * LINKS + k] = next + (int32_t)((state >> 16) % (uint32_t)room);
      values[i * LINKS + k] = 1.0f / LINKS;
      next = columns[i * LINKS + k] + 1;
    }
    starts[i + 1] = (i + 1) * LINKS;
  }
}

/* The ranks after some steps, from equal ones. */
static gg_var *ranks(gg_csr links) {
  gg_graph *g = gg_var_graph(links.values);
  gg_var *n = gg_i64(g, PAGES), *even = gg_f32(g, 1.0f / PAGES);
  gg_csr from = gg_csr_transpose(links); /* once, before the loop */
  gg_scan *s = gg_scan_open(g);
  gg_var *r = gg_scan_state(s, gg_alloc(even, 1, &n));

  gg_scan_next(s, r,
               gg_add(gg_mul(gg_f32(g, D), gg_csr_dot(from, r)),
                      gg_mul(gg_f32(g, 1 - D), even)));
  gg_scan_steps(s, gg_i64(g, STEPS));
  gg_scan_close(s);
  gg_var *last = gg_scan_last(s, r);
  gg_scan_free(s);
  return last;
}

/* The same on the host, by going through the links. */
static void check(const int32_t *columns, const float *got) {
  double rank[PAGES], next[PAGES];

  for (int i = 0; i < PAGES; i++)
    rank[i] = 1.0 / PAGES;
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < PAGES; i++)
      next[i] = (1 - (double)D) / PAGES;
    for (int i = 0; i < PAGES * LINKS; i++)
      next[columns[i]] += (double)D * rank[i / LINKS] / LINKS;
    memcpy(rank, next, sizeof rank);
  }
  for (int i = 0; i < PAGES; i++)
    if (!(fabs((double)got[i] - rank[i]) < 1e-4 * rank[i]))
      example_fail("wrong rank", "differs from the host's");
}

int main(void) {
  static int32_t starts[PAGES + 1], columns[PAGES * LINKS];
  static float values[PAGES * LINKS], got[PAGES];
  const size_t rows = PAGES + 1, n = PAGES * LINKS;
  int best = 0;

  fill(starts, columns, values);
  gg_graph *g = example_open();
  gg_csr links = {gg_shared_host(g, "starts", GA_INT, 1, &rows, starts),
                  gg_shared_host(g, "columns", GA_INT, 1, &n, columns),
                  gg_shared_host(g, "values", GA_FLOAT, 1, &n, values),
                  gg_i64(g, PAGES)};
  example_read(ranks(links), got, sizeof got);
  check(columns, got);
  for (int i = 0; i < PAGES; i++)
    best = got[i] > got[best] ? i : best;
  printf("page %d is first, with %.4f of the time\n", best, (double)got[best]);
  return example_close(g);
}

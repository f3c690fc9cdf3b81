/* SPDX-License-Identifier: BSD-2-Clause */
/* Two layers of a graph network learn which of two groups each node of a graph
 * is in, from the groups of a few nodes: most edges are within a group. A layer
 * takes means over neighbours, which is a product with a sparse matrix. */
#include "op_example.h"

enum { NODES = 60, EDGES = 5, HIDDEN = 8, KNOWN = 6, STEPS = 80 };
enum { MOST = NODES * (2 * EDGES + 1) };

static int32_t rows[MOST], columns[MOST];
static float ones[MOST];
static uint32_t state = 7;

static uint32_t draw(uint32_t n) {
  state = state * 1664525u + 1013904223u;
  return (state >> 16) % n;
}

/* Edges in both directions, and one of each node to itself. */
static size_t fill(void) {
  size_t n = 0;

  for (int32_t i = 0; i < NODES; i++) {
    for (int k = 0; k < EDGES; k++) {
      const int32_t other = (int32_t)draw(10) == 0;
      const int32_t to = (int32_t)draw(NODES / 2) * 2 + (i + other) % 2;
      rows[n] = columns[n + 1] = i;
      columns[n] = rows[n + 1] = to;
      n += 2;
    }
    rows[n] = columns[n] = i;
    n++;
  }
  for (size_t i = 0; i < n; i++)
    ones[i] = 1;
  return n;
}

static gg_var *weight(gg_graph *g, const char *name, size_t m, size_t n) {
  float v[NODES * HIDDEN];

  for (size_t i = 0; i < m * n; i++)
    v[i] = (float)draw(1000) / 1000 - 0.5f;
  return gg_shared_host(g, name, GA_FLOAT, 2, (size_t[]){m, n}, v);
}

int main(void) {
  const size_t n = fill(), known = KNOWN;
  float groups[NODES], wrong = 1;
  int32_t which[KNOWN];
  gg_graph *g = example_open();
  gg_var *nodes = gg_i64(g, NODES), *w[2], *grads[2];
  /* Parallel edges are added up; rows get the sum 1. */
  gg_csr a = gg_csr_from_coo(
      gg_shared_host(g, "rows", GA_INT, 1, &n, rows),
      gg_shared_host(g, "columns", GA_INT, 1, &n, columns),
      gg_shared_host(g, "ones", GA_FLOAT, 1, &n, ones), nodes, nodes);
  a = gg_csr_scale_rows(a, gg_reciprocal(gg_csr_row_sums(a)));

  for (int32_t i = 0; i < NODES; i++)
    groups[i] = i % 2 == 0 ? 1 : -1;
  for (int32_t i = 0; i < KNOWN; i++)
    which[i] = i * 7;
  w[0] = weight(g, "w0", NODES, HIDDEN);
  w[1] = weight(g, "w1", HIDDEN, 1);
  gg_var *at = gg_shared_host(g, "known", GA_INT, 1, &known, which);
  gg_var *y = example_shared(g, 0, NODES, groups);
  gg_var *h = gg_tanh(gg_csr_dot(a, w[0])); /* a node's input is its number */
  gg_var *z = gg_flatten(gg_csr_dot(a, gg_dot(h, w[1])));
  gg_var *margin = gg_mul(gg_take(z, at), gg_take(y, at));
  gg_var *loss = gg_mean(gg_log1p(gg_exp(gg_neg(margin))));
  gg_var *errors =
      gg_mean(gg_cast(gg_lt(gg_mul(z, y), gg_f32(g, 0)), GA_FLOAT));
  GpuArray out = {0};

  gg_grad(grads, loss, 2, w);
  for (int i = 0; i < 2; i++)
    gg_shared_set_update(w[i], gg_sub(w[i], gg_mul(grads[i], gg_f32(g, 2))));
  for (int i = 0; i < STEPS; i++)
    if (gg_eval(loss, NULL, &out) != GA_NO_ERROR)
      example_fail("step", gg_graph_error(g));
  GpuArray_clear(&out);
  example_read(errors, &wrong, sizeof wrong);
  printf("%.0f %% of the nodes are in the wrong group\n", 100 * (double)wrong);
  if (!(wrong <= 0.15f))
    example_fail("not learned", "too many nodes are in the wrong group");
  return example_close(g);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the operands of a launch of pooling or resizing, reads what is computed
 * in front of windows and behind them, and joins axes. */
#include "pooling/pooling_operands.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/err.h"
#include "codegen/gen_combine.h"
#include "linalg/epilogue_spec.h"

unsigned int ga__pooling_count(const ga__pool_given *g) {
  if (g->e == NULL)
    return 0;
  return g->e->n_args + (g->e->front != NULL ? g->e->front->n_args : 0);
}

/* --- operands --- */

static void put(ga__pooling *j, unsigned int k, const gpuelemwise_arg *arg,
                unsigned int slot, int at_result, void *value) {
  const int is_scalar = (arg->flags & GE_SCALAR) != 0;

  j->maps.args[k] = *arg;
  j->maps.args[k].typecode = ga__dtype_canon(arg->typecode);
  j->operands[k] = (ga__pool_operand){.array = is_scalar ? NULL : value,
                                      .value = is_scalar ? value : NULL,
                                      .slot = slot,
                                      .at_result = at_result};
}

static void put_front(ga__pooling *j, const ga__pool_given *g) {
  const gpuelemwise_arg source = {"source", j->x->typecode, GE_READ};
  const GpuEpilogue *f = g->e != NULL ? g->e->front : NULL;

  if (f == NULL) {
    put(j, 0, &source, GA_POOLING_X, 0, g->x);
    return;
  }
  for (unsigned int k = 0; k < f->n_args; k++)
    put(j, k, &f->args[k], GA_POOLING_SLOTS + g->e->n_args + k, 0,
        g->args[g->e->n_args + k]);
}

static void put_behind(ga__pooling *j, const ga__pool_given *g) {
  const gpuelemwise_arg result = {"result", j->x->typecode, GE_WRITE};

  if (g->y != NULL)
    put(j, j->n_in + 1, &result, GA_POOLING_Y, 1, g->y);
  for (unsigned int k = 0; g->e != NULL && k < g->e->n_args; k++)
    put(j, j->n_in + 1 + k, &g->e->args[k], GA_POOLING_SLOTS + k, 1,
        g->args[k]);
}

static void put_index(ga__pooling *j, const ga__pool_given *g) {
  const int is_result = j->op == GA_POOLING_MAX;
  const gpuelemwise_arg indices = {"indices", GA_LONG,
                                   g->index == NULL ? 0
                                   : is_result      ? GE_WRITE
                                                    : GE_READ};

  put(j, j->n_in, &indices, GA_POOLING_INDEX, is_result, g->index);
}

/* --- maps --- */

/* What is stored or read as it is. */
static int copy_map(ga__expr *to, const char *text, int typecode) {
  to->text = ga__strdup(text);
  to->is_vector = 1;
  to->boolean = ga__reduce_mask(ga__dtype_work(typecode));
  return to->text != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

static int read_maps(ga__pooling *j, const ga__pool_given *g) {
  const GpuEpilogue *f = g->e != NULL ? g->e->front : NULL;
  const int typecode = j->x->typecode;
  const ga__expr *behind = &j->behind;
  ga__gen_pooling_maps *m = &j->maps;

  GA_TRY(f != NULL ? ga__epilogue_expr(&j->front, f, "v", typecode)
                   : copy_map(&j->front, "v = source", typecode));
  if (j->known != NULL)
    behind = &j->known->expr;
  else
    GA_TRY(g->e != NULL ? ga__epilogue_expr(&j->behind, g->e, "acc", typecode)
                        : copy_map(&j->behind, "result = acc", typecode));
  m->front = j->front.text;
  m->behind = behind->text;
  m->front_boolean = j->front.boolean;
  m->behind_boolean = behind->boolean;
  m->front_head = f != NULL ? f->preamble : NULL;
  m->behind_head = g->e != NULL ? g->e->preamble : NULL;
  m->is_vector = j->front.is_vector && behind->is_vector;
  return GA_NO_ERROR;
}

int ga__pooling_list(ga__pooling *j, const ga__pool_given *g) {
  const GpuEpilogue *f = g->e != NULL ? g->e->front : NULL;
  const unsigned int n_behind = g->e != NULL ? g->e->n_args : g->y != NULL;

  j->x = g->x;
  j->index = g->index;
  j->n_in = f != NULL ? f->n_args : 1;
  j->n = j->n_in + 1 + n_behind;
  j->maps.n = j->n;
  j->maps.n_in = j->n_in;
  j->operands = ga__calloc(j->n, sizeof *j->operands);
  j->maps.args = ga__calloc(j->n, sizeof *j->maps.args);
  j->maps.steps = ga__calloc(j->n, sizeof *j->maps.steps);
  j->maps.is_fixed = ga__calloc(j->n, 1);
  if (j->operands == NULL || j->maps.args == NULL || j->maps.steps == NULL ||
      j->maps.is_fixed == NULL)
    return ga__fail_nomem();
  put_front(j, g);
  put_index(j, g);
  put_behind(j, g);
  return read_maps(j, g);
}

void ga__pooling_clear(ga__pooling *j) {
  ga__iter_clear(&j->batch);
  ga__expr_clear(&j->front);
  ga__expr_clear(&j->behind);
  ga__free(j->operands);
  ga__free(j->maps.args);
  ga__free(j->maps.steps);
  ga__free(j->maps.is_fixed);
  GpuBand_clear(&j->joined);
  ga__free(j->spans);
  ga__free(j->weights);
}

/* --- axes --- */

/* Nonzero if each window is the element of its own index, with weight 1. */
static int is_plain(const GpuBand *b) {
  if (b->n != b->from || b->n == 0)
    return 0;
  for (size_t o = 0; o < b->n; o++)
    if (b->count[o] != 1 || b->first[o] != (int32_t)o ||
        (b->weights != NULL && b->weights[o] != 1))
      return 0;
  return 1;
}

/* Nonzero if no array has a gap between axes d and d + 1, counted from the last
 * one. */
static int lie_together(const ga__pooling *j, int d) {
  const ptrdiff_t n = (ptrdiff_t)ga__pooling_band(j, (unsigned int)d)->n;

  for (unsigned int k = 0; k < j->n; k++)
    if (j->operands[k].array != NULL &&
        j->operands[k].by[d + 1] != n * j->operands[k].by[d])
      return 0;
  return 1;
}

static int join(ga__pooling *j, size_t n) {
  GpuBand_clear(&j->joined);
  GA_TRY(ga__band_init(&j->joined, n, n));
  for (size_t o = 0; o < n; o++) {
    j->joined.first[o] = (int32_t)o;
    j->joined.count[o] = 1;
  }
  j->joined.most = 1;
  return GA_NO_ERROR;
}

/* The indices of maxima count in C order, which the joined axis keeps. */
int ga__pooling_join_axes(ga__pooling *j) {
  for (int d = j->gen.nw - 2; d >= 0; d--) {
    const GpuBand *a = ga__pooling_band(j, (unsigned int)d),
                  *b = ga__pooling_band(j, (unsigned int)d + 1);
    const size_t n = a->n, m = b->n;

    if (!is_plain(a) || !is_plain(b) || !lie_together(j, d) ||
        ga__times(n, m) > GA_BAND_SIZE_MAX)
      continue;
    GA_TRY(join(j, n * m));
    const int at = j->gen.nw - 2 - d;
    for (int e = at + 1; e + 1 < j->gen.nw; e++)
      j->bands[e] = j->bands[e + 1];
    j->bands[at] = j->joined;
    for (unsigned int k = 0; k < j->n; k++)
      for (int e = d + 1; e + 1 < GA_POOLING_ND; e++)
        j->operands[k].by[e] = j->operands[k].by[e + 1];
    j->gen.nw--;
  }
  return GA_NO_ERROR;
}

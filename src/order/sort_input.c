/* SPDX-License-Identifier: BSD-2-Clause */
#include "order/sort_input.h"

ga__sort_place ga__sort_any_place(void) {
  return (ga__sort_place){.index = GA_SORT_SOURCE};
}

static int is_flat(const ga__sort_job *j, const ga__sort_place *p) {
  return p->is_work || j->array[p->index] == NULL ||
         j->stride[p->index] ==
             (ptrdiff_t)GpuArray_ITEMSIZE(j->array[p->index]);
}

int ga__sort_is_flat(const ga__sort_job *j, ga__sort_input in) {
  const ga__sort_place values = {.index = GA_SORT_VALUES};
  const ga__sort_place indices = {.index = GA_SORT_INDICES};

  return is_flat(j, in.source) && (in.at == NULL || is_flat(j, in.at)) &&
         is_flat(j, &values) && is_flat(j, &indices);
}

void ga__sort_begin(ga__sort_turns *t, const ga__sort_job *j,
                    ga__sort_input in) {
  const ga__sort_place word = {.is_work = 1, .bytes = j->word, .most = j->n};
  const ga__sort_place position = {
      .is_work = 1, .bytes = sizeof(int64_t), .most = j->n};

  *t = (ga__sort_turns){.words = {word, word},
                        .positions = {position, position},
                        .values = {.index = GA_SORT_VALUES},
                        .indices = {.index = GA_SORT_INDICES},
                        .none = ga__sort_any_place()};
  t->to = in.source;
  t->to_at = in.at != NULL ? in.at : &t->none;
}

static ga__sort_place *target(const ga__sort_job *j, ga__sort_place *result,
                              ga__sort_place *in_turn, size_t p, size_t n) {
  return p + 1 == n && j->array[result->index] != NULL ? result
                                                       : &in_turn[p % 2];
}

void ga__sort_turn(ga__sort_turns *t, const ga__sort_job *j, size_t p,
                   size_t n) {
  t->from = t->to;
  t->from_at = t->to_at;
  t->to = target(j, &t->values, t->words, p, n);
  t->to_at = j->gen.has_indices ? target(j, &t->indices, t->positions, p, n)
                                : &t->none;
}

void ga__sort_moved(GpuLaunch *l, const ga__sort_job *j, ga__sort_turns *t) {
  ga__sort_operand(l, j, t->from);
  ga__sort_operand(l, j, t->from_at);
  ga__sort_operand(l, j, t->to);
  ga__sort_operand(l, j, t->to_at);
  ga__sort_sizes(l, j);
}

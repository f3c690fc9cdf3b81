/* SPDX-License-Identifier: BSD-2-Clause */
/* Specs of functions: their lists, in the order of the text, and the copies
 * that a graph owns. */
#ifndef TEXT_SPEC_H
#define TEXT_SPEC_H

#include <string.h>

#include "graph/graph.h"

enum { GG_SPEC_INPUTS, GG_SPEC_OUTPUTS, GG_SPEC_NAMES = 9, GG_SPEC_LISTS = 11 };

/* gg_update and gg_given are two variables each. */
_Static_assert(sizeof(gg_update) == 2 * sizeof(gg_var *), "no pair");
_Static_assert(sizeof(gg_given) == 2 * sizeof(gg_var *), "no pair");

/* A list of a spec. Lists from GG_SPEC_NAMES on hold names, the others
 * variables. */
typedef struct gg__spec_list {
  const char *clause; /* the word before it in the text; "" for the inputs */
  size_t at;          /* offset of the list in gg_func_spec */
  size_t width;       /* pointers per member */
} gg__spec_list;

extern const gg__spec_list gg__spec_lists[GG_SPEC_LISTS];

/* List k of a spec; NULL is an empty one. */
static inline const void *gg__spec_get(const gg_func_spec *s, size_t k) {
  const void *list;

  memcpy(&list, (const char *)s + gg__spec_lists[k].at, sizeof list);
  return list;
}

static inline void gg__spec_set(gg_func_spec *s, size_t k, const void *list) {
  memcpy((char *)s + gg__spec_lists[k].at, &list, sizeof list);
}

/* Number of pointers in list k, without the final NULL. */
size_t gg__spec_length(const gg_func_spec *s, size_t k);

/* Copy a spec to the graph's arena, except the trace, which is the caller's
 * file. NULL when out of memory. */
gg_func_spec *gg__spec_keep(gg_graph *g, const gg_func_spec *s);
/* Fail if the name is empty or taken. */
int gg__spec_check_name(gg_graph *g, const char *name);
/* Add a copy of gg__spec_keep to the functions. NULL: GA_MEMORY_ERROR. */
int gg__spec_add(gg_graph *g, gg_func_spec *kept);
/* Remove all functions but the first n. */
void gg__spec_drop(gg_graph *g, size_t n);

#endif

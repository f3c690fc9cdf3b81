/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be done with any view: the library's calls, each with random other
 * operands, against the model of view_model.h. */
#ifndef ARRAY_VIEW_CALLS_H
#define ARRAY_VIEW_CALLS_H

#include "array/view_model.h"

typedef struct view_call {
  const char *name;
  void (*run)(view *v); /* draws the rest */
  int writes;           /* to the view, in whose sizes no element repeats */
  int types[6];         /* that the view may have; -1 ends them */
} view_call;

/* With elements and shapes (view_calls.c), and by index (view_index.c). */
extern const view_call view_calls[], view_index_calls[];
extern const size_t n_view_calls, n_view_index_calls;

#endif

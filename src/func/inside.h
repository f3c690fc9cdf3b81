/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stage knows of its loop or choice (stage_inside.h). */
#ifndef FUNC_INSIDE_H
#define FUNC_INSIDE_H

#include "func/func.h"
#include "loop/loop.h"

typedef GA_VEC(unsigned int) gg__wanted;

/* Calls a body or a branch, with what it has of stages. */
typedef int gg__call_fn(gg_func *f, GpuArray *const *in, GpuArray *const *out);

struct gg__inside {
  gg__inner *inner; /* retained; `l` points into it */
  gg__loop l;       /* of a loop */
  int is_loop;
  int holds;               /* of a choice's first branch: the condition */
  const gg__inside *first; /* of its other branch: the first one */
  const char *op;
  gg__site site;
  gg__waited waited;      /* for what the stage itself reads */
  double steps;           /* of a loop; -1: it is an argument */
  const gg_func *counter; /* which has computed that argument as its output */
  size_t counted;         /* `counted`; or NULL */
  unsigned int *from;     /* by input of the node: the argument that it is */
  unsigned int *out;      /* by argument that it computes: output of the node */
  unsigned int n_out;
  ga__arena arena; /* holds the lists, and this */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of the steps of a program: what its launches have spent so far. */
#ifndef PLAN_FIGURES_H
#define PLAN_FIGURES_H

#include "plan/looping.h"

/* Figures of a step. */
typedef struct gg__spent {
  uint64_t calls;
  double seconds, bytes, flops;
  uint64_t made;        /* kernels that plans did not take over */
  const char *provider; /* static text */
} gg__spent;

/* Add the figures of a plan to those of its program's steps. Blocks until
 * measured work has ended. */
int gg__plan_spent(gg__spent *spent, const gg__plan *p);
/* Add the figures of a plan to those that its unit keeps, before the plan is
 * freed. */
void gg__keep_figures(gg__unit *u, const gg__plan *p);
/* Copy the figures that a unit keeps, and for a body add those of its loops'
 * plans. The caller frees *spent, also on failure. */
int gg__unit_spent(const gg__unit *u, gg__spent **spent);

#endif

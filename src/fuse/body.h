/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps in the making.
 *
 *   body.c    groups cut into parts, what is stored, bodies
 *   step_*.c  steps of each kind
 *   steps.c   all of them */
#ifndef FUSE_BODY_H
#define FUSE_BODY_H

#include "fuse/fusion.h"
#include "fuse/step.h"

/* What a body reads and writes. */
typedef struct gg__lists {
  gg__list in, scalars, out;
} gg__lists;

typedef struct gg__maker {
  gg__program *p;
  gg__fusion *f;
  unsigned int *pending; /* by node: uses outside of the part so far */
  unsigned int *seen;    /* by value: the last count that met it */
  unsigned int *item_of; /* by value: who computes it in the row program that
                            was made last; may be out of date */
  unsigned int count;
  gg__lists lists; /* of the body at hand */
} gg__maker;

/* Part `index` of a group, with its arguments while it is filled. */
typedef struct gg__cut {
  unsigned int group, index;
  size_t nodes, in, out;
} gg__cut;

/* --- body.c --- */

/* Cut a group into parts that a kernel can compute each. */
void gg__cut_group(gg__maker *m, unsigned int group);
/* Does a map in the part compute `value`? */
int gg__in_cut(const gg__maker *m, const gg__cut *t, unsigned int value);
/* Is the result of a root stored? Not if only group `epilogue` reads it. */
int gg__root_is_stored(const gg__maker *m, unsigned int epilogue,
                       unsigned int node);

/* Keep the lists in the body. */
int gg__keep_lists(gg__program *p, gg__body *b, const gg__lists *l);
void gg__lists_clear(gg__lists *l);
void gg__begin_body(gg__maker *m, gg__body *b);
/* An array or scalar comes in. */
int gg__read_value(gg__maker *m, unsigned int v);
/* A value comes in as an array, though it may be uniform. */
int gg__read_array(gg__maker *m, unsigned int v);
/* Add the nodes of a part, which stand in a row in the group from *first on;
 * *first becomes the end of the row. What the nodes roots[0], ... give is at
 * hand. */
int gg__fill_body(gg__maker *m, gg__body *b, const gg__cut *t,
                  gg_apply *const *roots, unsigned int n_roots, size_t *first);
int gg__end_body(gg__maker *m, gg__body *b);
/* What becomes of the results of nodes in map group `group`, or GG_NONE. */
int gg__make_epilogue(gg__maker *m, gg__body *b, unsigned int group,
                      gg_apply *const *roots, unsigned int n_roots);

/* --- steps: heads --- */

/* A step of `bytes` without lists, the last of the program's; NULL, reported,
 * without memory. */
void *gg__add_step(gg__maker *m, gg__step_kind kind, gg_apply *a, size_t bytes);
/* Lists of the head: room for so many, then one by one. */
int gg__step_lists(gg__maker *m, gg__step *s, unsigned int n_lists,
                   unsigned int n_reads, unsigned int n_writes);
void gg__step_computes(gg__step *s, gg_apply *const *nodes, unsigned int n);
void gg__step_reads(gg__step *s, unsigned int value);
/* The step, which is the last, works where the value is. */
void gg__step_writes(gg__maker *m, gg__step *s, unsigned int value);
/* All that a body reads or writes. */
void gg__step_reads_body(gg__step *s, const gg__body *b);
void gg__step_writes_body(gg__maker *m, gg__step *s, const gg__body *b);
/* Begin the lists with the step's own node and the operands that it reads; with
 * room for more of each, and for all results. */
int gg__step_operands(gg__maker *m, gg__step *s, unsigned int n_lists,
                      unsigned int more_reads, unsigned int more_writes);
/* All results of the step's own node. */
void gg__step_writes_results(gg__maker *m, gg__step *s);

/* --- step_*.c --- */

int gg__add_map(gg__maker *m, unsigned int group, unsigned int cut,
                size_t *first);
int gg__add_reduction(gg__maker *m, unsigned int group);
int gg__add_rows(gg__maker *m, unsigned int group);
/* Around node `a`; group `g` has what follows it, or is NULL. */
int gg__add_kernel(gg__maker *m, gg_apply *a, const gg__group *g);
int gg__add_view(gg__maker *m, gg_apply *a);
int gg__add_send_receive(gg__maker *m, gg_apply *a); /* two steps */
int gg__add_copy(gg__maker *m, unsigned int result);

#endif

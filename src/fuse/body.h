/* SPDX-License-Identifier: BSD-2-Clause */
/* Making steps.
 *
 *   body.c    cuts groups into parts, decides what is stored, fills bodies
 *   step_*.c  steps of each kind
 *   steps.c   all steps of a program */
#ifndef FUSE_BODY_H
#define FUSE_BODY_H

#include "fuse/fusion.h"
#include "fuse/step.h"

/* Values that a body reads and writes. */
typedef struct gg__lists {
  gg__list in, scalars, out, taken;
} gg__lists;

typedef struct gg__maker {
  gg__program *p;
  gg__fusion *f;
  unsigned int *pending; /* by node: uses that the present part does not contain
                            so far */
  unsigned int *seen;    /* by value: the last `count` that met it */
  unsigned int *item_of; /* by value: its item in the row program that was made
                            last; may be out of date */
  unsigned int count;
  gg__lists lists; /* of the present body */
} gg__maker;

/* Part `index` of a group, with counts of nodes and arguments while it is
 * filled. */
typedef struct gg__cut {
  unsigned int group, index;
  size_t nodes, in, out;
} gg__cut;

/* --- body.c --- */

/* Cut a group into parts that fit one kernel each. */
void gg__cut_group(gg__maker *m, unsigned int group);
/* Does a map in the part compute `value`? */
int gg__in_cut(const gg__maker *m, const gg__cut *t, unsigned int value);
/* Is the result of a root stored? Not if only group `epilogue` reads it and it
 * is not wanted in memory. */
int gg__root_is_stored(const gg__maker *m, unsigned int epilogue,
                       unsigned int node);

/* Copy the lists into the body; the copies live in the program's arena. */
int gg__keep_lists(gg__program *p, gg__body *b, const gg__lists *l);
void gg__lists_clear(gg__lists *l);
void gg__begin_body(gg__maker *m, gg__body *b);
/* Add a value to what the body reads, as an array or, if uniform, a scalar. */
int gg__read_value(gg__maker *m, unsigned int v);
/* Add a value as an array even if it is uniform. */
int gg__read_array(gg__maker *m, unsigned int v);
/* Add the nodes of a part, which are consecutive in the group from *first on;
 * *first becomes the index after them. The results of roots[0], ... are not
 * read from memory: the kernel has them. */
int gg__fill_body(gg__maker *m, gg__body *b, const gg__cut *t,
                  gg_apply *const *roots, unsigned int n_roots, size_t *first);
int gg__end_body(gg__maker *m, gg__body *b);
/* Make the epilogue of these roots from map group `group`, or GG_NONE. */
int gg__make_epilogue(gg__maker *m, gg__body *b, unsigned int group,
                      gg_apply *const *roots, unsigned int n_roots);

/* --- steps: heads --- */

/* Append a zeroed step of `bytes` without lists to the program. NULL, with the
 * error reported, when memory runs out. */
void *gg__add_step(gg__maker *m, gg__step_kind kind, gg_apply *a, size_t bytes);
/* Allocate the lists of the head with these capacities; they start empty. */
int gg__step_lists(gg__maker *m, gg__step *s, unsigned int n_lists,
                   unsigned int n_reads, unsigned int n_writes);
void gg__step_computes(gg__step *s, gg_apply *const *nodes, unsigned int n);
void gg__step_reads(gg__step *s, unsigned int value);
/* Add a value to what the step writes, which also sets the step's context. The
 * step must be the program's last. */
void gg__step_writes(gg__maker *m, gg__step *s, unsigned int value);
/* Add all arrays that a body reads or writes. */
void gg__step_reads_body(gg__step *s, const gg__body *b);
void gg__step_writes_body(gg__maker *m, gg__step *s, const gg__body *b);
/* Allocate the lists and enter the step's own node and the operands that it
 * reads, with capacity for all results. */
int gg__step_operands(gg__maker *m, gg__step *s);
/* Add all results of the step's own node. */
void gg__step_writes_results(gg__maker *m, gg__step *s);

/* --- step_*.c --- */

int gg__add_map(gg__maker *m, unsigned int group, unsigned int cut,
                size_t *first);
int gg__add_reduction(gg__maker *m, unsigned int group);
int gg__add_rows(gg__maker *all, unsigned int group);
/* A kernel step or inner graph step for node `a`; `group` is its group, or
 * GG_NONE. */
int gg__add_kernel(gg__maker *m, gg_apply *a, unsigned int group);
int gg__add_view(gg__maker *m, gg_apply *a);
int gg__add_send_receive(gg__maker *m, gg_apply *a); /* adds two steps */
int gg__add_copy(gg__maker *m, unsigned int result);

#endif

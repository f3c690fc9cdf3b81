/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan while it is made: where values lie, and launches with their slots.
 *
 *   places.c        stores, places, arrays for the calls that prepare
 *   put_output.c    where a step's outputs go
 *   plan_launch.c   launches, their slots, arguments of bodies
 *   plan_*.c        steps of each kind
 *   plan_seen.c     what watched calls want to know
 *   make_plan.c     all of it; the table of kinds */
#ifndef PLAN_BUILDER_H
#define PLAN_BUILDER_H

#include "plan/unit.h"

/* Where a value lies. */
typedef struct gg__place {
  unsigned int store; /* GG_NONE: nowhere yet */
  unsigned int uses;  /* reads to come */
  ssize_t rel;        /* bytes from the store's start to element 0 */
  ssize_t strides[GG_MAX_ND];
} gg__place;

/* A GpuArray with its lists, for the length of a call. */
typedef struct gg__array {
  GpuArray a;
  size_t dims[GG_MAX_ND];
  ssize_t strides[GG_MAX_ND];
} gg__array;

/* A transfer that was sent and not received yet. */
typedef struct gg__sent {
  GpuTransfer *t; /* of the plan */
  gg__place copy; /* in C order, where one was needed */
} gg__sent;

typedef struct gg__builder {
  gg__unit *u;
  const gg__program *p; /* of the unit */
  const gg__sizes *sizes;
  gg__plan *plan;
  gg__temps temps;
  gg__place *places;          /* by value */
  unsigned int *result_of;    /* by value: the result it is written to */
  unsigned int *viewed_by;    /* by value: the result that is a view of it */
  unsigned int *shared_store; /* by shared variable, or GG_NONE */
  unsigned int *result_store; /* by result, or GG_NONE */
  unsigned int *input_refs;   /* by argument: values in its memory */
  gg__sent *sent;             /* by value that it becomes */
  GA_VEC(unsigned int) temp_store; /* by temporary, or GG_NONE */
  unsigned int step;               /* at hand */
  ga__arena lists;                 /* holds those by value and the like */
  ga__arena arena;                 /* of the step at hand */
} gg__builder;

static inline const gg__value *gg__value_at(const gg__builder *b,
                                            unsigned int v) {
  return &b->p->values.v[v];
}

/* --- places.c --- */

int gg__builder_init(gg__builder *b);
void gg__builder_clear(gg__builder *b);

/* Memory that lasts until the next step; NULL, reported, when there is none. */
void *gg__step_alloc(gg__builder *b, size_t n, size_t size);

size_t gg__value_bytes(const gg__builder *b, unsigned int v);
/* Strides of v in C order. */
void gg__c_strides(const gg__builder *b, unsigned int v, ssize_t *strides);
int gg__is_c_order(const gg__builder *b, unsigned int v);

/* Make sure that v has a place; what steps compute has one by now. */
int gg__need_place(gg__builder *b, unsigned int v);
/* Put v at the start of a store, in C order. */
void gg__put(gg__builder *b, unsigned int v, unsigned int store);
/* Is v, in C order, all of a temporary or of an input that may be overwritten,
 * and does no step after this one read it? */
int gg__dies_here(const gg__builder *b, unsigned int v);
/* May this output of the function be a view? */
int gg__is_borrowed(const gg__builder *b, unsigned int result);
/* The store of a result, its shared variable's own with `in_place`. */
int gg__result_store(gg__builder *b, unsigned int result, int in_place,
                     unsigned int *store);
/* A temporary in the context of value v. */
int gg__temp_store(gg__builder *b, unsigned int v, size_t bytes,
                   unsigned int *store);
void gg__retain_store(gg__builder *b, unsigned int store);
void gg__release_store(gg__builder *b, unsigned int store);
/* One read of v is done. */
void gg__release_value(gg__builder *b, unsigned int v);

/* v as it lies at `x`, or without memory where x is NULL; or at its own place.
 */
void gg__make_array(const gg__builder *b, unsigned int v, const gg__place *x,
                    gg__array *out);
void gg__array_of(const gg__builder *b, unsigned int v, gg__array *out);

/* Is v at `x` as a result that lies in C order from its start on? */
int gg__starts_in_c_order(const gg__builder *b, unsigned int v,
                          const gg__place *x);
/* The place of value `out`, a view, if its operand lies at `from`. */
int gg__view_place(gg__builder *b, unsigned int out, const gg__place *from,
                   gg__place *to);

/* --- put_output.c --- */

/* Give what the step at hand computes a place: that of the result it is, or
 * that is a view of it, else a temporary. */
int gg__put_output(gg__builder *b, unsigned int v);
int gg__put_outputs(gg__builder *b, const unsigned int *v, unsigned int n);
/* The same for an output that is read and written element by element: it may
 * have the memory of one of these inputs that dies. */
int gg__put_elementwise(gg__builder *b, const gg__body *body, unsigned int v);
/* Let `out` have the memory of `in`. */
void gg__take_over(gg__builder *b, unsigned int out, unsigned int in);
/* May `out` have the memory of `in`, which dies? What is a result belongs to
 * the caller. */
int gg__may_take_over(const gg__builder *b, unsigned int out, unsigned int in);

/* --- plan_launch.c --- */

/* Add a launch to the plan, which owns it in any case. */
int gg__add_launch(gg__builder *b, GpuLaunch *l, double flops);
/* Add a half of a transfer; the plan owns it by the first half in any case. */
int gg__add_transfer(gg__builder *b, GpuTransfer *t, int is_end);
/* Slot `slot` of the last launch holds what lies at `x`, `off` bytes on. */
int gg__add_binding(gg__builder *b, unsigned int slot, const gg__place *x,
                    size_t off);
/* A row of slots of the last launch, from *slot on, hold what a body reads, its
 * scalars, and with `outputs` what it writes; *slot becomes the one behind. */
int gg__bind_body(gg__builder *b, const gg__body *body, int outputs,
                  unsigned int *slot);
/* Arguments for a body: arrays, scalars, and outputs. Lasts until the next
 * step; NULL, reported, when there is no memory. */
void **gg__body_arguments(gg__builder *b, const gg__body *body);
/* The same with the rank of a reduction: size 1 on the axes that are gone. */
void **gg__expanded_arguments(gg__builder *b, const gg__body *body,
                              unsigned int nd, const unsigned char *reduced);
/* Of a body over the elements of value `like`. */
double gg__body_flops(const gg__builder *b, const gg__body *body,
                      unsigned int like);
/* Enqueue a copy of v to the place `to`, of the same sizes. */
int gg__plan_copy_to(gg__builder *b, unsigned int v, const gg__place *to);
/* Copy v in C order to a temporary, whose store the caller releases. */
int gg__copy_to_temp(gg__builder *b, unsigned int v, gg__place *to);

/* --- plan_*.c: steps of each kind; what they read has a place, and is released
 * afterwards (make_plan.c) --- */

int gg__plan_map(gg__builder *b, const gg__step *s);
int gg__plan_reduction(gg__builder *b, const gg__step *s);
int gg__plan_rows(gg__builder *b, const gg__step *s);
int gg__plan_kernel(gg__builder *b, const gg__step *s);
int gg__plan_inner(gg__builder *b, const gg__step *s);
int gg__plan_view(gg__builder *b, const gg__step *s);
int gg__plan_copy(gg__builder *b, const gg__step *s);
int gg__plan_send(gg__builder *b, const gg__step *s);
int gg__plan_receive(gg__builder *b, const gg__step *s);

/* Outputs that were computed in the memory of inputs (plan_copy.c). */
int gg__lend_overwritten(gg__builder *b);

/* --- plan_seen.c --- */

/* Note what the step that was just planned writes and reads. `guards`: it runs
 * kernels of an op's own, which must not change their inputs. */
int gg__plan_seen(gg__builder *b, const gg__step *s, int guards);

/* --- op_perform.c --- */

/* What `prepare` is to a GG_OP_KERNEL, for a GG_OP_PERFORM. */
int gg__prepare_perform(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out);

#endif

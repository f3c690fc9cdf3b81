/* SPDX-License-Identifier: BSD-2-Clause */
/* The builder of a plan: where values lie, and launches with their slots.
 *
 *   places.c        stores, places, and arrays to prepare launches with
 *   channels.c      images whose channels lie last
 *   leaves.c        values that no step computes
 *   put_output.c    where a step's outputs go
 *   plan_launch.c   launches, their slots, arguments of bodies
 *   question.c      launches that need not be prepared
 *   plan_*.c        steps of each kind
 *   plan_seen.c     what a plan records for watched calls
 *   make_plan.c     the whole plan; the table of kinds of steps */
#ifndef PLAN_BUILDER_H
#define PLAN_BUILDER_H

#include "plan/unit.h"

/* Where a value lies. */
typedef struct gg__place {
  unsigned int store; /* GG_NONE: it has no place yet */
  unsigned int uses;  /* reads that are still to come */
  ssize_t rel;        /* bytes from the store's start to element 0 */
  ssize_t strides[GG_MAX_ND];
} gg__place;

/* A transfer whose first half is planned. */
typedef struct gg__sent {
  GpuTransfer *t; /* the plan owns it */
  gg__place copy; /* of the source in C order; store GG_NONE: not needed */
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
  unsigned int *input_refs;   /* by argument: count of values in its memory */
  gg__sent *sent;             /* by value that the transfer computes; made for
                                 the first one */
  size_t next_old;            /* index of the next old launch to offer */
  GA_VEC(unsigned int) temp_store; /* by temporary, or GG_NONE */
  unsigned int step;               /* the one that is being planned */
} gg__builder;

static inline const gg__value *gg__value_at(const gg__builder *b,
                                            unsigned int v) {
  return &b->p->values.v[v];
}

/* --- places.c --- */

int gg__builder_init(gg__builder *b);
void gg__builder_clear(gg__builder *b);

/* Allocate n * size zeroed bytes that last until the next step. NULL, with a
 * message, if memory is out. */
void *gg__step_alloc(gg__builder *b, size_t n, size_t size);

/* Bytes of one element of v, and of all. */
size_t gg__item_bytes(const gg__builder *b, unsigned int v);
size_t gg__value_bytes(const gg__builder *b, unsigned int v);
/* Write the strides, in bytes, that v has in C order. */
void gg__c_strides(const gg__builder *b, unsigned int v, ssize_t *strides);
int gg__is_c_order(const gg__builder *b, unsigned int v);
/* Are these the strides of C order? Those of axes of size 1 do not count. */
int gg__are_c_order(const gg__builder *b, unsigned int v,
                    const ssize_t *strides);

/* Put v at the start of a store, in C order. */
void gg__put(gg__builder *b, unsigned int v, unsigned int store);
/* May the outputs of this step use the memory of v? No later step reads v, it
 * lies in C order from the start of a temporary or of an input that calls may
 * overwrite, and no other value lies there. */
int gg__dies_here(const gg__builder *b, unsigned int v);
/* May this output of the function be a view? */
int gg__is_borrowed(const gg__builder *b, unsigned int result);
/* Add a store of this kind. */
int gg__add_store(gg__builder *b, gg__store_kind kind, unsigned int index,
                  unsigned int *store);
/* Get the store of a shared variable's value. */
int gg__shared_store(gg__builder *b, unsigned int index, unsigned int *store);
/* Get the store of a result: an output, or the spare of its shared variable;
 * with `in_place` that of the shared variable itself, if its sizes stay. */
int gg__result_store(gg__builder *b, unsigned int result, int in_place,
                     unsigned int *store);
/* Take a temporary of at least `bytes` in the context of value v. */
int gg__temp_store(gg__builder *b, unsigned int v, size_t bytes,
                   unsigned int *store);
/* Count one value more, or one less, in a store that is a temporary or an
 * input. Other stores are not counted. */
void gg__retain_store(gg__builder *b, unsigned int store);
void gg__release_store(gg__builder *b, unsigned int store);
/* Count one read of v as done. The last one releases its store. */
void gg__release_value(gg__builder *b, unsigned int v);

/* Make an array of v at place `x`. It borrows its sizes and strides, which
 * nobody may change. */
void gg__make_array(const gg__builder *b, unsigned int v, gg__place *x,
                    GpuArray *out);
/* The same at the place of v. */
void gg__array_of(const gg__builder *b, unsigned int v, GpuArray *out);
/* Make an array of v without memory, in C order, until the next step. */
int gg__make_shape(gg__builder *b, unsigned int v, GpuArray *out);

/* Does v at `x` lie in C order from the start of its store? */
int gg__starts_in_c_order(const gg__builder *b, unsigned int v,
                          const gg__place *x);
/* Find the place of value `out`, a view, if its input lies at `from`.
 * GA_COPY_ERROR: the view needs a copy of the input. */
int gg__view_place(gg__builder *b, unsigned int out, gg__place *from,
                   gg__place *to);

/* --- channels.c --- */

/* Does v lie with its channels, axis 1, last in memory? That is said of values
 * of 3 to 5 axes that are in no other order at the same time. */
int gg__is_channels_last(const gg__builder *b, unsigned int v);
/* Does the op write its output with channels last, as its first operand has
 * them? */
int gg__keeps_channels_last(const gg__builder *b, const gg_apply *a);
/* Is v to lie with its channels last, since the images that step `s` reads do,
 * and is that another order than C order? Then write its strides. */
int gg__wants_channels_last(const gg__builder *b, const gg__step *s,
                            unsigned int v, ssize_t *strides);
/* Put v, which has a place in C order at the start of a temporary, there with
 * its channels last. Results, and values that results are views of, stay. */
void gg__turn_channels(gg__builder *b, unsigned int v);

/* --- leaves.c --- */

/* Make sure that v, which step s reads, has a place. Leaves and tables get one
 * here, at their first use; values that steps compute have one already. */
int gg__need_place(gg__builder *b, const gg__step *s, unsigned int v);

/* --- put_output.c --- */

/* Give v, which this step computes, a place: in the result that it is, in the
 * result that is a view of it, else in a temporary. */
int gg__put_output(gg__builder *b, unsigned int v);
int gg__put_outputs(gg__builder *b, const unsigned int *v, unsigned int n);
/* The same for a value that is computed element by element: it may take over
 * the memory of an input of `body` that dies in this step. */
int gg__put_elementwise(gg__builder *b, const gg__body *body, unsigned int v);
/* Put `out` in the memory of `in`. */
void gg__take_over(gg__builder *b, unsigned int out, unsigned int in);
/* May `out` take over the memory of `in`? `in` must die in this step. A result
 * needs memory of its own, unless it may be a view and `in` is an input. */
int gg__may_take_over(const gg__builder *b, unsigned int out, unsigned int in);

/* --- plan_launch.c --- */

/* Offer the next old launch of this step (GpuLaunch_renew), or none: the launch
 * that is prepared next renews it. Frees an earlier offer that was not taken.
 */
void gg__offer_launch(gg__builder *b);
/* Add a launch to the plan, which owns it, also on failure. `flops`: of one
 * run; 0: the launch knows. */
int gg__add_launch(gg__builder *b, GpuLaunch *l, double flops);
/* Add a half of a transfer. With the first half the plan takes the transfer
 * over, also on failure. */
int gg__add_transfer(gg__builder *b, GpuTransfer *t, int is_end);
/* Guard the indices of a launch of node `a`, if the function guards indices.
 * Errors name the node's site. `l` may be NULL. */
int gg__guard_indices(const gg__builder *b, GpuLaunch *l, const gg_apply *a);
/* Bind slot `slot` of the last launch to the memory `off` bytes after `x`. */
int gg__add_binding(gg__builder *b, unsigned int slot, const gg__place *x,
                    size_t off);
/* Bind the slots of a body in the last launch: from *slot on its inputs, its
 * scalars (which need no binding), and with `outputs` its outputs. *slot
 * becomes the slot after them. */
int gg__bind_body(gg__builder *b, const gg__body *body, int outputs,
                  unsigned int *slot);
/* Make the arguments of a body: input arrays, scalars, output arrays. They last
 * until the next step. NULL, with a message, if memory is out. */
void **gg__body_arguments(gg__builder *b, const gg__body *body);
/* The same with arrays of rank `nd`, that of a reduction: they have size 1 on
 * the reduced axes. */
void **gg__expanded_arguments(gg__builder *b, const gg__body *body,
                              unsigned int nd, const unsigned char *reduced);
/* Flops of a body over the elements of value `like`. */
double gg__body_flops(const gg__builder *b, const gg__body *body,
                      unsigned int like);
/* Add a launch that copies v to the place `to`. */
int gg__plan_copy_to(gg__builder *b, unsigned int v, gg__place *to);
/* Add a launch that copies v in C order to a temporary. The caller releases the
 * store of `to`. */
int gg__copy_to_temp(gg__builder *b, unsigned int v, gg__place *to);

/* --- question.c: what the launch that is planned depends on, apart from
 * buffers. If a launch for the same question is known, it is renewed without
 * being prepared (GpuLaunch_renew_for). --- */

/* Begin the question of a launch for a step of kind `kind`. `how` distinguishes
 * launches that take their operands differently. */
int gg__question_begin(gg__builder *b, gg__step_kind kind, size_t how);
/* Add dtype, sizes, strides and alignment of v at place `x`; NULL: without
 * memory. */
int gg__question_array(gg__builder *b, unsigned int v, const gg__place *x);
/* Add a scalar, or with NULL that it is not known. */
int gg__question_scalar(gg__builder *b, const double *x);
int gg__question_number(gg__builder *b, size_t n);
/* Add `bytes` bytes without padding. */
int gg__question_bytes(gg__builder *b, const void *p, size_t bytes);
/* Add the arrays and scalars of a body. */
int gg__question_body(gg__builder *b, const gg__body *body);
/* Get a launch that answers the question, or NULL: then prepare one. */
GpuLaunch *gg__question_ask(gg__builder *b, const size_t **answer);
/* Store the question with the launch that was prepared for it, or NULL, which
 * is freed on failure. */
int gg__question_keep(gg__builder *b, GpuLaunch *l, const size_t *answer,
                      size_t n);

/* --- plan_*.c: plan a step of each kind. make_plan.c gives the inputs places
 * before, and releases them afterwards. --- */

int gg__plan_map(gg__builder *b, const gg__step *s);
int gg__plan_reduction(gg__builder *b, const gg__step *s);
int gg__plan_rows(gg__builder *b, const gg__step *s);
int gg__plan_kernel(gg__builder *b, const gg__step *s);
int gg__plan_view(gg__builder *b, const gg__step *s);
int gg__plan_copy(gg__builder *b, const gg__step *s);
int gg__plan_send(gg__builder *b, const gg__step *s);
int gg__plan_receive(gg__builder *b, const gg__step *s);

/* Make the outputs that were computed in the memory of inputs views of them
 * (plan_copy.c). */
int gg__lend_overwritten(gg__builder *b);

/* --- plan_seen.c --- */

/* Record where the step that was just planned reads and writes values.
 * `guards`: it runs the op's own kernels, which must not change their inputs.
 */
int gg__plan_seen(gg__builder *b, const gg__step *s, int guards);

/* --- op_perform.c --- */

/* The `prepare` of a GG_OP_PERFORM: make a launch that calls its `perform`. */
int gg__prepare_perform(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out);

#endif

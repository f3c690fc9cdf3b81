/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands of reductions and row programs. */
#include "reduce/row_job.h"

#include <gpuarray/device.h>
#include <string.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/alloc.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "ocl/ocl.h"

/* --- descriptions --- */

int ga__row_args_init(ga__row_args *a, gpucontext *ctx, unsigned int n_whole,
                      const gpuelemwise_arg *whole, unsigned int n_others,
                      const gpuelemwise_arg *others) {
  a->ctx = ctx;
  ga__ctx_retain(ctx);
  a->list = ga__calloc(n_whole + n_others, sizeof *a->list);
  if (a->list == NULL)
    return ga__fail_nomem();
  a->n_whole = n_whole;
  a->n = n_whole + n_others;
  GA_TRY(ga__args_copy(a->list, n_whole, whole));
  return ga__args_copy(a->list + n_whole, n_others, others);
}

void ga__row_args_clear(ga__row_args *a) {
  ga__args_clear(a->list, a->n);
  ga__free(a->list);
  if (a->ctx != NULL)
    gpucontext_deref(a->ctx);
}

enum {
  BOOLS = 1 << GA_KIND_BOOL,
  INTEGERS = 1 << GA_KIND_INT | 1 << GA_KIND_UINT,
  FLOATS = 1 << GA_KIND_FLOAT,
  COMPLEX = 1 << GA_KIND_COMPLEX,
  ORDERED = BOOLS | INTEGERS | FLOATS
};

/* The kinds of dtypes that each operation accepts. */
static const struct {
  const char *name, *expected;
  int kinds;
} ops[] = {
    [GA_REDUCE_SUM] = {"sum", "numbers", INTEGERS | FLOATS | COMPLEX},
    [GA_REDUCE_PROD] = {"prod", "numbers", INTEGERS | FLOATS | COMPLEX},
    [GA_REDUCE_MAX] = {"max", "what has an order", ORDERED},
    [GA_REDUCE_MIN] = {"min", "what has an order", ORDERED},
    [GA_REDUCE_ANY] = {"any", "bool", BOOLS},
    [GA_REDUCE_ALL] = {"all", "bool", BOOLS},
    [GA_REDUCE_AND] = {"and", "integers or bool", INTEGERS | BOOLS},
    [GA_REDUCE_OR] = {"or", "integers or bool", INTEGERS | BOOLS},
    [GA_REDUCE_XOR] = {"xor", "integers or bool", INTEGERS | BOOLS},
    [GA_REDUCE_ARGMAX] = {"argmax", "what has an order", ORDERED},
    [GA_REDUCE_ARGMIN] = {"argmin", "what has an order", ORDERED},
    [GA_REDUCE_VAR] = {"var", "a float", FLOATS},
};

const char *ga__reduce_op_name(ga_reduce_op op) {
  return ops[op].name;
}

int ga__row_check_op(const char *name, ga_reduce_op op, int acc) {
  if ((int)op < 0 || op > GA_REDUCE_VAR || ops[op].name == NULL)
    return ga__fail(GA_VALUE_ERROR,
                    "%s: no operation that combines has the number %d", name,
                    (int)op);
  if ((ops[op].kinds >> ga__dtype_kind(acc) & 1) != 0)
    return GA_NO_ERROR;
  return ga__fail(ops[op].kinds == ORDERED ? GA_UNSUPPORTED_ERROR
                                           : GA_VALUE_ERROR,
                  "%s: %s in %s, expected %s", name, ops[op].name,
                  ga__dtype_name(acc), ops[op].expected);
}

const GpuArray *ga__row_job_array(const ga__row_job *j, unsigned int k) {
  return ga__arg_is_scalar(&j->args->list[k]) ? NULL : j->values[k];
}

/* --- the space --- */

/* Set the steps of positions that are counted in C order over the reduced
 * axes. */
static void count_positions(unsigned int nd, const size_t *dims,
                            const unsigned char *reduced, ptrdiff_t *steps) {
  ptrdiff_t step = 1;

  for (unsigned int d = nd; d-- > 0;) {
    steps[d] = step;
    if (reduced[d])
      step *= (ptrdiff_t)dims[d];
  }
}

/* Set the strides of array k; `strides` are those along all nd axes. */
static void set_strides(ga__row_job *j, unsigned int k, unsigned int nd,
                        const unsigned char *reduced,
                        const ptrdiff_t *strides) {
  ptrdiff_t of[2][GA_ND_MAX];
  unsigned int n[2] = {0, 0};

  for (unsigned int d = 0; d < nd; d++)
    of[reduced[d] != 0][n[reduced[d] != 0]++] = strides[d];
  if (k < j->args->n)
    ga__iter_set(&j->space.kept, k, of[0]);
  ga__iter_set(&j->space.red, k, of[1]);
}

/* Set the sizes of the two groups, after checking that the product of each
 * fits. */
static int init_groups(ga__row_job *j, unsigned int nd, const size_t *dims,
                       const unsigned char *reduced) {
  size_t of[2][GA_ND_MAX], total;
  unsigned int n[2] = {0, 0};

  if (nd > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, at most %d", nd, GA_ND_MAX);
  GA_TRY(ga__dims_total(&total, nd, dims));
  for (unsigned int d = 0; d < nd; d++)
    of[reduced[d] != 0][n[reduced[d] != 0]++] = dims[d];
  GA_TRY(ga__dims_total(&total, n[0], of[0]));
  GA_TRY(ga__dims_total(&total, n[1], of[1]));
  GA_TRY(ga__iter_init(&j->space.kept, n[0], of[0], j->args->n));
  return ga__iter_init(&j->space.red, n[1], of[1], j->args->n + 1);
}

static int place(ga__row_job *j, unsigned int k, unsigned int nd,
                 const size_t *dims, const unsigned char *reduced) {
  const gpuelemwise_arg *arg = &j->args->list[k];
  size_t own[GA_ND_MAX];
  ptrdiff_t strides[GA_ND_MAX];

  GA_TRY(ga__operand_check(arg, j->values[k], j->args->ctx));
  if (ga__arg_is_scalar(arg))
    return GA_NO_ERROR;
  j->elsize[k] = ga__dtype_size(arg->typecode);
  for (unsigned int d = 0; d < nd; d++)
    own[d] = k >= j->args->n_whole && reduced[d] ? 1 : dims[d];
  GA_TRY(ga__operand_place(strides, arg->name, j->values[k], nd, own,
                           ga__arg_is_written(arg) ? 0 : GA_MAY_REPEAT));
  set_strides(j, k, nd, reduced, strides);
  return GA_NO_ERROR;
}

int ga__row_job_init(ga__row_job *j, const ga__row_args *args,
                     void *const *whole, void *const *others, unsigned int nd,
                     const size_t *dims, const unsigned char *reduced,
                     const ptrdiff_t *positions) {
  const unsigned int n = args->n, n_whole = args->n_whole;
  ptrdiff_t steps[GA_ND_MAX];

  j->args = args;
  j->space.kept.block.far = j->space.red.block.far = NULL;
  j->values = ga__room_take(
      &j->lists, n, sizeof *j->values + sizeof *j->elsize + sizeof *j->steps);
  if (j->values == NULL)
    return ga__fail_nomem();
  j->elsize = (size_t *)(j->values + n);
  j->steps = (ga__lane_step *)(j->elsize + n);
  for (unsigned int k = 0; k < n; k++)
    j->values[k] = k < n_whole ? whole[k] : others[k - n_whole];
  GA_TRY(init_groups(j, nd, dims, reduced));
  for (unsigned int k = 0; k < n; k++)
    GA_TRY(place(j, k, nd, dims, reduced));
  if (positions == NULL) {
    count_positions(nd, dims, reduced, steps);
    positions = steps;
  }
  set_strides(j, n, nd, reduced, positions);
  j->space.n_in = n_whole;
  j->space.n_ops = n;
  j->space.elsize = j->elsize;
  ga__space_fold(&j->space);
  return GA_NO_ERROR;
}

int ga__row_job_check_some(const ga__row_job *j, const char *name,
                           ga_reduce_op op) {
  if (j->space.n_out == 0 || j->space.n_red > 0 || ops[op].kinds != ORDERED)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "%s: %s of no elements", name, ops[op].name);
}

void ga__row_job_clear(ga__row_job *j) {
  ga__iter_clear(&j->space.kept);
  ga__iter_clear(&j->space.red);
  ga__room_drop(&j->lists);
}

/* --- the layout --- */

void ga__row_job_choose_steps(ga__row_job *j, const ga__iter *it,
                              unsigned int lanes, int may_align) {
  for (unsigned int k = 0; k < j->args->n_whole; k++) {
    if (j->elsize[k] == 0)
      continue;
    j->steps[k] = ga__space_lane_step(&j->space, it, k);
    if (j->steps[k] == GA_LANES_NEXT && may_align && lanes > 1 &&
        ga__space_is_aligned(&j->space, it, k, ga__row_job_array(j, k)->offset,
                             lanes * j->elsize[k]))
      j->steps[k] = GA_LANES_ALIGNED;
  }
}

int ga__row_job_check_params(const ga__row_job *j, unsigned int n,
                             size_t others) {
  const size_t nk = j->space.kept.nd, nr = j->space.red.nd;
  const size_t n_args = n * (2 + nk) + j->args->n_whole * nr + others;
  const size_t most = gpucontext_caps(j->args->ctx)->param_bytes;

  if (n_args * 8 > most)
    return ga__fail(GA_DEVSUP_ERROR,
                    "%zu bytes of kernel arguments, the device takes %zu",
                    n_args * 8, most);
  return GA_NO_ERROR;
}

/* --- arguments of a launch --- */

void ga__row_job_key(ga__launch_key *key, const ga__row_job *j,
                     const char *family) {
  const ga__space *s = &j->space;

  ga__launch_key_start(key, j->args->ctx, family);
  ga__launch_key_bytes(key, j->args->hash, sizeof j->args->hash);
  ga__launch_key_number(key, s->kept.nd);
  ga__launch_key_number(key, s->red.nd);
  ga__launch_key_number(key, (size_t)ga__space_is_wide(s));
  ga__launch_key_bytes(key, j->steps, j->args->n_whole * sizeof *j->steps);
}

static size_t first_of(const ga__space *s, unsigned int k) {
  return (size_t)(s->kept.first[k] + s->red.first[k]);
}

static void add_strides(GpuLaunch *l, const ga__row_job *j, unsigned int k) {
  const ga__space *s = &j->space;

  for (unsigned int d = 0; d < s->kept.nd; d++)
    ga__launch_ssize(l, s->kept.strides[k][d]);
  for (unsigned int d = 0; k < j->args->n_whole && d < s->red.nd; d++)
    ga__launch_ssize(l, s->red.strides[k][d]);
}

void ga__row_job_add_place(GpuLaunch *l, const ga__row_job *j, unsigned int k,
                           size_t at) {
  ga__launch_size(l, at + first_of(&j->space, k));
  add_strides(l, j, k);
}

void ga__row_job_add(GpuLaunch *l, const ga__row_job *j, unsigned int k) {
  GA_ASSERT(k < j->args->n);
  if (ga__row_job_array(j, k) == NULL) {
    ga__launch_value(l, (int)k, ga__dtype_size(j->args->list[k].typecode),
                     j->values[k]);
    return;
  }
  ga__launch_slot(l, k);
  ga__launch_offset(l, k, first_of(&j->space, k));
  add_strides(l, j, k);
}

void ga__row_job_add_sizes(GpuLaunch *l, const ga__iter *it) {
  for (unsigned int d = 0; d < it->nd; d++)
    ga__launch_size(l, it->dims[d]);
}

void ga__row_job_bind(GpuLaunch *l, const ga__row_job *j, unsigned int lanes,
                      unsigned int n_ops, double times) {
  const ga__space *s = &j->space;
  double bytes = 0;

  for (unsigned int k = 0; k < j->args->n; k++) {
    const int flags = j->args->list[k].flags;
    const int uses = !!(flags & GE_READ) + !!(flags & GE_WRITE);

    if (ga__row_job_array(j, k) == NULL)
      continue;
    if (j->steps[k] == GA_LANES_ALIGNED)
      ga__launch_require_align(l, k, lanes * j->elsize[k]);
    ga__launch_bind_array(l, k, ga__row_job_array(j, k));
    bytes += uses * (double)j->elsize[k] *
             (double)ga__iter_visits(&s->kept, k) *
             (double)ga__iter_visits(&s->red, k);
  }
  ga__launch_cost(l, times * bytes,
                  times * (double)s->n_out * (double)s->n_red *
                      (double)(n_ops + 1));
}

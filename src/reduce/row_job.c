/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands over kept and reduced axes. */
#include "reduce/row_job.h"

#include <gpuarray/device.h>
#include <string.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "ocl/ocl.h"

const GpuArray *ga__row_job_array(const ga__row_job *j, unsigned int k) {
  return ga__arg_is_scalar(&j->args[k]) ? NULL : j->values[k];
}

/* --- the space --- */

/* Positions in C order over the reduced axes. */
static void count_positions(unsigned int nd, const size_t *dims,
                            const unsigned char *reduced, ptrdiff_t *steps) {
  ptrdiff_t step = 1;

  for (unsigned int d = nd; d-- > 0;) {
    steps[d] = step;
    if (reduced[d])
      step *= (ptrdiff_t)dims[d];
  }
}

/* Set the strides of array k from those over all axes. */
static void set_strides(ga__row_job *j, unsigned int k, unsigned int nd,
                        const unsigned char *reduced,
                        const ptrdiff_t *strides) {
  ptrdiff_t of[2][GA_ND_MAX];
  unsigned int n[2] = {0, 0};

  for (unsigned int d = 0; d < nd; d++)
    of[reduced[d] != 0][n[reduced[d] != 0]++] = strides[d];
  if (k < j->n)
    ga__iter_set(&j->space.kept, k, of[0]);
  ga__iter_set(&j->space.red, k, of[1]);
}

/* The sizes of the two groups, each of which fits. */
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
  GA_TRY(ga__iter_init(&j->space.kept, n[0], of[0], j->n));
  return ga__iter_init(&j->space.red, n[1], of[1], j->n + 1);
}

static int place(ga__row_job *j, unsigned int k, unsigned int nd,
                 const size_t *dims, const unsigned char *reduced) {
  const gpuelemwise_arg *arg = &j->args[k];
  size_t own[GA_ND_MAX];
  ptrdiff_t strides[GA_ND_MAX];

  GA_TRY(ga__operand_check(arg, j->values[k], j->ctx));
  if (ga__arg_is_scalar(arg))
    return GA_NO_ERROR;
  j->elsize[k] = ga__dtype_size(arg->typecode);
  for (unsigned int d = 0; d < nd; d++)
    own[d] = k >= j->n_whole && reduced[d] ? 1 : dims[d];
  GA_TRY(ga__operand_place(strides, arg->name, j->values[k], nd, own,
                           ga__arg_is_written(arg) ? 0 : GA_MAY_REPEAT));
  set_strides(j, k, nd, reduced, strides);
  return GA_NO_ERROR;
}

int ga__row_job_init(ga__row_job *j, gpucontext *ctx,
                     const gpuelemwise_arg *args, unsigned int n_whole,
                     unsigned int n, void *const *whole, void *const *others,
                     unsigned int nd, const size_t *dims,
                     const unsigned char *reduced, const ptrdiff_t *positions) {
  ptrdiff_t steps[GA_ND_MAX];

  *j = (ga__row_job){.ctx = ctx, .args = args, .n_whole = n_whole, .n = n};
  j->values = ga__calloc(n, sizeof *j->values);
  j->elsize = ga__calloc(n, sizeof *j->elsize);
  j->steps = ga__calloc(n, sizeof *j->steps);
  if (j->values == NULL || j->elsize == NULL || j->steps == NULL)
    return ga__fail_nomem();
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

void ga__row_job_clear(ga__row_job *j) {
  ga__iter_clear(&j->space.kept);
  ga__iter_clear(&j->space.red);
  ga__free(j->values);
  ga__free(j->elsize);
  ga__free(j->steps);
}

/* --- the layout --- */

void ga__row_job_choose_steps(ga__row_job *j, const ga__iter *it,
                              unsigned int lanes, int may_align) {
  for (unsigned int k = 0; k < j->n_whole; k++) {
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
  const size_t n_args = n * (2 + nk) + j->n_whole * nr + others;
  const size_t most = gpucontext_caps(j->ctx)->param_bytes;

  if (n_args * 8 > most)
    return ga__fail(GA_DEVSUP_ERROR,
                    "%zu bytes of kernel arguments, the device takes %zu",
                    n_args * 8, most);
  return GA_NO_ERROR;
}

/* --- arguments of a launch --- */

void ga__row_job_add(GpuLaunch *l, const ga__row_job *j, unsigned int k) {
  const ga__space *s = &j->space;

  if (ga__row_job_array(j, k) == NULL) {
    ga__launch_value(l, (int)k, ga__dtype_size(j->args[k].typecode),
                     j->values[k]);
    return;
  }
  ga__launch_slot(l, k);
  ga__launch_offset(l, k, (size_t)(s->kept.first[k] + s->red.first[k]));
  for (unsigned int d = 0; d < s->kept.nd; d++)
    ga__launch_ssize(l, s->kept.strides[k][d]);
  for (unsigned int d = 0; k < j->n_whole && d < s->red.nd; d++)
    ga__launch_ssize(l, s->red.strides[k][d]);
}

void ga__row_job_add_sizes(GpuLaunch *l, const ga__iter *it) {
  for (unsigned int d = 0; d < it->nd; d++)
    ga__launch_size(l, it->dims[d]);
}

void ga__row_job_bind(GpuLaunch *l, const ga__row_job *j, unsigned int lanes,
                      unsigned int n_ops) {
  const ga__space *s = &j->space;
  double bytes = 0;

  for (unsigned int k = 0; k < j->n; k++) {
    const int flags = j->args[k].flags;
    const int times = !!(flags & GE_READ) + !!(flags & GE_WRITE);

    if (ga__row_job_array(j, k) == NULL)
      continue;
    if (j->steps[k] == GA_LANES_ALIGNED)
      ga__launch_require_align(l, k, lanes * j->elsize[k]);
    ga__launch_bind_array(l, k, ga__row_job_array(j, k));
    bytes += times * (double)j->elsize[k] *
             (double)ga__iter_visits(&s->kept, k) *
             (double)ga__iter_visits(&s->red, k);
  }
  ga__launch_cost(l, bytes,
                  (double)s->n_out * (double)s->n_red * (double)(n_ops + 1));
}

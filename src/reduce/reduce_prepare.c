/* SPDX-License-Identifier: BSD-2-Clause */
/* A reduction's launches for one geometry. */
#include "array/arg_check.h"
#include "array/view.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "ocl/ocl.h"
#include "reduce/reduce.h"
#include "reduce/reduce_plan.h"

/* What a preparation works on. Operands are the inputs, then the post
 * arguments. */
typedef struct job {
  const GpuReduction *r;
  unsigned int nd, n_ops;
  const size_t *dims;
  const unsigned char *reduced;
  void **in, **post;
  size_t *elsize;
  ga__lane_step *steps; /* per input */
  ga__space space;
  ga__reduce_plan plan;
} job;

static const gpuelemwise_arg *op_arg(const job *j, unsigned int k) {
  const GpuReductionSpec *s = &j->r->spec;

  return k < s->n_in ? &s->in[k] : &s->post_args[k - s->n_in];
}

/* The array of operand k, NULL for a scalar. */
static const GpuArray *op_array(const job *j, unsigned int k) {
  const unsigned int n_in = j->r->spec.n_in;

  if (op_arg(j, k)->flags & GE_SCALAR)
    return NULL;
  return k < n_in ? j->in[k] : j->post[k - n_in];
}

static int check_array(const job *j, unsigned int k, const GpuArray *a) {
  const gpuelemwise_arg *arg = op_arg(j, k);

  GA_TRY(ga__arg_check_array(j->r->ctx, arg, a));
  return ga__arg_check_sizes(arg, a, j->nd, j->dims,
                             k >= j->r->spec.n_in ? j->reduced : NULL);
}

static int check_operands(const job *j) {
  for (unsigned int k = 0; k < j->n_ops; k++) {
    const unsigned int n_in = j->r->spec.n_in;

    if ((k < n_in ? j->in[k] : j->post[k - n_in]) == NULL)
      return ga__fail(GA_VALUE_ERROR, "%s: missing", op_arg(j, k)->name);
    if (op_array(j, k) != NULL)
      GA_TRY(check_array(j, k, op_array(j, k)));
  }
  return GA_NO_ERROR;
}

/* Elements of one of the two groups of axes. */
static int check_total(const job *j, int is_reduced, size_t *total) {
  size_t dims[GA_ND_MAX];
  unsigned int n = 0;

  for (unsigned int d = 0; d < j->nd; d++) {
    if (!j->reduced[d] == !is_reduced)
      dims[n++] = j->dims[d];
  }
  return ga__dims_total(total, n, dims);
}

static int check_space(const job *j) {
  const ga_reduce_op op = j->r->spec.op;
  size_t n_out, n_red, total;

  if (j->nd > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, at most %d", j->nd,
                    GA_ND_MAX);
  GA_TRY(ga__dims_total(&total, j->nd, j->dims));
  GA_TRY(check_total(j, 0, &n_out));
  GA_TRY(check_total(j, 1, &n_red));
  if (n_out > 0 && n_red == 0 &&
      (op == GA_REDUCE_MAX || op == GA_REDUCE_MIN || ga__reduce_is_arg(op)))
    return ga__fail(GA_VALUE_ERROR, "%s of no elements",
                    ga__reduce_op_name(op));
  return GA_NO_ERROR;
}

/* --- its space --- */

/* The entries of `all` that belong to one group of axes. */
static void pick_axes(const job *j, int is_reduced, const ptrdiff_t *all,
                      ptrdiff_t *out) {
  unsigned int n = 0;

  for (unsigned int d = 0; d < j->nd; d++) {
    if (!j->reduced[d] == !is_reduced)
      out[n++] = all[d];
  }
}

/* Positions in C order over the reduced axes. */
static void count_positions(const job *j, ptrdiff_t *steps) {
  ptrdiff_t step = 1;

  for (unsigned int d = j->nd; d-- > 0;) {
    steps[d] = step;
    if (j->reduced[d])
      step *= (ptrdiff_t)j->dims[d];
  }
}

static int make_group(job *j, ga__iter *it, int is_reduced,
                      const ptrdiff_t *positions) {
  size_t dims[GA_ND_MAX];
  ptrdiff_t strides[GA_ND_MAX];
  unsigned int n = 0;

  for (unsigned int d = 0; d < j->nd; d++) {
    if (!j->reduced[d] == !is_reduced)
      dims[n++] = j->dims[d];
  }
  GA_TRY(ga__iter_init(it, n, dims, j->n_ops + (is_reduced ? 1 : 0)));
  for (unsigned int k = 0; k < j->n_ops; k++) {
    const GpuArray *a = op_array(j, k);
    ptrdiff_t all[GA_ND_MAX];

    if (a == NULL)
      continue;
    for (unsigned int d = 0; d < j->nd; d++)
      all[d] = a->dimensions[d] == 1 ? 0 : a->strides[d];
    pick_axes(j, is_reduced, all, strides);
    ga__iter_set(it, k, strides);
  }
  if (is_reduced) {
    pick_axes(j, 1, positions, strides);
    ga__iter_set(it, j->n_ops, strides);
  }
  return GA_NO_ERROR;
}

static int make_space(job *j, const ptrdiff_t *positions) {
  ptrdiff_t steps[GA_ND_MAX];
  ga__space *s = &j->space;

  if (positions == NULL) {
    count_positions(j, steps);
    positions = steps;
  }
  s->n_in = j->r->spec.n_in;
  s->n_ops = j->n_ops;
  s->elsize = j->elsize;
  for (unsigned int k = 0; k < j->n_ops; k++)
    j->elsize[k] =
        op_array(j, k) == NULL ? 0 : ga__dtype_size(op_arg(j, k)->typecode);
  GA_TRY(make_group(j, &s->kept, 0, positions));
  GA_TRY(make_group(j, &s->red, 1, positions));
  ga__space_fold(s);
  return GA_NO_ERROR;
}

/* --- its launches --- */

/* Whether every vector of `bytes` of operand k begins at a multiple of it. */
static int is_aligned(const job *j, unsigned int k, size_t bytes) {
  const ga__iter *const groups[2] = {&j->space.kept, &j->space.red};
  const ptrdiff_t unit = (ptrdiff_t)bytes;
  const int along = j->plan.main.kernel != GA_REDUCE_COL;

  if (op_array(j, k)->offset % bytes != 0)
    return 0;
  for (int g = 0; g < 2; g++) {
    if (groups[g]->first[k] % unit != 0)
      return 0;
    for (unsigned int d = g == along; d < groups[g]->nd; d++) {
      if (groups[g]->strides[k][d] % unit != 0)
        return 0;
    }
  }
  /* The last vector of a row of columns is moved back, and a part may begin in
   * the middle of a run. */
  if (!along)
    return groups[0]->dims[0] % j->plan.main.lanes == 0;
  return j->plan.parts == 1 || groups[1]->nd == 1 ||
         groups[1]->dims[0] % j->plan.main.lanes == 0;
}

static void choose_steps(job *j) {
  const ga__reduce_shape *m = &j->plan.main;
  const ga__iter *it =
      m->kernel != GA_REDUCE_COL ? &j->space.red : &j->space.kept;
  const int is_cpu = gpucontext_caps(j->r->ctx)->is_cpu;

  for (unsigned int k = 0; k < j->r->spec.n_in; k++) {
    if (j->elsize[k] == 0)
      continue;
    j->steps[k] = ga__space_lane_step(&j->space, it, k);
    if (j->steps[k] == GA_LANES_NEXT && !is_cpu && m->lanes > 1 &&
        is_aligned(j, k, m->lanes * j->elsize[k]))
      j->steps[k] = GA_LANES_ALIGNED;
  }
}

static void add_operand(GpuLaunch *l, const job *j, unsigned int k,
                        int with_reduced) {
  const ga__space *s = &j->space;
  const unsigned int n_in = j->r->spec.n_in;

  if (op_array(j, k) == NULL) {
    ga__launch_value(l, (int)k, ga__dtype_size(op_arg(j, k)->typecode),
                     k < n_in ? j->in[k] : j->post[k - n_in]);
    return;
  }
  ga__launch_slot(l, k);
  ga__launch_offset(l, k, (size_t)(s->kept.first[k] + s->red.first[k]));
  for (unsigned int d = 0; d < s->kept.nd; d++)
    ga__launch_ssize(l, s->kept.strides[k][d]);
  for (unsigned int d = 0; with_reduced && d < s->red.nd; d++)
    ga__launch_ssize(l, s->red.strides[k][d]);
}

static void add_sizes(GpuLaunch *l, const ga__iter *it) {
  for (unsigned int d = 0; d < it->nd; d++)
    ga__launch_size(l, it->dims[d]);
}

static void add_inputs(GpuLaunch *l, const job *j) {
  const ga__space *s = &j->space;

  for (unsigned int k = 0; k < s->n_in; k++)
    add_operand(l, j, k, 1);
  add_sizes(l, &s->kept);
  add_sizes(l, &s->red);
  if (!ga__reduce_is_arg(j->r->spec.op) || s->in_order)
    return;
  ga__launch_ssize(l, s->red.first[s->n_ops]);
  for (unsigned int d = 0; d < s->red.nd; d++)
    ga__launch_ssize(l, s->red.strides[s->n_ops][d]);
}

static void add_outputs(GpuLaunch *l, const job *j) {
  add_sizes(l, &j->space.kept);
  for (unsigned int k = j->space.n_in; k < j->n_ops; k++)
    add_operand(l, j, k, 0);
}

/* Counts beyond 31 bits need long arithmetic. */
static int is_wide(const job *j) {
  return j->space.n_out > INT32_MAX || j->space.n_red > INT32_MAX;
}

static void add_kernel(GpuLaunch *l, const job *j,
                       const ga__reduce_shape *shape, const size_t *gs,
                       const size_t *ls) {
  const int is_final = shape->kernel == GA_REDUCE_FINAL;
  const ga__gen_reduce g = {.spec = &j->r->spec,
                            .boolean = j->r->map.boolean,
                            .shape = *shape,
                            .nk = j->space.kept.nd,
                            .nr = j->space.red.nd,
                            .steps = j->steps,
                            .parts = !is_final && j->plan.parts > 1,
                            .wide_index = is_wide(j),
                            .in_order = j->space.in_order};
  ga__reduce_text t;
  const int err = ga__gen_reduce_write(&t, &g);

  if (err != GA_NO_ERROR) {
    ga__launch_error(l, err);
  } else {
    const ga__source src = {.n = t.n, .parts = t.parts, .entry = t.entry};
    ga__launch_kernel(l, &src, is_final ? 1 : 2, gs, ls);
  }
  ga__reduce_text_clear(&t);
}

/* One launch that does it all, or one per part and one that joins them. */
static void add_launches(GpuLaunch *l, const job *j) {
  const ga__reduce_plan *p = &j->plan;
  const ga__space *s = &j->space;
  const int is_arg = ga__reduce_is_arg(j->r->spec.op);
  const int is_moments = ga__reduce_is_moments(j->r->spec.op);
  const size_t size = ga__dtype_size(ga__reduce_acc_dtype(j->r->spec.acc));
  const size_t n = p->parts * s->n_out * j->r->spec.n_acc;
  unsigned int values = 0, seconds = 0;

  add_kernel(l, j, &p->main, p->gs, p->ls);
  add_inputs(l, j);
  if (p->parts == 1) {
    add_outputs(l, j);
  } else {
    values = ga__launch_work(l, n * size);
    if (is_arg)
      seconds = ga__launch_work(l, n * (is_wide(j) ? 8 : 4));
    else if (is_moments)
      seconds = ga__launch_work(l, (2 * n + p->parts) * size);
  }
  ga__launch_size(l, s->n_out);
  ga__launch_size(l, s->n_red);
  ga__launch_size(l, p->rows);
  ga__launch_size(l, p->chunk);
  if (p->parts == 1)
    return;
  add_kernel(l, j, &p->final, &p->final_gs, &p->final_ls);
  ga__launch_work_arg(l, values);
  if (is_arg || is_moments)
    ga__launch_work_arg(l, seconds);
  add_outputs(l, j);
  ga__launch_size(l, s->n_out);
  ga__launch_size(l, p->parts);
  ga__launch_size(l, p->final_rows);
}

/* Every argument takes 8 bytes at most. */
static int check_params(const job *j) {
  const size_t nk = j->space.kept.nd, nr = j->space.red.nd;
  const size_t n_args =
      j->space.n_in * (2 + nk + nr) + 2 * nk + 2 * nr + 7 +
      (j->plan.parts == 1 ? (j->n_ops - j->space.n_in) * (2 + nk) : 0);
  const size_t most = gpucontext_caps(j->r->ctx)->param_bytes;

  if (n_args * 8 > most)
    return ga__fail(GA_DEVSUP_ERROR,
                    "%zu bytes of kernel arguments, the device takes %zu",
                    n_args * 8, most);
  return GA_NO_ERROR;
}

static void add_cost(GpuLaunch *l, const job *j) {
  const ga__space *s = &j->space;
  double bytes = 0;

  for (unsigned int k = 0; k < j->n_ops; k++) {
    const int flags = op_arg(j, k)->flags;
    const int times = !!(flags & GE_READ) + !!(flags & GE_WRITE);

    bytes += times * (double)j->elsize[k] *
             (double)ga__iter_visits(&s->kept, k) *
             (double)ga__iter_visits(&s->red, k);
  }
  ga__launch_cost(l, bytes,
                  (double)s->n_out * (double)s->n_red *
                      (double)(j->r->map.n_ops + 1));
}

static int build(GpuLaunch **out, job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->r->ctx);
  const GpuReductionSpec *spec = &j->r->spec;

  if (j->space.n_out > 0) {
    const ga__reduce_work work = {
        .acc_bytes = ga__dtype_size(ga__reduce_acc_dtype(spec->acc)),
        .n_acc = spec->n_acc,
        .lanes_ok = j->r->map.is_vector,
        .is_arg = ga__reduce_is_arg(spec->op),
        .is_moments = ga__reduce_is_moments(spec->op),
        .is_heavy = ga__reduce_is_heavy(spec->map)};

    ga__reduce_plan_make(&j->plan, &j->space, caps, &work);
    choose_steps(j);
    GA_TRY(check_params(j));
  }
  GpuLaunch *l =
      ga__launch_open(j->r->ctx, ga__reduce_op_name(spec->op), j->n_ops);
  if (j->space.n_out > 0)
    add_launches(l, j);
  for (unsigned int k = 0; k < j->n_ops; k++) {
    if (op_array(j, k) == NULL)
      continue;
    if (k < spec->n_in && j->steps[k] == GA_LANES_ALIGNED)
      ga__launch_require_align(l, k, j->plan.main.lanes * j->elsize[k]);
    ga__launch_bind_array(l, k, op_array(j, k));
  }
  add_cost(l, j);
  return ga__launch_seal(out, l);
}

int ga__reduction_prepare(GpuLaunch **out, GpuReduction *r, unsigned int nd,
                          const size_t *dims, const unsigned char *reduced,
                          void **in, void **post, const ptrdiff_t *positions) {
  job j = {.r = r,
           .nd = nd,
           .n_ops = r->spec.n_in + r->spec.n_post,
           .dims = dims,
           .reduced = reduced,
           .in = in,
           .post = post};
  int err;

  *out = NULL;
  GA_TRY(check_space(&j));
  GA_TRY(check_operands(&j));
  j.elsize = ga__calloc(j.n_ops, sizeof *j.elsize);
  j.steps = ga__calloc(j.n_ops, sizeof *j.steps);
  if (j.elsize == NULL || j.steps == NULL) {
    err = ga__fail_nomem();
    goto done;
  }
  GA_CHECK(make_space(&j, positions));
  GA_CHECK(build(out, &j));

done:
  ga__iter_clear(&j.space.kept);
  ga__iter_clear(&j.space.red);
  ga__free(j.elsize);
  ga__free(j.steps);
  return err;
}

int GpuReduction_prepare(GpuLaunch **out, GpuReduction *r, unsigned int nd,
                         const size_t *dims, const unsigned char *reduced,
                         void **in, void **post) {
  return ga__reduction_prepare(out, r, nd, dims, reduced, in, post, NULL);
}

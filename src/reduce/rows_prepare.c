/* SPDX-License-Identifier: BSD-2-Clause */
/* A row program's launches for one geometry. */
#include "array/arg_check.h"
#include "array/view.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "ocl/ocl.h"
#include "reduce/rows_parts.h"
#include "reduce/rows_plan.h"

/* Results from so many bytes on, which no cache keeps, gain by not being read
 * into them first; smaller vectors are not combined. */
#define STREAM_MIN ((size_t)32 << 20)
#define STREAM_VECTOR 32

/* What a preparation works on. Operands are the arguments, then the row
 * arguments. */
typedef struct job {
  const GpuRows *r;
  unsigned int nd, n_args, n_ops;
  const size_t *dims;
  const unsigned char *reduced;
  void **args, **row_args;
  size_t *elsize;
  ga__lane_step *steps; /* per argument */
  unsigned char *fixed; /* per argument */
  unsigned char *streams;
  unsigned int *works; /* per reduction */
  ga__space space;
  ga__rows_plan plan;
} job;

static const gpuelemwise_arg *op_arg(const job *j, unsigned int k) {
  const GpuRowsSpec *s = &j->r->spec;

  return k < s->n_args ? &s->args[k] : &s->row_args[k - s->n_args];
}

static void *op_pointer(const job *j, unsigned int k) {
  return k < j->n_args ? j->args[k] : j->row_args[k - j->n_args];
}

/* The array of operand k, NULL for a scalar. */
static const GpuArray *op_array(const job *j, unsigned int k) {
  return op_arg(j, k)->flags & GE_SCALAR ? NULL : op_pointer(j, k);
}

/* --- checks --- */

static int check_array(const job *j, unsigned int k, const GpuArray *a) {
  const gpuelemwise_arg *arg = op_arg(j, k);

  GA_TRY(ga__arg_check_array(j->r->ctx, arg, a));
  return ga__arg_check_sizes(arg, a, j->nd, j->dims,
                             k >= j->n_args ? j->reduced : NULL);
}

static int check_operands(const job *j) {
  for (unsigned int k = 0; k < j->n_ops; k++) {
    if (op_pointer(j, k) == NULL)
      return ga__fail(GA_VALUE_ERROR, "%s: missing", op_arg(j, k)->name);
    if (op_array(j, k) != NULL)
      GA_TRY(check_array(j, k, op_array(j, k)));
  }
  return GA_NO_ERROR;
}

/* Sizes of one of the two groups of axes, outermost first. */
static unsigned int pick_dims(const job *j, int is_reduced, size_t *out) {
  unsigned int n = 0;

  for (unsigned int d = 0; d < j->nd; d++) {
    if (!j->reduced[d] == !is_reduced)
      out[n++] = j->dims[d];
  }
  return n;
}

static int check_space(const job *j) {
  const GpuRowsSpec *s = &j->r->spec;
  size_t dims[GA_ND_MAX], n_out, n_red, total;

  if (j->nd > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, at most %d", j->nd,
                    GA_ND_MAX);
  GA_TRY(ga__dims_total(&total, j->nd, j->dims));
  unsigned int nd = pick_dims(j, 0, dims);
  GA_TRY(ga__dims_total(&n_out, nd, dims));
  nd = pick_dims(j, 1, dims);
  GA_TRY(ga__dims_total(&n_red, nd, dims));
  for (unsigned int i = 0; i < s->n_reduce && n_out > 0 && n_red == 0; i++) {
    if (s->reduce[i].op == GA_REDUCE_MAX || s->reduce[i].op == GA_REDUCE_MIN)
      return ga__fail(GA_VALUE_ERROR, "%s: the %s of no elements",
                      s->reduce[i].name,
                      s->reduce[i].op == GA_REDUCE_MAX ? "largest" : "least");
  }
  return GA_NO_ERROR;
}

/* --- the space --- */

static int make_group(const job *j, ga__iter *it, int is_reduced) {
  size_t dims[GA_ND_MAX];
  ptrdiff_t strides[GA_ND_MAX];
  const unsigned int nd = pick_dims(j, is_reduced, dims);

  /* Reductions have positions there; row programs have none. */
  GA_TRY(ga__iter_init(it, nd, dims, j->n_ops + (is_reduced ? 1 : 0)));
  for (unsigned int k = 0; k < j->n_ops; k++) {
    const GpuArray *a = op_array(j, k);
    unsigned int n = 0;

    for (unsigned int d = 0; a != NULL && d < j->nd; d++) {
      if (!j->reduced[d] == !is_reduced)
        strides[n++] = a->dimensions[d] == 1 ? 0 : a->strides[d];
    }
    if (a != NULL)
      ga__iter_set(it, k, strides);
  }
  return GA_NO_ERROR;
}

static int make_space(job *j) {
  ga__space *s = &j->space;

  s->n_in = j->n_args;
  s->n_ops = j->n_ops;
  s->elsize = j->elsize;
  for (unsigned int k = 0; k < j->n_ops; k++)
    j->elsize[k] =
        op_array(j, k) == NULL ? 0 : ga__dtype_size(op_arg(j, k)->typecode);
  GA_TRY(make_group(j, &s->kept, 0));
  GA_TRY(make_group(j, &s->red, 1));
  ga__space_fold(s);
  for (unsigned int k = 0; k < j->n_args; k++)
    j->fixed[k] = (unsigned char)ga__iter_is_fixed(&s->red, k);
  return GA_NO_ERROR;
}

/* --- the plan --- */

static size_t work_bytes(int typecode) {
  return ga__dtype_kind(typecode) == GA_KIND_BOOL
             ? sizeof(int32_t)
             : ga__dtype_size(ga__dtype_work(typecode));
}

static void add_needs(ga__rows_needs *n, int typecode, int is_kept,
                      int is_held) {
  const size_t bytes = work_bytes(typecode);

  if (bytes > n->widest)
    n->widest = bytes;
  n->kept_bytes += is_kept ? bytes : 0;
  n->held_bytes += is_held ? bytes : 0;
}

static void find_needs(const job *j, ga__rows_needs *n) {
  const GpuRowsSpec *s = &j->r->spec;

  *n = (ga__rows_needs){.lanes_ok = j->r->all.is_vector,
                        .widest = j->r->all.is_vector ? j->r->all.widest : 1};
  for (unsigned int i = 0; i < s->n_args; i++)
    add_needs(n, s->args[i].typecode, 0,
              !j->fixed[i] && ga__rows_is_held(s, i));
  for (unsigned int i = 0; i < s->n_kept; i++)
    add_needs(n, s->kept[i].typecode, 1, 1);
  for (unsigned int i = 0; i < s->n_reduce; i++)
    add_needs(n, s->reduce[i].acc, 0, 0);
}

/* Does every vector of `bytes` of argument k begin at a multiple of it? */
static int is_aligned(const job *j, unsigned int k, size_t bytes) {
  const ga__iter *const groups[2] = {&j->space.kept, &j->space.red};
  const ptrdiff_t unit = (ptrdiff_t)bytes;

  if (op_array(j, k)->offset % bytes != 0)
    return 0;
  for (int g = 0; g < 2; g++) {
    if (groups[g]->first[k] % unit != 0)
      return 0;
    for (unsigned int d = (unsigned int)g; d < groups[g]->nd; d++) {
      if (groups[g]->strides[k][d] % unit != 0)
        return 0;
    }
  }
  return 1;
}

static void choose_steps(job *j) {
  const ga__rows_shape *m = &j->plan.shape;
  const ga__iter *it = m->along ? &j->space.red : &j->space.kept;
  const int is_cpu = gpucontext_caps(j->r->ctx)->is_cpu;

  for (unsigned int k = 0; k < j->n_args; k++) {
    if (j->elsize[k] == 0)
      continue;
    j->steps[k] = ga__space_lane_step(&j->space, it, k);
    if (j->steps[k] == GA_LANES_NEXT && !is_cpu && m->lanes > 1 &&
        is_aligned(j, k, m->lanes * j->elsize[k]))
      j->steps[k] = GA_LANES_ALIGNED;
    j->streams[k] =
        is_cpu && (op_arg(j, k)->flags & GE_WRITE) &&
        j->steps[k] == GA_LANES_NEXT &&
        m->lanes * j->elsize[k] >= STREAM_VECTOR &&
        j->elsize[k] * j->space.n_out * j->space.n_red >= STREAM_MIN;
  }
}

/* Every argument takes 8 bytes at most. */
static int check_params(const job *j) {
  const size_t nk = j->space.kept.nd, nr = j->space.red.nd;
  const size_t n_works = j->plan.parts > 1 ? j->r->spec.n_reduce : 0;
  const size_t n = j->n_args * (2 + nk + nr) +
                   (j->n_ops - j->n_args) * (2 + nk) + nk + nr + n_works + 5;
  const size_t most = gpucontext_caps(j->r->ctx)->param_bytes;

  if (n * 8 > most)
    return ga__fail(GA_DEVSUP_ERROR,
                    "%zu bytes of kernel arguments, the device takes %zu",
                    n * 8, most);
  return GA_NO_ERROR;
}

static int make_plan(job *j) {
  ga__rows_needs needs;

  find_needs(j, &needs);
  ga__rows_plan_make(&j->plan, &j->space, gpucontext_caps(j->r->ctx), &needs);
  choose_steps(j);
  return check_params(j);
}

/* --- the launches --- */

static void add_operand(GpuLaunch *l, const job *j, unsigned int k) {
  const ga__space *s = &j->space;

  if (op_array(j, k) == NULL) {
    ga__launch_value(l, (int)k, ga__dtype_size(op_arg(j, k)->typecode),
                     op_pointer(j, k));
    return;
  }
  ga__launch_slot(l, k);
  ga__launch_offset(l, k, (size_t)(s->kept.first[k] + s->red.first[k]));
  for (unsigned int d = 0; d < s->kept.nd; d++)
    ga__launch_ssize(l, s->kept.strides[k][d]);
  for (unsigned int d = 0; k < j->n_args && d < s->red.nd; d++)
    ga__launch_ssize(l, s->red.strides[k][d]);
}

static unsigned int phase_of(const job *j, unsigned int reduction) {
  return ga__rows_map_phase(&j->r->spec, j->r->spec.reduce[reduction].name);
}

/* Results of parts: a new workspace for those of phase `now`. */
static void add_works(GpuLaunch *l, job *j, unsigned int now) {
  const GpuRowsSpec *s = &j->r->spec;

  for (unsigned int i = 0; i < s->n_reduce; i++) {
    const unsigned int phase = phase_of(j, i);

    if (phase < now)
      ga__launch_work_arg(l, j->works[i]);
    else if (phase == now)
      j->works[i] = ga__launch_work(
          l, j->plan.parts * j->space.n_out *
                 ga__dtype_size(ga__reduce_acc_dtype(s->reduce[i].acc)));
  }
}

static void add_kernel(GpuLaunch *l, const job *j, unsigned int now,
                       size_t parts) {
  const ga__space *s = &j->space;
  const size_t gs[2] = {j->plan.gs[0], parts};
  const ga__gen_rows g = {.spec = &j->r->spec,
                          .boolean = j->r->all.boolean,
                          .shape = j->plan.shape,
                          .nk = s->kept.nd,
                          .nr = s->red.nd,
                          .steps = j->steps,
                          .fixed = j->fixed,
                          .streams = j->streams,
                          .wide_index =
                              s->n_out > INT32_MAX || s->n_red > INT32_MAX,
                          .split = j->plan.parts > 1,
                          .now = now};
  ga__rows_text t;
  const int err = ga__gen_rows_write(&t, &g);

  if (err != GA_NO_ERROR) {
    ga__launch_error(l, err);
  } else {
    const ga__source src = {.n = t.n, .parts = t.parts, .entry = "rows"};
    ga__launch_kernel(l, &src, 2, gs, j->plan.ls);
  }
  ga__rows_text_clear(&t);
}

static void add_launch(GpuLaunch *l, job *j, unsigned int now, size_t parts) {
  const ga__space *s = &j->space;

  ga__launch_rounds(
      l, ga__rows_plan_rounds(&j->plan,
                              j->plan.parts > 1 ? 1 : j->r->spec.n_phases));
  add_kernel(l, j, now, parts);
  for (unsigned int k = 0; k < j->n_ops; k++)
    add_operand(l, j, k);
  for (unsigned int d = 0; d < s->kept.nd; d++)
    ga__launch_size(l, s->kept.dims[d]);
  for (unsigned int d = 0; d < s->red.nd; d++)
    ga__launch_size(l, s->red.dims[d]);
  if (j->plan.parts > 1)
    add_works(l, j, now);
  ga__launch_size(l, s->n_out);
  ga__launch_size(l, s->n_red);
  ga__launch_size(l, j->plan.per_item);
  ga__launch_size(l, j->plan.chunk);
  ga__launch_size(l, j->plan.parts);
}

/* Is there something to do once all parts of the last phase are done? */
static int has_end(const job *j) {
  const GpuRowsSpec *s = &j->r->spec;

  for (unsigned int i = 0; i < s->n_reduce; i++) {
    if (phase_of(j, i) + 1 == s->n_phases)
      return 1;
  }
  return s->phases[s->n_phases - 1].post != NULL;
}

/* One launch, or one per phase and one for the last post. */
static void add_launches(GpuLaunch *l, job *j) {
  const unsigned int n = j->r->spec.n_phases;

  if (j->plan.parts == 1) {
    add_launch(l, j, 0, 1);
    return;
  }
  for (unsigned int p = 0; p < n; p++)
    add_launch(l, j, p, j->plan.parts);
  if (has_end(j))
    add_launch(l, j, n, 1);
}

/* What must be read and written: everything once. */
static void add_cost(GpuLaunch *l, const job *j) {
  const ga__space *s = &j->space;
  double bytes = 0;

  for (unsigned int k = 0; k < j->n_ops; k++)
    bytes += (double)j->elsize[k] * (double)ga__iter_visits(&s->kept, k) *
             (double)ga__iter_visits(&s->red, k);
  ga__launch_cost(l, bytes,
                  (double)s->n_out * (double)s->n_red *
                      (double)(j->r->all.n_ops + 1));
}

static int build(GpuLaunch **out, job *j) {
  if (j->space.n_out > 0)
    GA_TRY(make_plan(j));
  GpuLaunch *l = ga__launch_open(j->r->ctx, "rows", j->n_ops);
  if (j->space.n_out > 0)
    add_launches(l, j);
  for (unsigned int k = 0; k < j->n_ops; k++) {
    if (op_array(j, k) == NULL)
      continue;
    if (k < j->n_args && j->steps[k] == GA_LANES_ALIGNED)
      ga__launch_require_align(l, k, j->plan.shape.lanes * j->elsize[k]);
    ga__launch_bind_array(l, k, op_array(j, k));
  }
  add_cost(l, j);
  return ga__launch_seal(out, l);
}

int GpuRows_prepare(GpuLaunch **out, GpuRows *r, unsigned int nd,
                    const size_t *dims, const unsigned char *reduced,
                    void **args, void **row_args) {
  job j = {.r = r,
           .nd = nd,
           .n_args = r->spec.n_args,
           .n_ops = r->spec.n_args + r->spec.n_row_args,
           .dims = dims,
           .reduced = reduced,
           .args = args,
           .row_args = row_args};
  int err;

  *out = NULL;
  GA_TRY(check_space(&j));
  GA_TRY(check_operands(&j));
  j.elsize = ga__calloc(j.n_ops, sizeof *j.elsize);
  j.steps = ga__calloc(j.n_args, sizeof *j.steps);
  j.fixed = ga__calloc(j.n_args, 1);
  j.streams = ga__calloc(j.n_args, 1);
  j.works = ga__calloc(r->spec.n_reduce, sizeof *j.works);
  if (j.elsize == NULL || j.steps == NULL || j.fixed == NULL ||
      j.streams == NULL || j.works == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(make_space(&j));
  GA_CHECK(build(out, &j));

done:
  ga__iter_clear(&j.space.kept);
  ga__iter_clear(&j.space.red);
  ga__free(j.elsize);
  ga__free(j.steps);
  ga__free(j.fixed);
  ga__free(j.streams);
  ga__free(j.works);
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares the launches of a reduction for one geometry. */
#include "array/operands.h"
#include "base/dtype.h"
#include "codegen/gen_reduce.h"
#include "ocl/ocl.h"
#include "reduce/reduce.h"
#include "reduce/row_job.h"

/* A preparation. Operands are the inputs, then the post arguments. */
typedef struct job {
  const GpuReduction *r;
  ga__row_job row;
  ga__reduce_layout layout;
} job;

/* Whether vectors may be loaded as aligned ones. They are not if the last
 * vector of a row of columns is moved back, or if a part may begin in the
 * middle of a run. */
static int may_align(const job *j) {
  const ga__space *s = &j->row.space;
  const size_t lanes = j->layout.main.lanes;

  if (gpucontext_caps(j->r->args.ctx)->is_cpu)
    return 0;
  if (j->layout.main.kernel == GA_REDUCE_COL)
    return s->kept.dims[0] % lanes == 0;
  return j->layout.cut.parts == 1 || s->red.nd == 1 ||
         s->red.dims[0] % lanes == 0;
}

/* --- launches --- */

static void add_inputs(GpuLaunch *l, const job *j) {
  const ga__space *s = &j->row.space;

  for (unsigned int k = 0; k < s->n_in; k++)
    ga__row_job_add(l, &j->row, k);
  ga__row_job_add_sizes(l, &s->kept);
  ga__row_job_add_sizes(l, &s->red);
  if (!ga__reduce_is_arg(j->r->spec.op) || s->in_order)
    return;
  ga__launch_ssize(l, s->red.first[s->n_ops]);
  for (unsigned int d = 0; d < s->red.nd; d++)
    ga__launch_ssize(l, s->red.strides[s->n_ops][d]);
}

static void add_outputs(GpuLaunch *l, const job *j) {
  ga__row_job_add_sizes(l, &j->row.space.kept);
  for (unsigned int k = j->r->args.n_whole; k < j->r->args.n; k++)
    ga__row_job_add(l, &j->row, k);
}

static void key_of(ga__launch_key *key, const job *j,
                   const ga__reduce_shape *shape) {
  ga__row_job_key(key, &j->row, "reduce");
  ga__launch_key_bytes(key, shape, sizeof *shape);
  ga__launch_key_number(key, j->layout.cut.parts > 1);
  ga__launch_key_number(key, (size_t)j->row.space.in_order);
}

static void write_kernel(GpuLaunch *l, const job *j,
                         const ga__reduce_shape *shape,
                         const ga__launch_key *key, const size_t *gs,
                         const size_t *ls) {
  const int is_final = shape->kernel == GA_REDUCE_FINAL;
  const ga__gen_reduce g = {.spec = &j->r->spec,
                            .boolean = j->r->map.boolean,
                            .shape = *shape,
                            .nk = j->row.space.kept.nd,
                            .nr = j->row.space.red.nd,
                            .steps = j->row.steps,
                            .parts = !is_final && j->layout.cut.parts > 1,
                            .wide_index = ga__space_is_wide(&j->row.space),
                            .in_order = j->row.space.in_order};
  ga__reduce_text t;
  const int err = ga__gen_reduce_write(&t, &g);

  if (err != GA_NO_ERROR) {
    ga__launch_error(l, err);
  } else {
    const ga__source src = {.n = t.n, .parts = t.parts, .entry = t.entry};
    ga__launch_kernel(l, &src, is_final ? 1 : 2, gs, ls);
    ga__launch_remember(l, key);
  }
  ga__reduce_text_clear(&t);
}

static void add_kernel(GpuLaunch *l, const job *j,
                       const ga__reduce_shape *shape, const size_t *gs,
                       const size_t *ls) {
  ga__launch_key key;

  key_of(&key, j, shape);
  if (!ga__launch_again(l, &key, shape->kernel == GA_REDUCE_FINAL ? 1 : 2, gs,
                        ls))
    write_kernel(l, j, shape, &key, gs, ls);
}

/* Add one launch for everything, or one for all parts and one that combines
 * them. */
static void add_launches(GpuLaunch *l, const job *j) {
  const ga__reduce_layout *p = &j->layout;
  const ga__space *s = &j->row.space;
  const int is_arg = ga__reduce_is_arg(j->r->spec.op);
  const int is_moments = ga__reduce_is_moments(j->r->spec.op);
  const size_t size = ga__dtype_size(ga__reduce_acc_dtype(j->r->spec.acc));
  const size_t n = p->cut.parts * s->n_out * j->r->spec.n_acc;
  unsigned int values = 0, seconds = 0;

  add_kernel(l, j, &p->main, p->gs, p->ls);
  add_inputs(l, j);
  if (p->cut.parts == 1) {
    add_outputs(l, j);
  } else {
    values = ga__launch_work(l, n * size);
    if (is_arg)
      seconds = ga__launch_work(l, n * (ga__space_is_wide(s) ? 8 : 4));
    else if (is_moments)
      seconds = ga__launch_work(l, (2 * n + p->cut.parts) * size);
  }
  ga__launch_size(l, s->n_out);
  ga__launch_size(l, s->n_red);
  ga__launch_size(l, p->rows);
  ga__launch_size(l, p->cut.chunk);
  if (p->cut.parts == 1)
    return;
  add_kernel(l, j, &p->final, &p->final_gs, &p->final_ls);
  ga__launch_work_arg(l, values);
  if (is_arg || is_moments)
    ga__launch_work_arg(l, seconds);
  add_outputs(l, j);
  ga__launch_size(l, s->n_out);
  ga__launch_size(l, p->cut.parts);
  ga__launch_size(l, p->final_rows);
}

static int choose_layout(job *j) {
  const GpuReductionSpec *spec = &j->r->spec;
  ga__row_job *row = &j->row;
  const ga__space *s = &row->space;
  const ga__reduce_work work = {
      .acc_bytes = ga__dtype_size(ga__reduce_acc_dtype(spec->acc)),
      .n_acc = spec->n_acc,
      .lanes_ok = j->r->map.is_vector ||
                  (j->r->is_pairs && gpucontext_caps(j->r->args.ctx)->is_cpu),
      .is_pairs = j->r->is_pairs,
      .is_arg = ga__reduce_is_arg(spec->op),
      .is_moments = ga__reduce_is_moments(spec->op),
      .is_heavy = j->r->is_heavy};

  ga__reduce_layout_make(&j->layout, s, gpucontext_caps(j->r->args.ctx), &work);
  ga__row_job_choose_steps(
      row, j->layout.main.kernel == GA_REDUCE_COL ? &s->kept : &s->red,
      j->layout.main.lanes, may_align(j));
  return ga__row_job_check_params(
      row, j->layout.cut.parts == 1 ? row->args->n : s->n_in,
      2 * s->kept.nd + 2 * s->red.nd + 7);
}

static int build(GpuLaunch **out, job *j) {
  const ga__row_job *row = &j->row;

  GA_TRY(ga__row_job_check_some(row, "accumulator", j->r->spec.op));
  if (row->space.n_out > 0)
    GA_TRY(choose_layout(j));
  GpuLaunch *l = ga__launch_open(
      j->r->args.ctx, ga__reduce_op_name(j->r->spec.op), row->args->n);
  if (row->space.n_out > 0)
    add_launches(l, j);
  ga__row_job_bind(l, row, j->layout.main.lanes, j->r->map.n_ops, 1);
  return ga__launch_seal(out, l);
}

int ga__reduction_prepare(GpuLaunch **out, GpuReduction *r, unsigned int nd,
                          const size_t *dims, const unsigned char *reduced,
                          void **in, void **post, const ptrdiff_t *positions) {
  job j; /* the room in it need not be zeroed */
  int err;

  *out = NULL;
  j.r = r;
  j.layout = (ga__reduce_layout){.rows = 0};
  GA_CHECK(ga__row_job_init(&j.row, &r->args, in, post, nd, dims, reduced,
                            positions));
  GA_CHECK(ga__operands_check_apart(r->args.n, r->args.list, j.row.values));
  GA_CHECK(build(out, &j));

done:
  ga__row_job_clear(&j.row);
  return err;
}

int GpuReduction_prepare(GpuLaunch **out, GpuReduction *r, unsigned int nd,
                         const size_t *dims, const unsigned char *reduced,
                         void **in, void **post) {
  return ga__reduction_prepare(out, r, nd, dims, reduced, in, post, NULL);
}

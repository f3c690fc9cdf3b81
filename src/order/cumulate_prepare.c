/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares the launches of a cumulation for one geometry. */
#include <gpuarray/device.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_cumulate.h"
#include "ocl/launch/launch_chain.h"
#include "ocl/ocl.h"
#include "order/cumulate.h"
#include "order/cumulate_op.h"

/* A preparation. The axis is the reduced dimension of the space. */
typedef struct job {
  const GpuCumulation *c;
  void **values;          /* of the arguments; borrowed */
  size_t *elsize;         /* per argument, 0 for scalars; owned */
  ga__lane_step *steps;   /* per argument, along the lanes; owned */
  unsigned char *streams; /* per argument: stores bypass the caches; owned */
  ga__space space;
  int flags;
  ga__cumulate_layout layout;
} job;

static const GpuArray *array_of(const job *j, unsigned int k) {
  return ga__arg_is_scalar(&j->c->args[k]) ? NULL : j->values[k];
}

/* --- the space --- */

/* Check argument k, and set its strides in the space. */
static int place(job *j, unsigned int k, unsigned int nd, const size_t *dims,
                 unsigned int axis) {
  const gpuelemwise_arg *arg = &j->c->args[k];
  ptrdiff_t strides[GA_ND_MAX], kept[GA_ND_MAX];
  unsigned int n = 0;

  GA_TRY(ga__operand_check(arg, j->values[k], j->c->ctx));
  if (ga__arg_is_scalar(arg))
    return GA_NO_ERROR;
  j->elsize[k] = ga__dtype_size(arg->typecode);
  GA_TRY(ga__operand_place(strides, arg->name, j->values[k], nd, dims,
                           ga__arg_is_written(arg) ? 0 : GA_MAY_REPEAT));
  for (unsigned int d = 0; d < nd; d++) {
    if (d != axis)
      kept[n++] = strides[d];
  }
  ga__iter_set(&j->space.kept, k, kept);
  ga__iter_set(&j->space.red, k, &strides[axis]);
  return GA_NO_ERROR;
}

/* The first written argument. It repeats no elements, so it has a stride in
 * every dimension. */
static unsigned int leading_arg(const job *j) {
  unsigned int k = 0;

  while (!ga__arg_is_written(&j->c->args[k]))
    k++;
  return k;
}

/* If the leading argument runs backwards in memory along the axis, walk the
 * axis from its other end. */
static void turn_axis(job *j) {
  ga__iter *it = &j->space.red;

  if (it->dims[0] < 2 || it->strides[j->space.lead][0] >= 0)
    return;
  j->flags ^= GA_CUMULATE_REVERSED;
  for (unsigned int k = 0; k < it->n; k++) {
    it->first[k] += it->strides[k][0] * (ptrdiff_t)(it->dims[0] - 1);
    it->strides[k][0] = -it->strides[k][0];
  }
}

static void fold_space(job *j) {
  ga__space *s = &j->space;

  s->n_in = s->n_ops = j->c->spec.n_args;
  s->elsize = j->elsize;
  s->lead = leading_arg(j);
  ga__iter_order(&s->kept, s->lead);
  ga__iter_merge(&s->kept);
  if (s->kept.nd == 0) {
    s->kept.nd = 1;
    s->kept.dims[0] = 1;
    for (unsigned int k = 0; k < s->n_ops; k++)
      s->kept.strides[k][0] = 0;
  }
  s->n_out = ga__iter_total(&s->kept);
  s->n_red = s->red.dims[0];
  turn_axis(j);
}

static int job_init(job *j, unsigned int nd, const size_t *dims,
                    unsigned int axis) {
  const unsigned int n = j->c->spec.n_args;
  size_t kept[GA_ND_MAX], total;
  unsigned int n_kept = 0;

  if (nd > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, at most %d", nd, GA_ND_MAX);
  if (axis >= nd)
    return ga__fail(GA_VALUE_ERROR, "axis %u of %u dimensions", axis, nd);
  if (j->flags & ~(GA_CUMULATE_EXCLUSIVE | GA_CUMULATE_REVERSED))
    return ga__fail(GA_VALUE_ERROR, "flags %#x are not known", j->flags);
  GA_TRY(ga__dims_total(&total, nd, dims));
  for (unsigned int d = 0; d < nd; d++) {
    if (d != axis)
      kept[n_kept++] = dims[d];
  }
  GA_TRY(ga__dims_total(&total, n_kept, kept));
  GA_TRY(ga__iter_init(&j->space.kept, n_kept, kept, n));
  GA_TRY(ga__iter_init(&j->space.red, 1, &dims[axis], n));
  j->elsize = ga__calloc(n, sizeof *j->elsize);
  j->steps = ga__calloc(n, sizeof *j->steps);
  j->streams = ga__calloc(n, sizeof *j->streams);
  if (j->elsize == NULL || j->steps == NULL || j->streams == NULL)
    return ga__fail_nomem();
  for (unsigned int k = 0; k < n; k++)
    GA_TRY(place(j, k, nd, dims, axis));
  fold_space(j);
  return ga__operands_check_apart(n, j->c->args, j->values);
}

static void job_clear(job *j) {
  ga__iter_clear(&j->space.kept);
  ga__iter_clear(&j->space.red);
  ga__free(j->elsize);
  ga__free(j->steps);
  ga__free(j->streams);
}

/* --- the layout --- */

static int choose_layout(job *j) {
  const GpuCumulationSpec *spec = &j->c->spec;
  const gpudevice_caps *caps = gpucontext_caps(j->c->ctx);
  const ga__space *s = &j->space;
  ga__cumulate_work work = {.lanes_ok = j->c->all.is_vector,
                            .widest = j->c->all.widest,
                            .total_time = ga__cumulate_op_total_time(spec->op)};

  for (unsigned int i = 0; i < spec->n_values; i++)
    work.value_bytes += ga__dtype_size(spec->values[i].typecode);
  ga__cumulate_layout_make(&j->layout, s, caps, &work);
  for (unsigned int k = 0; k < spec->n_args; k++) {
    j->steps[k] = ga__space_lane_step(
        s, j->layout.shape.kernel == GA_CUMULATE_COL ? &s->kept : &s->red, k);
    j->streams[k] =
        caps->is_cpu && ga__arg_is_written(&spec->args[k]) &&
        ga__space_is_streamed(s, k, j->steps[k], j->layout.shape.lanes);
  }
  const size_t n_args =
      spec->n_args * (3 + (size_t)s->kept.nd) + s->kept.nd + 5 + spec->n_values;
  if (n_args * 8 > caps->param_bytes)
    return ga__fail(GA_DEVSUP_ERROR,
                    "%zu bytes of kernel arguments, the device takes %zu",
                    n_args * 8, caps->param_bytes);
  return GA_NO_ERROR;
}

/* --- launches --- */

static void add_arg(GpuLaunch *l, const job *j, unsigned int k) {
  const ga__space *s = &j->space;

  if (array_of(j, k) == NULL) {
    ga__launch_value(l, (int)k, ga__dtype_size(j->c->args[k].typecode),
                     j->values[k]);
    return;
  }
  ga__launch_slot(l, k);
  ga__launch_offset(l, k, (size_t)(s->kept.first[k] + s->red.first[k]));
  for (unsigned int d = 0; d < s->kept.nd; d++)
    ga__launch_ssize(l, s->kept.strides[k][d]);
  ga__launch_ssize(l, s->red.strides[k][0]);
}

static void add_source(GpuLaunch *l, const job *j, ga__cumulate_pass pass) {
  const ga__gen_cumulate g = {.spec = &j->c->spec,
                              .boolean = j->c->all.boolean,
                              .shape = j->layout.shape,
                              .pass = pass,
                              .flags = j->flags,
                              .nk = j->space.kept.nd,
                              .steps = j->steps,
                              .streams = j->streams,
                              .wide_index = ga__space_is_wide(&j->space)};
  ga__cumulate_text t;
  const int err = ga__gen_cumulate_write(&t, &g);

  if (err != GA_NO_ERROR) {
    ga__launch_error(l, err);
  } else {
    const ga__source src = {.n = t.n, .parts = t.parts, .entry = t.entry};
    ga__launch_kernel(l, &src, 2, j->layout.gs, j->layout.ls);
  }
  ga__cumulate_text_clear(&t);
}

/* Totals and sums of cl/chain.cl. Returns their workspace. */
static unsigned int add_slots(GpuLaunch *l, const job *j) {
  const size_t slots = ga__times(2 * j->layout.cut.parts, j->space.n_out);

  return ga__launch_chain_slots(
      l, j->c->ctx, ga__times(slots, ga__cumulate_granules(&j->c->spec)));
}

/* works[i] is the workspace of value i, [parts][rows]. The pass TOTALS makes
 * it. */
static void add_pass(GpuLaunch *l, const job *j, ga__cumulate_pass pass,
                     unsigned int *works) {
  const GpuCumulationSpec *spec = &j->c->spec;
  const ga__cumulate_layout *p = &j->layout;
  const unsigned int slots = pass == GA_CUMULATE_CHAIN ? add_slots(l, j) : 0;

  ga__launch_rounds(l, ga__cumulate_layout_rounds(p));
  add_source(l, j, pass);
  for (unsigned int k = 0; k < spec->n_args; k++)
    add_arg(l, j, k);
  for (unsigned int d = 0; d < j->space.kept.nd; d++)
    ga__launch_size(l, j->space.kept.dims[d]);
  ga__launch_size(l, j->space.n_out);
  ga__launch_size(l, j->space.n_red);
  ga__launch_size(l, p->per);
  if (ga__cumulate_is_headed(&p->shape))
    ga__launch_size(l, p->head);
  ga__launch_size(l, p->cut.chunk);
  for (unsigned int i = 0; i < spec->n_values; i++) {
    if (pass == GA_CUMULATE_TOTALS)
      works[i] = ga__launch_work(
          l, ga__times(p->cut.parts * ga__dtype_size(spec->values[i].typecode),
                       j->space.n_out));
    else if (pass == GA_CUMULATE_PARTS)
      ga__launch_work_arg(l, works[i]);
  }
  if (pass == GA_CUMULATE_CHAIN)
    ga__launch_work_arg(l, slots);
}

static void add_cost(GpuLaunch *l, const job *j) {
  const ga__space *s = &j->space;
  double bytes = 0;

  for (unsigned int k = 0; k < j->c->spec.n_args; k++) {
    const int flags = j->c->args[k].flags;
    const int times = !!(flags & GE_READ) + !!(flags & GE_WRITE);

    bytes += times * (double)j->elsize[k] *
             (double)ga__iter_visits(&s->kept, k) *
             (double)ga__iter_visits(&s->red, k);
  }
  ga__launch_cost(l, bytes,
                  (double)s->n_out * (double)s->n_red *
                      (double)(j->c->all.n_ops + 1));
}

static int build(GpuLaunch **out, job *j) {
  const int is_empty = j->space.n_out == 0 || j->space.n_red == 0;
  unsigned int works[GPUCUMULATION_MAX_VALUES];

  if (!is_empty)
    GA_TRY(choose_layout(j));
  GpuLaunch *l = ga__launch_open(j->c->ctx, ga__cumulate_op_name(j->c->spec.op),
                                 j->c->spec.n_args);
  if (!is_empty && j->layout.cut.parts == 1) {
    add_pass(l, j, GA_CUMULATE_WHOLE, works);
  } else if (!is_empty && j->layout.shape.is_chain) {
    add_pass(l, j, GA_CUMULATE_CHAIN, works);
  } else if (!is_empty) {
    add_pass(l, j, GA_CUMULATE_TOTALS, works);
    add_pass(l, j, GA_CUMULATE_PARTS, works);
  }
  for (unsigned int k = 0; k < j->c->spec.n_args; k++) {
    if (array_of(j, k) != NULL)
      ga__launch_bind_array(l, k, array_of(j, k));
  }
  add_cost(l, j);
  return ga__launch_seal(out, l);
}

int GpuCumulation_prepare(GpuLaunch **out, GpuCumulation *c, unsigned int nd,
                          const size_t *dims, unsigned int axis, int flags,
                          void **args) {
  job j = {.c = c, .values = args, .flags = flags};
  int err;

  *out = NULL;
  GA_CHECK(job_init(&j, nd, dims, axis));
  GA_CHECK(build(out, &j));

done:
  job_clear(&j);
  return err;
}

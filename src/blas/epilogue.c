/* SPDX-License-Identifier: BSD-2-Clause */
/* Epilogues of products: their source in a kernel, and their arguments. */
#include "blas/epilogue.h"

#include "base/alloc.h"
#include "base/dtype.h"
#include "codegen/gen_epilogue.h"
#include "codegen/template.h"

unsigned int ga__epilogue_count(const ga__epilogue *e) {
  return e != NULL ? e->spec->n_args + ga__epilogue_count(e->sum) : 0;
}

/* Bind the arrays among the arguments of `e` to the slots from `first` on. */
static void bind_from(GpuLaunch *l, const ga__epilogue *e, unsigned int first) {
  for (unsigned int k = 0; k < e->spec->n_args; k++) {
    const GpuArray a = {.data = e->args[k].buf, .offset = e->args[k].off};

    if (e->args[k].value == NULL)
      ga__launch_bind_array(l, first + k, &a);
  }
}

void ga__epilogue_bind(GpuLaunch *l, const ga__epilogue *e) {
  if (e == NULL)
    return;
  bind_from(l, e, GA_EPILOGUE_SLOT);
  if (e->sum != NULL)
    bind_from(l, e->sum, GA_EPILOGUE_SLOT + e->spec->n_args);
}

/* --- source --- */

/* Bytes from one element of argument k to the next one in a row, or in a
 * column, of the kernel's result. */
static ptrdiff_t along_row(const ga__ending *end, unsigned int k) {
  const ga__epilogue_arg *a = &end->epilogue->args[k];

  return end->turned ? a->rs : a->cs;
}

static ptrdiff_t along_column(const ga__ending *end, unsigned int k) {
  const ga__epilogue_arg *a = &end->epilogue->args[k];

  return end->turned ? a->cs : a->rs;
}

static ga__lane_step step_of(const ga__ending *end, unsigned int k) {
  const ptrdiff_t step = along_row(end, k);
  const int typecode = end->epilogue->spec->args[k].typecode;

  if (step == 0)
    return GA_LANES_SAME;
  return step == (ptrdiff_t)ga__dtype_size(typecode) ? GA_LANES_NEXT
                                                     : GA_LANES_APART;
}

/* Nonzero if an argument of a product with a window has the same step between
 * all columns of an image, as C has where the kernel stores several at once. */
static int is_even(const ga__epilogue_arg *a, const ga__window *w) {
  ptrdiff_t step = a->cs;

  for (int t = 2; t >= !w->j_last; t--) {
    step *= (ptrdiff_t)w->j[t + 1];
    if (w->j[t] > 1 && a->others[2 - t] != step)
      return 0;
  }
  return 1;
}

/* Fill the steps. Returns 0 if elements must be stored one by one. */
static int find_steps(const ga__ending *end, ga__lane_step *steps) {
  const GpuEpilogue *s = end->epilogue->spec;

  for (unsigned int k = 0; k < s->n_args; k++) {
    steps[k] = step_of(end, k);
    if ((s->args[k].flags & GE_WRITE) && steps[k] != GA_LANES_NEXT)
      return 0;
    if (end->window != NULL && !is_even(&end->epilogue->args[k], end->window))
      return 0;
  }
  return end->epilogue->expr.is_vector;
}

/* On GPUs, find the arguments whose rows begin at multiples of a vector of
 * end->lanes elements, so that these are loaded and stored at once. */
static void align_steps(GpuLaunch *l, const ga__ending *end,
                        ga__lane_step *steps) {
  for (unsigned int k = 0; k < end->epilogue->spec->n_args; k++) {
    const ga__epilogue_arg *a = &end->epilogue->args[k];
    const size_t bytes =
        end->lanes * ga__dtype_size(end->epilogue->spec->args[k].typecode);

    if (steps[k] != GA_LANES_NEXT || a->value != NULL || a->off % bytes != 0 ||
        along_column(end, k) % (ptrdiff_t)bytes != 0 ||
        a->bs % (ptrdiff_t)bytes != 0)
      continue;
    steps[k] = GA_LANES_ALIGNED;
    ga__launch_require_align(l, GA_EPILOGUE_SLOT + k, bytes);
  }
}

static ga__gen_epilogue describe_sum(const ga__epilogue *e) {
  if (e == NULL)
    return (ga__gen_epilogue){.text = NULL};
  return (ga__gen_epilogue){
      .text = e->expr.text, .n = e->spec->n_args, .args = e->spec->args};
}

static int write_text(GpuLaunch *l, ga__strb *b, const ga__ending *end,
                      int is_cpu) {
  const ga__epilogue *e = end->epilogue;
  const ga__gen_epilogue sum = describe_sum(e->sum);
  ga__gen_epilogue g = {.preamble = e->spec->preamble,
                        .text = e->expr.text,
                        .typecode = end->typecode,
                        .n = e->spec->n_args,
                        .args = e->spec->args,
                        .lanes = end->lanes,
                        .boolean = e->expr.boolean,
                        .axes = end->window != NULL ? 5 : 2,
                        .is_batch = e->is_batch,
                        .sum = e->sum != NULL ? &sum : NULL};
  ga__lane_step *steps = ga__calloc(g.n, sizeof *steps);

  if (steps == NULL)
    return ga__fail_nomem();
  g.steps = steps;
  if (!find_steps(end, steps))
    g.lanes = 1;
  if (g.lanes > 1 && !is_cpu && end->window == NULL)
    align_steps(l, end, steps);
  ga__gen_epilogue_text(b, &g);
  ga__free(steps);
  return b->err;
}

/* --- kernels --- */

void ga__ending_kernel(GpuLaunch *l, const char *name, const char *entry,
                       ga__strb *defines, const ga__ending *end,
                       unsigned int nd, const size_t *gs, const size_t *ls) {
  const int is_cpu = gpucontext_caps(end->ctx)->is_cpu;
  ga__strb epilogue = GA_STRB_INIT;
  int err = defines->err;

  if (err == GA_NO_ERROR && end->epilogue != NULL)
    err = write_text(l, &epilogue, end, is_cpu);
  const char *pairs =
      ga__dtype_is_complex(end->typecode) ? ga__template("complex_pairs") : "";
  const char *window = end->window != NULL ? ga__template("conv_window") : "";
  const char *parts[6] = {
      ga__strb_text(&epilogue),    ga__strb_text(defines), pairs, window,
      ga__template("product_put"), ga__template(name)};
  const ga__source src = {
      .n = 6, .parts = parts, .entry = entry, .ptx_target = end->ptx_target};
  if (err == GA_NO_ERROR && parts[5] == NULL)
    err = ga__fail(GA_IMPL_ERROR, "no template %s", name);
  if (err != GA_NO_ERROR)
    ga__launch_error(l, err);
  else
    ga__launch_kernel(l, &src, nd, gs, ls);
  ga__strb_clear(&epilogue);
  ga__strb_clear(defines);
}

/* Argument k of `e`: buffer and offset, or the value of a scalar. */
static void add_arg(GpuLaunch *l, const ga__epilogue *e, unsigned int k,
                    unsigned int slot) {
  const ga__epilogue_arg *a = &e->args[k];

  if (a->value != NULL) {
    ga__launch_value(l, (int)slot, ga__dtype_size(e->spec->args[k].typecode),
                     a->value);
    return;
  }
  ga__launch_slot(l, slot);
  ga__launch_offset(l, slot, (size_t)a->rel);
}

void ga__ending_args(GpuLaunch *l, const ga__ending *end) {
  const ga__epilogue *const e = end->epilogue;
  const unsigned int n = e != NULL ? e->spec->n_args : 0;

  for (unsigned int k = 0; k < n; k++) {
    add_arg(l, e, k, GA_EPILOGUE_SLOT + k);
    if (e->args[k].value != NULL)
      continue;
    ga__launch_ssize(l, along_column(end, k));
    ga__launch_ssize(l, along_row(end, k));
    for (int t = 0; end->window != NULL && t < 3; t++)
      ga__launch_ssize(l, e->args[k].others[t]);
    if (e->is_batch)
      ga__launch_ssize(l, e->args[k].bs);
  }
  for (unsigned int k = 0; k < ga__epilogue_count(e) - n; k++)
    add_arg(l, e->sum, k, GA_EPILOGUE_SLOT + n + k);
}

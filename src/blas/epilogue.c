/* SPDX-License-Identifier: BSD-2-Clause */
/* Epilogues of products: the source of kernels with them, and their
 * arguments. */
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

/* Bytes from one element of argument k to the next one along a row, and along a
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

/* Nonzero if the elements of an argument are equally far apart for all columns
 * that the kernel may store at once. With the channel as the first digit, these
 * are the columns of one image; otherwise all columns. */
static int is_even(const ga__epilogue_arg *a, const ga__window *w) {
  ptrdiff_t step = a->cs;

  for (int t = 2; t >= (w->j_last ? 0 : 1); t--) {
    step *= (ptrdiff_t)w->j[t + 1];
    if (w->j[t] > 1 && a->others[2 - t] != step)
      return 0;
  }
  return 1;
}

/* Set the step of each argument. Return 0 if elements must be stored one by
 * one. */
static int find_steps(const ga__ending *end, ga__lane_step *steps) {
  const GpuEpilogue *s = end->epilogue->spec;

  for (unsigned int k = 0; k < s->n_args; k++) {
    steps[k] = step_of(end, k);
    if ((s->args[k].flags & GE_WRITE) && steps[k] != GA_LANES_NEXT)
      return 0;
    if (end->window != NULL && !end->turned &&
        !is_even(&end->epilogue->args[k], end->window))
      return 0;
  }
  return end->epilogue->text->expr.is_vector;
}

static int others_align(const ga__epilogue_arg *a, ptrdiff_t bytes) {
  return a->others[0] % bytes == 0 && a->others[1] % bytes == 0 &&
         a->others[2] % bytes == 0;
}

/* Find the arguments whose rows begin at multiples of a vector of end->lanes
 * elements, so that GPUs load or store a vector at once. */
static void align_steps(GpuLaunch *l, const ga__ending *end,
                        ga__lane_step *steps) {
  for (unsigned int k = 0; k < end->epilogue->spec->n_args; k++) {
    const ga__epilogue_arg *a = &end->epilogue->args[k];
    const size_t bytes =
        end->lanes * ga__dtype_size(end->epilogue->spec->args[k].typecode);

    if (steps[k] != GA_LANES_NEXT || a->value != NULL || a->off % bytes != 0 ||
        a->rel % (ptrdiff_t)bytes != 0 ||
        along_column(end, k) % (ptrdiff_t)bytes != 0 ||
        a->bs % (ptrdiff_t)bytes != 0 ||
        (end->window != NULL && !others_align(a, (ptrdiff_t)bytes)))
      continue;
    steps[k] = GA_LANES_ALIGNED;
    ga__launch_require_align(l, GA_EPILOGUE_SLOT + k, bytes);
  }
}

/* What the generator needs of the epilogue of the sum. `e` may be NULL. */
static ga__gen_epilogue describe_sum(const ga__epilogue *e) {
  if (e == NULL)
    return (ga__gen_epilogue){.text = NULL};
  return (ga__gen_epilogue){
      .text = e->text->expr.text, .n = e->spec->n_args, .args = e->spec->args};
}

/* How a kernel accesses the arguments of an epilogue. */
typedef struct access {
  unsigned int lanes;   /* of the function for vectors; 1: there is none */
  ga__lane_step *steps; /* of each argument */
  ga__room room;
} access;

static int find_access(GpuLaunch *l, const ga__ending *end, access *a) {
  a->lanes = 1;
  a->steps = NULL;
  a->room.far = NULL;
  if (end->epilogue == NULL)
    return GA_NO_ERROR;
  a->steps =
      ga__room_take(&a->room, end->epilogue->spec->n_args, sizeof *a->steps);
  if (a->steps == NULL)
    return ga__fail_nomem();
  if (find_steps(end, a->steps))
    a->lanes = end->lanes;
  if (a->lanes > 1 && !gpucontext_caps(end->ctx)->is_cpu)
    align_steps(l, end, a->steps);
  return GA_NO_ERROR;
}

static void write_epilogue(ga__strb *b, const ga__ending *end,
                           const access *a) {
  const ga__epilogue *e = end->epilogue;
  const ga__gen_epilogue sum = describe_sum(e->sum);
  const ga__gen_epilogue g = {.preamble = e->spec->preamble,
                              .text = e->text->expr.text,
                              .typecode = end->typecode,
                              .n = e->spec->n_args,
                              .args = e->spec->args,
                              .lanes = a->lanes,
                              .boolean = e->text->expr.boolean,
                              .axes = end->window != NULL ? 5 : 2,
                              .is_batch = e->is_batch,
                              .steps = a->steps,
                              .sum = e->sum != NULL ? &sum : NULL};

  ga__gen_epilogue_text(b, &g);
}

/* --- kernels --- */

/* The key holds everything that the source depends on. */
static void key_of(ga__launch_key *key, const char *name, const char *entry,
                   const ga__gen_text *defines, const ga__ending *end,
                   const access *a) {
  const ga__epilogue *e = end->epilogue;

  ga__launch_key_start(key, end->ctx, name);
  ga__launch_key_text(key, entry);
  ga__launch_key_number(key, (size_t)end->typecode << 1 |
                                 (size_t)(end->is_none != 0));
  ga__launch_key_text(key, end->ptx_target);
  ga__launch_key_number(key, end->window != NULL
                                 ? 1 + (size_t)ga__window_is_small(end->window)
                                 : 0);
  ga__launch_key_number(key, defines->bytes);
  ga__launch_key_bytes(key, defines->gen, defines->bytes);
  ga__launch_key_number(key, e != NULL ? 1 + a->lanes : 0);
  if (e == NULL)
    return;
  ga__launch_key_bytes(key, e->text->hash, sizeof e->text->hash);
  ga__launch_key_number(key, (size_t)e->is_batch);
  ga__launch_key_bytes(key, a->steps, e->spec->n_args * sizeof *a->steps);
  if (e->sum != NULL)
    ga__launch_key_bytes(key, e->sum->text->hash, sizeof e->sum->text->hash);
}

static int write_kernel(GpuLaunch *l, const char *name, const char *entry,
                        const ga__gen_text *defines, const ga__ending *end,
                        const access *a, const ga__launch_key *key,
                        unsigned int nd, const size_t *gs, const size_t *ls) {
  ga__strb epilogue = GA_STRB_INIT, macros = GA_STRB_INIT;
  const char *const pairs =
      ga__dtype_is_complex(end->typecode) ? ga__template("complex_pairs") : "";
  const char *const window =
      end->window != NULL ? ga__template("conv_window") : "";
  const char *const put = end->is_none ? "" : ga__template("product_put");
  const char *const body = ga__template(name);
  int err;

  if (end->epilogue != NULL)
    write_epilogue(&epilogue, end, a);
  GA_CHECK(epilogue.err);
  defines->write(&macros, defines->gen);
  if (end->window != NULL)
    ga__gen_window_text(&macros, ga__window_is_small(end->window));
  GA_CHECK(macros.err);
  if (body == NULL)
    GA_CHECK(ga__fail(GA_IMPL_ERROR, "no template %s", name));
  const char *const parts[6] = {ga__strb_text(&epilogue),
                                ga__strb_text(&macros),
                                pairs,
                                window,
                                put,
                                body};
  const ga__source src = {
      .n = 6, .parts = parts, .entry = entry, .ptx_target = end->ptx_target};
  ga__launch_kernel(l, &src, nd, gs, ls);
  ga__launch_remember(l, key);
done:
  ga__strb_clear(&epilogue);
  ga__strb_clear(&macros);
  return err;
}

void ga__ending_kernel(GpuLaunch *l, const char *name, const char *entry,
                       const ga__gen_text *defines, const ga__ending *end,
                       unsigned int nd, const size_t *gs, const size_t *ls) {
  ga__launch_key key;
  access a;
  int err = find_access(l, end, &a);

  if (err == GA_NO_ERROR) {
    key_of(&key, name, entry, defines, end, &a);
    if (!ga__launch_again(l, &key, nd, gs, ls))
      err = write_kernel(l, name, entry, defines, end, &a, &key, nd, gs, ls);
  }
  if (err != GA_NO_ERROR)
    ga__launch_error(l, err);
  ga__room_drop(&a.room);
}

/* Add argument k of `e`: buffer and offset of an array, or the value of a
 * scalar. */
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

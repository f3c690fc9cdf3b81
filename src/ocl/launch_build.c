/* SPDX-License-Identifier: BSD-2-Clause */
/* Building a prepared launch. The first error sticks to it until it is sealed,
 * so callers need no checks in between. */
#include "ocl/launch_build.h"

#include "base/alloc.h"
#include "base/strb.h"
#include "ocl/context.h"
#include "ocl/launch_check.h"

GpuLaunch *ga__launch_open(gpucontext *ctx, const char *label,
                           unsigned int n_slots) {
  GpuLaunch *l = ga__calloc(1, sizeof *l);

  if (l == NULL)
    return NULL; /* ga__launch_seal reports it */
  l->ctx = ctx;
  ga__ctx_retain(ctx);
  l->n_slots = n_slots;
  l->label = ga__strdup(label);
  l->bufs = ga__calloc(n_slots + GA_OWN_SLOTS, sizeof *l->bufs);
  l->offs = ga__calloc(n_slots + GA_OWN_SLOTS, sizeof *l->offs);
  l->aligns = ga__calloc(n_slots + GA_OWN_SLOTS, sizeof *l->aligns);
  if (l->label == NULL || l->bufs == NULL || l->offs == NULL ||
      l->aligns == NULL)
    l->err = ga__fail_nomem();
  return l;
}

static int is_open(const GpuLaunch *l) {
  return l != NULL && l->err == GA_NO_ERROR;
}

void ga__launch_error(GpuLaunch *l, int err) {
  if (is_open(l))
    l->err = err;
}

static int join_source(char **out, const ga__source *src) {
  ga__strb b = GA_STRB_INIT;

  for (unsigned int i = 0; i < src->n; i++)
    ga__strb_append(&b, src->parts[i]);
  return ga__strb_take(&b, out);
}

/* Nonzero if launches that this thread prepares flush subnormals. */
static _Thread_local int flushes;

int GpuLaunch_flush_subnormals(int on) {
  const int before = flushes;

  flushes = on != 0;
  return before;
}

int ga__launch_flushes(const gpucontext *ctx) {
  return flushes && ctx->dev.caps.is_cpu;
}

static int add_kernel(GpuLaunch *l, const ga__source *src, unsigned int nd,
                      const size_t *gs, const size_t *ls) {
  ga__source built = *src;
  ga__step s = {.nd = nd, .has_ls = ls != NULL, .provider = "own"};
  int err;

  if (nd < 1 || nd > 3)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 1 to 3", nd);
  for (unsigned int i = 0; i < nd; i++) {
    s.gs[i] = gs[i];
    s.ls[i] = ls != NULL ? ls[i] : 0;
    s.is_empty |= gs[i] == 0;
  }
  GA_TRY(join_source(&s.source, src));
  built.flushes = ga__launch_flushes(l->ctx);
  GA_CHECK(ga__kernel_get(&s.kernel, l->ctx, &built));
  err = ga__vec_push(&l->steps, s);

done:
  if (err != GA_NO_ERROR)
    ga__step_clear(&s);
  return err;
}

void ga__launch_kernel(GpuLaunch *l, const ga__source *src, unsigned int nd,
                       const size_t *gs, const size_t *ls) {
  if (is_open(l))
    l->err = add_kernel(l, src, nd, gs, ls);
}

void ga__launch_call(GpuLaunch *l, GpuLaunch_fn fn, void *state,
                     const char *provider) {
  ga__step s = {.fn = fn, .state = state, .provider = provider};

  if (is_open(l))
    l->err = ga__vec_push(&l->steps, s);
  if (!is_open(l))
    ga__free(state);
}

/* The kernel to which arguments are added. Without one, returns NULL with an
 * error in the launch. */
static ga__step *open_step(GpuLaunch *l) {
  if (!is_open(l))
    return NULL;
  ga__step *s = l->steps.n > 0 ? &l->steps.v[l->steps.n - 1] : NULL;
  if (s != NULL && s->kernel != NULL)
    return s;
  l->err = ga__fail(GA_INVALID_ERROR, "an argument without a kernel");
  return NULL;
}

static int no_slot(const GpuLaunch *l, unsigned int slot) {
  return ga__fail(GA_INVALID_ERROR, "no slot %u, there are %u", slot,
                  l->n_slots);
}

static void add_slot_arg(GpuLaunch *l, ga__slot_arg a) {
  ga__step *s = open_step(l);

  if (s == NULL)
    return;
  l->err = ga__launch_check_arg(l, s, s->n_args,
                                a.kind == GA_ARG_BUFFER ? GA_ARG_IS_GLOBAL
                                                        : GA_ARG_IS_VALUE,
                                a.kind == GA_ARG_OFFSET ? GA_ULONG : -1);
  if (l->err != GA_NO_ERROR)
    return;
  if (a.slot >= l->n_slots + l->n_own) {
    l->err = no_slot(l, a.slot);
    return;
  }
  a.step = (unsigned int)(l->steps.n - 1);
  a.index = s->n_args++;
  l->err = ga__vec_push(&l->args, a);
}

void ga__launch_slot(GpuLaunch *l, unsigned int slot) {
  add_slot_arg(l, (ga__slot_arg){.kind = GA_ARG_BUFFER, .slot = slot});
}

void ga__launch_offset(GpuLaunch *l, unsigned int slot, size_t rel) {
  add_slot_arg(l,
               (ga__slot_arg){.kind = GA_ARG_OFFSET, .slot = slot, .rel = rel});
}

static void set_fixed(GpuLaunch *l, ga__arg_space space, int dtype,
                      size_t bytes, const void *v) {
  ga__step *s = open_step(l);

  if (s == NULL)
    return;
  l->err = ga__launch_check_arg(l, s, s->n_args, space, dtype);
  if (l->err == GA_NO_ERROR)
    l->err = GA_CL(clSetKernelArg(s->kernel, s->n_args++, bytes, v));
}

void ga__launch_size(GpuLaunch *l, size_t v) {
  cl_ulong arg = v;

  set_fixed(l, GA_ARG_IS_VALUE, GA_ULONG, sizeof arg, &arg);
}

void ga__launch_ssize(GpuLaunch *l, ptrdiff_t v) {
  cl_long arg = v;

  set_fixed(l, GA_ARG_IS_VALUE, GA_LONG, sizeof arg, &arg);
}

void ga__launch_uint(GpuLaunch *l, uint32_t v) {
  set_fixed(l, GA_ARG_IS_VALUE, GA_UINT, sizeof v, &v);
}

void ga__launch_int(GpuLaunch *l, int32_t v) {
  set_fixed(l, GA_ARG_IS_VALUE, GA_INT, sizeof v, &v);
}

void ga__launch_value(GpuLaunch *l, int slot, size_t bytes, const void *v) {
  GA_ASSERT(bytes <= 16);
  ga__step *s = open_step(l);

  if (s == NULL)
    return;
  l->err = GA_CL(clSetKernelArg(s->kernel, s->n_args, bytes, v));
  if (l->err != GA_NO_ERROR)
    return;
  if (slot < 0)
    s->n_args++;
  else
    add_slot_arg(l, (ga__slot_arg){.kind = GA_ARG_VALUE,
                                   .slot = (unsigned int)slot,
                                   .bytes = bytes});
}

void ga__launch_local(GpuLaunch *l, size_t bytes) {
  set_fixed(l, GA_ARG_IS_LOCAL, -1, bytes > 0 ? bytes : 1, NULL);
}

void ga__launch_work_arg(GpuLaunch *l, unsigned int work) {
  GA_ASSERT(!is_open(l) || work < l->works.n);
  if (is_open(l))
    set_fixed(l, GA_ARG_IS_GLOBAL, -1, sizeof(cl_mem), &l->works.v[work]->mem);
}

void ga__launch_none(GpuLaunch *l) {
  cl_mem none = NULL;

  set_fixed(l, GA_ARG_IS_GLOBAL, -1, sizeof none, &none);
}

gpudata *ga__launch_scratch(GpuLaunch *l, size_t bytes) {
  int err = GA_NO_ERROR;

  if (!is_open(l))
    return NULL;
  gpudata *d = gpudata_alloc(l->ctx, bytes, NULL, 0, &err);
  if (d != NULL && ga__vec_push(&l->works, d) != GA_NO_ERROR) {
    gpudata_release(d);
    d = NULL;
    err = GA_MEMORY_ERROR;
  }
  l->err = err;
  return d;
}

unsigned int ga__launch_work(GpuLaunch *l, size_t bytes) {
  if (ga__launch_scratch(l, bytes) == NULL)
    return 0;
  ga__launch_work_arg(l, (unsigned int)(l->works.n - 1));
  return (unsigned int)(l->works.n - 1);
}

void ga__launch_zeros(GpuLaunch *l, size_t bytes) {
  const unsigned int work = ga__launch_work(l, bytes);

  if (is_open(l))
    l->err = gpudata_memset(l->works.v[work], 0, 0);
}

void ga__launch_require_align(GpuLaunch *l, unsigned int slot, size_t bytes) {
  if (is_open(l) && slot < l->n_slots + l->n_own)
    l->aligns[slot] = bytes;
}

void ga__launch_cost(GpuLaunch *l, double bytes, double flops) {
  if (is_open(l)) {
    l->bytes += bytes;
    l->flops += flops;
  }
}

void ga__launch_rounds(GpuLaunch *l, size_t rounds) {
  if (!is_open(l) || rounds <= GA_ROUNDS_MAX || l->ctx->dev.caps.long_loops)
    return;
  l->err = ga__fail(GA_DEVSUP_ERROR,
                    "%zu iterations of a loop in %s, the device may end loops "
                    "after %d",
                    rounds, l->label, GA_ROUNDS_MAX);
}

void ga__launch_bind_array(GpuLaunch *l, unsigned int slot, const GpuArray *a) {
  if (!is_open(l))
    return;
  l->err = slot < l->n_slots ? ga__launch_check(l, slot, a->data, a->offset)
                             : no_slot(l, slot);
  if (l->err == GA_NO_ERROR)
    ga__launch_keep(l, slot, a->data, a->offset);
}

unsigned int ga__launch_own_slot(GpuLaunch *l, size_t bytes) {
  if (is_open(l) && l->n_own == GA_OWN_SLOTS)
    l->err = ga__fail(GA_INVALID_ERROR, "more than %d slots of its own",
                      GA_OWN_SLOTS);
  gpudata *d = ga__launch_scratch(l, bytes);
  if (d == NULL)
    return 0;
  l->bufs[l->n_slots + l->n_own] = d;
  return l->n_slots + l->n_own++;
}

/* --- sealing --- */

/* Sort the arguments by slot and fill l->first. Those of one slot keep their
 * order. */
static int sort_args(GpuLaunch *l) {
  const size_t n_slots = l->n_slots + l->n_own;
  ga__slot_arg *sorted = ga__calloc(l->args.n, sizeof *sorted);
  size_t *next = ga__calloc(n_slots + 2, sizeof *next);

  if (sorted == NULL || next == NULL) {
    ga__free(sorted);
    ga__free(next);
    return ga__fail_nomem();
  }
  for (size_t i = 0; i < l->args.n; i++)
    next[l->args.v[i].slot + 2]++;
  for (size_t k = 2; k < n_slots + 2; k++)
    next[k] += next[k - 1];
  for (size_t i = 0; i < l->args.n; i++)
    sorted[next[l->args.v[i].slot + 1]++] = l->args.v[i];
  ga__free(l->args.v);
  l->args.v = sorted;
  l->args.cap = l->args.n;
  l->first = next;
  return GA_NO_ERROR;
}

static int apply_bindings(GpuLaunch *l) {
  for (size_t i = 0; i < l->args.n; i++) {
    const ga__slot_arg *a = &l->args.v[i];

    if (a->kind == GA_ARG_VALUE)
      continue;
    GA_TRY(ga__launch_check(l, a->slot, l->bufs[a->slot], l->offs[a->slot]));
    GA_TRY(ga__slot_set(l, a, l->bufs[a->slot], l->offs[a->slot]));
  }
  return GA_NO_ERROR;
}

int ga__launch_seal(GpuLaunch **out, GpuLaunch *l) {
  *out = NULL;
  if (l == NULL)
    return ga__fail_nomem();
  int err = l->err != GA_NO_ERROR ? l->err : apply_bindings(l);
  if (err == GA_NO_ERROR)
    err = sort_args(l);
  if (err == GA_NO_ERROR)
    err = ga__launch_check_counts(l);
  if (err != GA_NO_ERROR) {
    GpuLaunch_free(l);
    return err;
  }
  *out = l;
  return GA_NO_ERROR;
}

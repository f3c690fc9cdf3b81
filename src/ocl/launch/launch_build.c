/* SPDX-License-Identifier: BSD-2-Clause */
/* Building a prepared launch. The first error sticks to it until it is sealed,
 * so callers need no checks in between. */
#include "ocl/launch/launch_build.h"

#include <string.h>

#include "base/alloc.h"
#include "base/strb.h"
#include "ocl/context.h"
#include "ocl/launch/launch_check.h"
#include "ocl/launch/launch_flush.h"
#include "ocl/launch/launch_renew.h"

GpuLaunch *ga__launch_open(gpucontext *ctx, const char *label,
                           unsigned int n_slots) {
  GpuLaunch *l = ga__launch_take(ctx, n_slots);

  if (l != NULL) {
    ga__launch_error(l, GpuLaunch_label(l, label));
    return l;
  }
  l = ga__calloc(1, sizeof *l);
  if (l == NULL)
    return NULL; /* ga__launch_seal reports it */
  l->ctx = ctx;
  ga__ctx_retain(ctx);
  l->n_slots = n_slots;
  l->err = GpuLaunch_label(l, label);
  l->bufs = ga__calloc(n_slots + GA_OWN_SLOTS, sizeof *l->bufs);
  l->offs = ga__calloc(n_slots + GA_OWN_SLOTS, sizeof *l->offs);
  l->aligns = ga__calloc(n_slots + GA_OWN_SLOTS, sizeof *l->aligns);
  l->bound = ga__calloc(n_slots + GA_OWN_SLOTS, sizeof *l->bound);
  if (l->bufs == NULL || l->offs == NULL || l->aligns == NULL ||
      l->bound == NULL)
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

static int join_source(ga__shared_text **out, const ga__source *src) {
  ga__strb b = GA_STRB_INIT;

  for (unsigned int i = 0; i < src->n; i++)
    ga__strb_append(&b, src->parts[i]);
  return ga__shared_text_take(out, &b);
}

static int add_kernel(GpuLaunch *l, const ga__source *src, unsigned int nd,
                      const size_t *gs, const size_t *ls) {
  ga__source built = *src;
  ga__step s = {.provider = "own"};
  int err;

  if (nd < 1 || nd > 3)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 1 to 3", nd);
  GA_TRY(ga__step_check(l->label, l->ctx->dev.size_max, nd, gs));
  ga__step_shape(&s, nd, gs, ls);
  GA_TRY(join_source(&s.source, src));
  built.flushes = ga__launch_flushes(l->ctx);
  GA_CHECK(ga__kernel_get(&s.kernel, l->ctx, &built));
  err = ga__vec_push(&l->steps, s);
  l->n_made++;

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

void ga__launch_provided(GpuLaunch *l, const char *provider) {
  if (is_open(l) && l->steps.n > 0)
    l->steps.v[l->steps.n - 1].provider = provider;
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

/* Make room for the value of the next argument, and compare its type with the
 * kernel's. A kernel that was taken over has the arguments that it had. */
static int begin_arg(const GpuLaunch *l, ga__step *s, ga__arg_space space,
                     int dtype) {
  if (s->n_args < s->values.n)
    return GA_NO_ERROR;
  GA_TRY(ga__launch_check_arg(l, s, s->n_args, space, dtype));
  return ga__vec_push(&s->values, (ga__arg_value){.bytes = 0});
}

/* While a launch that is renewed gets the arguments that it had, their list
 * stays. Nonzero if it has this one next. */
static int has_next(const GpuLaunch *l, const ga__slot_arg *a) {
  if (l->args.n >= l->n_same)
    return 0;
  const ga__slot_arg *was = &l->args.v[l->args.n];

  return was->kind == a->kind && was->slot == a->slot && was->step == a->step &&
         was->index == a->index && was->rel == a->rel && was->bytes == a->bytes;
}

static void add_slot(GpuLaunch *l, const ga__slot_arg *a) {
  if (has_next(l, a)) {
    l->args.n++;
    return;
  }
  l->n_same = 0;
  l->err = a->slot < l->n_slots + l->n_own ? ga__vec_push(&l->args, *a)
                                           : no_slot(l, a->slot);
}

/* Skip a buffer or an offset that a launch which is renewed has next: most
 * arguments of such a launch stay. */
static inline int holds_slot(GpuLaunch *l, ga__arg_kind kind, unsigned int slot,
                             size_t rel) {
  if (!is_open(l) || l->args.n >= l->n_same || l->steps.n == 0)
    return 0;
  ga__step *s = &l->steps.v[l->steps.n - 1];
  const ga__slot_arg *was = &l->args.v[l->args.n];
  if (was->kind != kind || was->slot != slot || was->rel != rel ||
      was->index != s->n_args || was->step != l->steps.n - 1 ||
      s->n_args >= s->values.n)
    return 0;
  l->args.n++;
  s->n_args++;
  return 1;
}

/* Add a buffer or an offset. */
static inline void add_slot_arg(GpuLaunch *l, ga__arg_kind kind,
                                unsigned int slot, size_t rel) {
  if (holds_slot(l, kind, slot, rel))
    return;
  ga__step *s = open_step(l);
  if (s == NULL)
    return;
  if (s->n_args >= s->values.n)
    l->err = kind == GA_ARG_BUFFER ? begin_arg(l, s, GA_ARG_IS_GLOBAL, -1)
                                   : begin_arg(l, s, GA_ARG_IS_VALUE, GA_ULONG);
  if (l->err != GA_NO_ERROR)
    return;
  const ga__slot_arg a = {.kind = kind,
                          .slot = slot,
                          .step = (unsigned int)(l->steps.n - 1),
                          .index = s->n_args++,
                          .rel = rel};
  add_slot(l, &a);
}

void ga__launch_slot(GpuLaunch *l, unsigned int slot) {
  add_slot_arg(l, GA_ARG_BUFFER, slot, 0);
}

void ga__launch_offset(GpuLaunch *l, unsigned int slot, size_t rel) {
  add_slot_arg(l, GA_ARG_OFFSET, slot, rel);
}

static void set_fixed(GpuLaunch *l, ga__arg_space space, int dtype,
                      const ga__arg_value *a, int may_keep) {
  ga__step *s = open_step(l);

  if (s == NULL)
    return;
  if (may_keep && ga__step_holds(s, s->n_args, a)) { /* most values stay */
    s->n_args++;
    return;
  }
  l->err = begin_arg(l, s, space, dtype);
  if (l->err == GA_NO_ERROR)
    l->err = ga__step_set(s, s->n_args++, a, may_keep);
}

/* Set a value of dtype `dtype`, or of any with -1. */
static void set_value(GpuLaunch *l, int dtype, ga__arg_value a) {
  set_fixed(l, GA_ARG_IS_VALUE, dtype, &a, 1);
}

/* Skip the next argument if the kernel holds this number of `bytes` bytes, 4 or
 * 8: most arguments of a launch that is renewed stay. */
static int holds_number(GpuLaunch *l, const void *number, size_t bytes) {
  ga__step *s;

  if (!is_open(l) || l->steps.n == 0)
    return 0;
  s = &l->steps.v[l->steps.n - 1];
  if (s->n_args >= s->values.n)
    return 0;
  const ga__arg_value *now = &s->values.v[s->n_args];
  if (now->bytes != bytes ||
      (bytes == 8 ? memcmp(now->v, number, 8) : memcmp(now->v, number, 4)) != 0)
    return 0;
  s->n_args++;
  return 1;
}

/* Set a buffer, or none. A new workspace may have the handle of an old one, so
 * the kernel never keeps it. */
static void set_buffer(GpuLaunch *l, cl_mem mem) {
  const ga__arg_value a = ga__arg_of(&mem, sizeof mem);

  set_fixed(l, GA_ARG_IS_GLOBAL, -1, &a, mem == NULL);
}

void ga__launch_size(GpuLaunch *l, size_t v) {
  const cl_ulong arg = v;

  if (!holds_number(l, &arg, sizeof arg))
    set_value(l, GA_ULONG, ga__arg_of(&arg, sizeof arg));
}

void ga__launch_ssize(GpuLaunch *l, ptrdiff_t v) {
  const cl_long arg = v;

  if (!holds_number(l, &arg, sizeof arg))
    set_value(l, GA_LONG, ga__arg_of(&arg, sizeof arg));
}

void ga__launch_uint(GpuLaunch *l, uint32_t v) {
  if (!holds_number(l, &v, sizeof v))
    set_value(l, GA_UINT, ga__arg_of(&v, sizeof v));
}

void ga__launch_int(GpuLaunch *l, int32_t v) {
  if (!holds_number(l, &v, sizeof v))
    set_value(l, GA_INT, ga__arg_of(&v, sizeof v));
}

void ga__launch_value(GpuLaunch *l, int slot, size_t bytes, const void *v) {
  if ((bytes != 4 && bytes != 8) || !holds_number(l, v, bytes))
    set_value(l, -1, ga__arg_of(v, bytes));
  if (slot < 0 || !is_open(l))
    return;
  const unsigned int step = (unsigned int)(l->steps.n - 1);
  add_slot(l, &(ga__slot_arg){.kind = GA_ARG_VALUE,
                              .slot = (unsigned int)slot,
                              .step = step,
                              .index = l->steps.v[step].n_args - 1,
                              .bytes = bytes});
}

void ga__launch_local(GpuLaunch *l, size_t bytes) {
  const ga__arg_value a = {.bytes = ~(bytes > 0 ? bytes : 1)};

  set_fixed(l, GA_ARG_IS_LOCAL, -1, &a, 1);
}

void ga__launch_work_arg(GpuLaunch *l, unsigned int work) {
  GA_ASSERT(!is_open(l) || work < l->works.n);
  if (is_open(l))
    set_buffer(l, l->works.v[work]->mem);
  if (is_open(l))
    l->err = ga__vec_push(
        &l->work_args, ((ga__work_arg){work, (unsigned int)l->steps.n - 1,
                                       l->steps.v[l->steps.n - 1].n_args - 1}));
}

void ga__launch_none(GpuLaunch *l) {
  set_buffer(l, NULL);
}

gpudata *ga__launch_workspace(GpuLaunch *l, size_t bytes) {
  int err = GA_NO_ERROR;

  if (!is_open(l))
    return NULL;
  gpudata *d = ga__launch_old_work(l, bytes);
  if (d == NULL)
    d = gpudata_alloc(l->ctx, bytes, NULL, 0, &err);
  if (d != NULL && ga__vec_push(&l->works, d) != GA_NO_ERROR) {
    gpudata_release(d);
    d = NULL;
    err = GA_MEMORY_ERROR;
  }
  l->err = err;
  return d;
}

unsigned int ga__launch_works(const GpuLaunch *l) {
  return l != NULL ? (unsigned int)l->works.n : 0;
}

void ga__launch_begin_sharing(GpuLaunch *l) {
  if (!is_open(l))
    return;
  l->n_free = l->shared.n;
  l->is_sharing = 1;
}

void ga__launch_end_sharing(GpuLaunch *l) {
  if (l != NULL)
    l->is_sharing = 0;
}

/* Note that a caller may provide the last workspace. */
static void add_scratch(GpuLaunch *l, size_t bytes, unsigned int slot) {
  if (is_open(l))
    l->err = ga__vec_push(
        &l->scratch,
        ((ga__scratch){bytes, (unsigned int)l->works.n - 1, slot}));
}

/* Take the smallest free workspace with enough bytes; 0 if there is none. */
static int take_shared(GpuLaunch *l, size_t bytes, unsigned int *work) {
  size_t best = SIZE_MAX, least = SIZE_MAX;

  if (!is_open(l) || !l->is_sharing)
    return 0;
  for (size_t i = 0; i < l->n_free; i++) {
    const size_t have = l->works.v[l->shared.v[i]]->bytes;
    if (have >= bytes && have < least) {
      least = have;
      best = i;
    }
  }
  if (best == SIZE_MAX)
    return 0;
  *work = l->shared.v[best];
  l->shared.v[best] = l->shared.v[--l->n_free];
  l->shared.v[l->n_free] = *work;
  return 1;
}

/* A new workspace, as an argument. */
static unsigned int add_work(GpuLaunch *l, size_t bytes) {
  if (ga__launch_workspace(l, bytes) == NULL)
    return 0;
  ga__launch_work_arg(l, (unsigned int)(l->works.n - 1));
  return (unsigned int)(l->works.n - 1);
}

unsigned int ga__launch_work(GpuLaunch *l, size_t bytes) {
  unsigned int work;

  if (take_shared(l, bytes, &work)) {
    ga__launch_work_arg(l, work);
    return work;
  }
  work = add_work(l, bytes);
  add_scratch(l, bytes, GA_NO_SCRATCH_SLOT);
  if (is_open(l) && l->is_sharing)
    l->err = ga__vec_push(&l->shared, work);
  return work;
}

unsigned int ga__launch_table(GpuLaunch *l, const void *data, size_t bytes) {
  const unsigned int work = add_work(l, bytes);

  if (l != NULL)
    l->has_tables = 1;
  if (is_open(l) && bytes > 0)
    l->err = gpudata_write(l->works.v[work], 0, data, bytes);
  return work;
}

void ga__launch_zeros(GpuLaunch *l, size_t bytes) {
  const unsigned int work = add_work(l, bytes);

  if (is_open(l) && !ga__launch_has_zeros(l, work))
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
  gpudata *d = ga__launch_workspace(l, bytes);
  if (d == NULL)
    return 0;
  l->bufs[l->n_slots + l->n_own] = d;
  add_scratch(l, bytes, l->n_slots + l->n_own);
  return l->n_slots + l->n_own++;
}

/* --- sealing --- */

/* Sort the arguments by slot. Those of one slot keep their order. Most are in
 * order already, since kernels take their slots one after the other. */
static void sort_args(GpuLaunch *l) {
  ga__slot_arg *v = l->args.v;

  for (size_t i = 1; i < l->args.n; i++) {
    const ga__slot_arg a = v[i];
    size_t k = i;

    for (; k > 0 && v[k - 1].slot > a.slot; k--)
      v[k] = v[k - 1];
    v[k] = a;
  }
}

/* Sort the arguments and fill l->first, unless they are those that the launch
 * had before. */
static int index_args(GpuLaunch *l) {
  const size_t n = l->n_slots + l->n_own;
  size_t i = 0;

  if (l->first != NULL && l->n_same == l->args.n && l->first[n] == l->args.n)
    return GA_NO_ERROR;
  if (l->first == NULL)
    l->first = ga__calloc(l->n_slots + GA_OWN_SLOTS + 1, sizeof *l->first);
  if (l->first == NULL)
    return ga__fail_nomem();
  sort_args(l);
  for (size_t slot = 0; slot < n; slot++) {
    l->first[slot] = i;
    while (i < l->args.n && l->args.v[i].slot == slot)
      i++;
  }
  l->first[n] = l->args.n;
  return GA_NO_ERROR;
}

/* Empty the slots that the launch held before it was renewed and that were not
 * bound since. */
static void drop_unbound(GpuLaunch *l) {
  for (unsigned int k = 0; k < l->n_slots; k++) {
    if (l->bound[k] != GA_BOUND_NOT)
      continue;
    gpudata_release(l->bufs[k]);
    l->bufs[k] = NULL;
  }
}

/* Does the kernel hold what this argument follows? It does if it was taken over
 * and the slot has the same buffer as before. */
static int follows(const GpuLaunch *l, const ga__slot_arg *a) {
  const ga__step *s = &l->steps.v[a->step];
  const cl_ulong at = l->offs[a->slot] + a->rel;

  if (a->index >= s->values.n || s->values.v[a->index].bytes != sizeof at ||
      (a->kind == GA_ARG_BUFFER && l->bound[a->slot] != GA_BOUND_SAME))
    return 0;
  return a->kind == GA_ARG_BUFFER
             ? memcmp(s->values.v[a->index].v, &l->bufs[a->slot]->mem,
                      sizeof(cl_mem)) == 0
             : memcmp(s->values.v[a->index].v, &at, sizeof at) == 0;
}

/* Set the arguments that follow slots; they are sorted. */
static int apply_bindings(GpuLaunch *l) {
  const ga__slot_arg *a = l->args.v;
  const ga__slot_arg *const end = l->args.n > 0 ? a + l->args.n : a;

  while (a < end) {
    const unsigned int slot = a->slot;
    const int is_same = l->bound[slot] == GA_BOUND_SAME;
    if (a->kind != GA_ARG_VALUE)
      GA_TRY(ga__launch_check(l, slot, l->bufs[slot], l->offs[slot]));
    for (; a < end && a->slot == slot; a++)
      if (a->kind != GA_ARG_VALUE && !follows(l, a))
        GA_TRY(ga__slot_set(l, a, l->bufs[slot], l->offs[slot], is_same));
  }
  return GA_NO_ERROR;
}

int ga__launch_seal(GpuLaunch **out, GpuLaunch *l) {
  *out = NULL;
  if (l == NULL)
    return ga__fail_nomem();
  int err = l->err;
  if (err == GA_NO_ERROR) {
    drop_unbound(l);
    err = index_args(l);
  }
  if (err == GA_NO_ERROR)
    err = apply_bindings(l);
  if (err == GA_NO_ERROR)
    err = ga__launch_check_counts(l);
  if (err != GA_NO_ERROR) {
    GpuLaunch_free(l);
    return err;
  }
  ga__launch_drop_old(l);
  *out = l;
  return GA_NO_ERROR;
}

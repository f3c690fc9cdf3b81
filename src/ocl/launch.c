/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepared launches: a flat list of steps whose arguments are set already.
 *
 * Each launch has kernel objects of its own, so arguments stay as they were
 * set and running is one lock and one enqueue per step. While it is built the
 * launch only records; sealing sets every argument. */
#include <stdio.h>
#include <string.h>

#include "ocl/objects.h"

#include "base/alloc.h"
#include "base/strb.h"

#define EVENTS_MAX 64 /* profiled steps in flight before the times are read */

typedef enum arg_kind { ARG_BUFFER, ARG_OFFSET, ARG_VALUE } arg_kind;

/* An argument that follows a slot. */
typedef struct slot_arg {
  arg_kind kind;
  unsigned int slot, step, index;
  size_t rel;   /* ARG_OFFSET: added to the slot's */
  size_t bytes; /* ARG_VALUE */
} slot_arg;

/* A kernel, or a host call that enqueues. */
typedef struct step {
  cl_kernel kernel;
  unsigned int nd, n_args;
  int has_ls, is_empty;
  size_t gs[3], ls[3]; /* in work-items */
  char *source;        /* without the prelude; owned */
  ga__launch_fn fn;
  void *state; /* owned */
  const char *provider;
} step;

/* The commands of one profiled step lie between two events, which are the
 * same for a kernel. */
typedef struct span {
  cl_event first, last;
} span;

struct GpuLaunch {
  gpucontext *ctx; /* retained */
  char *label;
  int err; /* sticky until sealed */
  GA_VEC(step) steps;
  GA_VEC(slot_arg) args;
  GA_VEC(gpudata *) works;
  unsigned int n_slots;
  gpudata **bufs; /* per slot, retained; NULL for values */
  size_t *offs;   /* bytes */
  size_t *aligns; /* what offsets must be multiples of */
  double bytes, flops;
  uint64_t calls; /* profiled */
  double seconds;
  span *spans; /* EVENTS_MAX, allocated when profiling begins */
  unsigned int n_spans;
};

/* --- making and freeing --- */

GpuLaunch *ga__launch_open(gpucontext *ctx, const char *label,
                           unsigned int n_slots) {
  GpuLaunch *l = ga__calloc(1, sizeof *l);

  if (l == NULL)
    return NULL; /* ga__launch_seal reports it */
  l->ctx = ctx;
  ga__ctx_retain(ctx);
  l->n_slots = n_slots;
  l->label = ga__strdup(label);
  l->bufs = ga__calloc(n_slots, sizeof *l->bufs);
  l->offs = ga__calloc(n_slots, sizeof *l->offs);
  l->aligns = ga__calloc(n_slots, sizeof *l->aligns);
  if (l->label == NULL || l->bufs == NULL || l->offs == NULL ||
      l->aligns == NULL)
    l->err = ga__fail_nomem();
  return l;
}

static void free_step(step *s) {
  if (s->kernel != NULL)
    clReleaseKernel(s->kernel);
  ga__free(s->source);
  ga__free(s->state);
}

static void drop_spans(GpuLaunch *l) {
  for (unsigned int i = 0; i < l->n_spans; i++) {
    clReleaseEvent(l->spans[i].first);
    clReleaseEvent(l->spans[i].last);
  }
  l->n_spans = 0;
}

void GpuLaunch_free(GpuLaunch *l) {
  if (l == NULL)
    return;
  drop_spans(l);
  ga__free(l->spans);
  for (size_t i = 0; i < l->steps.n; i++)
    free_step(&l->steps.v[i]);
  ga__vec_clear(&l->steps);
  ga__vec_clear(&l->args);
  for (size_t i = 0; i < l->works.n; i++)
    gpudata_release(l->works.v[i]);
  ga__vec_clear(&l->works);
  for (unsigned int i = 0; l->bufs != NULL && i < l->n_slots; i++)
    gpudata_release(l->bufs[i]);
  ga__free(l->bufs);
  ga__free(l->offs);
  ga__free(l->aligns);
  ga__free(l->label);
  gpucontext_deref(l->ctx);
  ga__free(l);
}

/* --- building: everything sticks to l->err --- */

static int is_open(const GpuLaunch *l) {
  return l != NULL && l->err == GA_NO_ERROR;
}

void ga__launch_error(GpuLaunch *l, int err) {
  if (is_open(l))
    l->err = err;
}

static char *join_source(const ga__source *src) {
  ga__strb b = GA_STRB_INIT;
  char *text = NULL;

  for (unsigned int i = 0; i < src->n; i++)
    ga__strb_append(&b, src->parts[i]);
  ga__strb_append(&b, ""); /* an empty text is a text too */
  if (ga__strb_take(&b, &text) != GA_NO_ERROR)
    text = NULL;
  ga__strb_clear(&b);
  return text;
}

static int add_kernel(GpuLaunch *l, const ga__source *src, unsigned int nd,
                      const size_t *gs, const size_t *ls) {
  step s = {.nd = nd, .has_ls = ls != NULL, .provider = "own"};
  int err;

  if (nd < 1 || nd > 3)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 1 to 3", nd);
  for (unsigned int i = 0; i < nd; i++) {
    s.gs[i] = gs[i];
    s.ls[i] = ls != NULL ? ls[i] : 0;
    s.is_empty |= gs[i] == 0;
  }
  s.source = join_source(src);
  if (s.source == NULL)
    return ga__fail_nomem();
  GA_CHECK(ga__kernel_get(&s.kernel, l->ctx, src));
  err = ga__vec_push(&l->steps, s);
  if (err != GA_NO_ERROR)
    ga__fail_nomem();

done:
  if (err != GA_NO_ERROR)
    free_step(&s);
  return err;
}

void ga__launch_kernel(GpuLaunch *l, const ga__source *src, unsigned int nd,
                       const size_t *gs, const size_t *ls) {
  if (is_open(l))
    l->err = add_kernel(l, src, nd, gs, ls);
}

void ga__launch_call(GpuLaunch *l, ga__launch_fn fn, void *state,
                     const char *provider) {
  step s = {.fn = fn, .state = state, .provider = provider};

  if (!is_open(l) || ga__vec_push(&l->steps, s) != GA_NO_ERROR) {
    ga__free(state);
    if (is_open(l))
      l->err = ga__fail_nomem();
  }
}

/* The kernel that arguments are being added to; NULL sets an error. */
static step *open_step(GpuLaunch *l) {
  step *s;

  if (!is_open(l))
    return NULL;
  s = l->steps.n > 0 ? &l->steps.v[l->steps.n - 1] : NULL;
  if (s != NULL && s->kernel != NULL)
    return s;
  l->err = ga__fail(GA_INVALID_ERROR, "an argument without a kernel");
  return NULL;
}

static void add_slot_arg(GpuLaunch *l, slot_arg a) {
  step *s = open_step(l);

  if (s == NULL)
    return;
  if (a.slot >= l->n_slots) {
    l->err = ga__fail(GA_INVALID_ERROR, "no slot %u, there are %u", a.slot,
                      l->n_slots);
    return;
  }
  a.step = (unsigned int)(l->steps.n - 1);
  a.index = s->n_args++;
  if (ga__vec_push(&l->args, a) != GA_NO_ERROR)
    l->err = ga__fail_nomem();
}

void ga__launch_slot(GpuLaunch *l, unsigned int slot) {
  add_slot_arg(l, (slot_arg){.kind = ARG_BUFFER, .slot = slot});
}

void ga__launch_offset(GpuLaunch *l, unsigned int slot, size_t rel) {
  add_slot_arg(l, (slot_arg){.kind = ARG_OFFSET, .slot = slot, .rel = rel});
}

static void set_fixed(GpuLaunch *l, size_t bytes, const void *v) {
  step *s = open_step(l);

  if (s != NULL)
    l->err = GA_CL(clSetKernelArg(s->kernel, s->n_args++, bytes, v));
}

void ga__launch_size(GpuLaunch *l, size_t v) {
  cl_ulong arg = v;

  set_fixed(l, sizeof arg, &arg);
}

void ga__launch_ssize(GpuLaunch *l, ptrdiff_t v) {
  cl_long arg = v;

  set_fixed(l, sizeof arg, &arg);
}

void ga__launch_uint(GpuLaunch *l, uint32_t v) {
  set_fixed(l, sizeof v, &v);
}

void ga__launch_int(GpuLaunch *l, int32_t v) {
  set_fixed(l, sizeof v, &v);
}

void ga__launch_value(GpuLaunch *l, int slot, size_t bytes, const void *v) {
  step *s = open_step(l);

  if (s == NULL)
    return;
  l->err = GA_CL(clSetKernelArg(s->kernel, s->n_args, bytes, v));
  if (l->err != GA_NO_ERROR)
    return;
  if (slot < 0)
    s->n_args++;
  else
    add_slot_arg(l, (slot_arg){.kind = ARG_VALUE,
                               .slot = (unsigned int)slot,
                               .bytes = bytes});
}

void ga__launch_local(GpuLaunch *l, size_t bytes) {
  set_fixed(l, bytes > 0 ? bytes : 1, NULL);
}

void ga__launch_work_arg(GpuLaunch *l, unsigned int work) {
  if (is_open(l))
    set_fixed(l, sizeof(cl_mem), &l->works.v[work]->mem);
}

unsigned int ga__launch_work(GpuLaunch *l, size_t bytes) {
  int err = GA_NO_ERROR;
  gpudata *d;

  if (!is_open(l))
    return 0;
  d = gpudata_alloc(l->ctx, bytes, NULL, 0, &err);
  if (d != NULL && ga__vec_push(&l->works, d) != GA_NO_ERROR) {
    gpudata_release(d);
    err = ga__fail_nomem();
  }
  l->err = err;
  if (err != GA_NO_ERROR)
    return 0;
  ga__launch_work_arg(l, (unsigned int)(l->works.n - 1));
  return (unsigned int)(l->works.n - 1);
}

void ga__launch_require_align(GpuLaunch *l, unsigned int slot, size_t bytes) {
  if (is_open(l) && slot < l->n_slots)
    l->aligns[slot] = bytes;
}

void ga__launch_cost(GpuLaunch *l, double bytes, double flops) {
  if (is_open(l)) {
    l->bytes += bytes;
    l->flops += flops;
  }
}

/* --- binding --- */

static int check_slot(const GpuLaunch *l, unsigned int slot) {
  if (slot < l->n_slots)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "%s: no slot %u, there are %u", l->label,
                  slot, l->n_slots);
}

static int check_binding(const GpuLaunch *l, unsigned int slot,
                         const gpudata *buf, size_t off) {
  GA_TRY(check_slot(l, slot));
  if (buf == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s, slot %u: no buffer", l->label, slot);
  if (buf->ctx != l->ctx)
    return ga__fail(GA_VALUE_ERROR,
                    "%s, slot %u: the buffer is of another context", l->label,
                    slot);
  if (off > buf->bytes)
    return ga__fail(GA_VALUE_ERROR,
                    "%s, slot %u: offset %zu in a buffer of %zu bytes",
                    l->label, slot, off, buf->bytes);
  if (l->aligns[slot] > 1 && off % l->aligns[slot] != 0)
    return ga__fail(GA_UNALIGNED_ERROR,
                    "%s, slot %u: offset %zu is no multiple of %zu", l->label,
                    slot, off, l->aligns[slot]);
  return GA_NO_ERROR;
}

static int set_slot_arg(GpuLaunch *l, const slot_arg *a, const gpudata *buf,
                        size_t off) {
  cl_kernel k = l->steps.v[a->step].kernel;
  cl_ulong at = off + a->rel;

  if (a->kind == ARG_BUFFER)
    return GA_CL(clSetKernelArg(k, a->index, sizeof buf->mem, &buf->mem));
  return GA_CL(clSetKernelArg(k, a->index, sizeof at, &at));
}

/* Point the slot's arguments to a buffer; values have none. */
static int set_slot(GpuLaunch *l, unsigned int slot, const gpudata *buf,
                    size_t off) {
  for (size_t i = 0; i < l->args.n; i++) {
    const slot_arg *a = &l->args.v[i];

    if (a->slot == slot && a->kind != ARG_VALUE)
      GA_TRY(set_slot_arg(l, a, buf, off));
  }
  return GA_NO_ERROR;
}

static void keep_binding(GpuLaunch *l, unsigned int slot, gpudata *buf,
                         size_t off) {
  gpudata_retain(buf);
  gpudata_release(l->bufs[slot]);
  l->bufs[slot] = buf;
  l->offs[slot] = off;
}

void ga__launch_bind_array(GpuLaunch *l, unsigned int slot, const GpuArray *a) {
  if (!is_open(l))
    return;
  l->err = check_binding(l, slot, a->data, a->offset);
  if (l->err == GA_NO_ERROR)
    keep_binding(l, slot, a->data, a->offset);
}

int GpuLaunch_bind(GpuLaunch *l, unsigned int slot, gpudata *buf,
                   size_t offset) {
  int err;

  if (slot < l->n_slots && buf != NULL && l->bufs[slot] == buf &&
      l->offs[slot] == offset)
    return GA_NO_ERROR;
  GA_TRY(check_binding(l, slot, buf, offset));
  ga__ctx_lock(l->ctx);
  err = set_slot(l, slot, buf, offset);
  if (err == GA_NO_ERROR)
    keep_binding(l, slot, buf, offset);
  else if (l->bufs[slot] != NULL) /* as it was */
    set_slot(l, slot, l->bufs[slot], l->offs[slot]);
  ga__ctx_unlock(l->ctx);
  return err;
}

static int set_values(GpuLaunch *l, unsigned int slot, const void *value,
                      int *found) {
  for (size_t i = 0; i < l->args.n; i++) {
    const slot_arg *a = &l->args.v[i];

    if (a->slot != slot || a->kind != ARG_VALUE)
      continue;
    *found = 1;
    GA_TRY(GA_CL(
        clSetKernelArg(l->steps.v[a->step].kernel, a->index, a->bytes, value)));
  }
  return GA_NO_ERROR;
}

int GpuLaunch_bind_scalar(GpuLaunch *l, unsigned int slot, const void *value) {
  int err, found = 0;

  GA_TRY(check_slot(l, slot));
  ga__ctx_lock(l->ctx);
  err = set_values(l, slot, value, &found);
  ga__ctx_unlock(l->ctx);
  if (err == GA_NO_ERROR && !found)
    return ga__fail(GA_VALUE_ERROR, "%s, slot %u: not a scalar", l->label,
                    slot);
  return err;
}

/* --- sealing --- */

static int apply_bindings(GpuLaunch *l) {
  for (size_t i = 0; i < l->args.n; i++) {
    const slot_arg *a = &l->args.v[i];

    if (a->kind == ARG_VALUE)
      continue;
    GA_TRY(check_binding(l, a->slot, l->bufs[a->slot], l->offs[a->slot]));
    GA_TRY(set_slot_arg(l, a, l->bufs[a->slot], l->offs[a->slot]));
  }
  return GA_NO_ERROR;
}

int ga__launch_seal(GpuLaunch **out, GpuLaunch *l) {
  int err;

  *out = NULL;
  if (l == NULL)
    return ga__fail_nomem();
  err = l->err != GA_NO_ERROR ? l->err : apply_bindings(l);
  if (err != GA_NO_ERROR) {
    GpuLaunch_free(l);
    return err;
  }
  *out = l;
  return GA_NO_ERROR;
}

/* --- running --- */

static int run_step(GpuLaunch *l, const step *s, cl_event *ev) {
  if (s->fn != NULL)
    return s->fn(s->state, l->ctx, l->bufs, l->offs);
  if (s->is_empty)
    return GA_NO_ERROR;
  return ga__enqueue(l->ctx, s->kernel, s->nd, s->gs, s->has_ls ? s->ls : NULL,
                     ev);
}

static int run_plain(GpuLaunch *l) {
  for (size_t i = 0; i < l->steps.n; i++)
    GA_TRY(run_step(l, &l->steps.v[i], NULL));
  return GA_NO_ERROR;
}

/* --- profiling --- */

static int read_time(cl_event ev, cl_profiling_info what, cl_ulong *ns) {
  return GA_CL(clGetEventProfilingInfo(ev, what, sizeof *ns, ns, NULL));
}

/* A host call's commands lie between the ends of two markers. */
static int read_span(const span *s, double *seconds) {
  cl_ulong from, to;

  GA_TRY(GA_CL(clWaitForEvents(1, &s->last)));
  GA_TRY(read_time(s->first,
                   s->first == s->last ? CL_PROFILING_COMMAND_START
                                       : CL_PROFILING_COMMAND_END,
                   &from));
  GA_TRY(read_time(s->last, CL_PROFILING_COMMAND_END, &to));
  *seconds = to > from ? 1e-9 * (double)(to - from) : 0;
  return GA_NO_ERROR;
}

/* Add up the recorded times; blocks until the commands have ended. */
static int read_spans(GpuLaunch *l) {
  int err = GA_NO_ERROR;

  for (unsigned int i = 0; err == GA_NO_ERROR && i < l->n_spans; i++) {
    double seconds = 0;

    err = read_span(&l->spans[i], &seconds);
    l->seconds += seconds;
  }
  drop_spans(l);
  return err;
}

static int mark(gpucontext *ctx, cl_event *ev) {
  return GA_CL(clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL, ev));
}

static int record_step(GpuLaunch *l, const step *s, span *out) {
  int err;

  if (s->fn == NULL) {
    GA_TRY(run_step(l, s, &out->first));
    out->last = out->first;
    return out->first != NULL ? GA_CL(clRetainEvent(out->last)) : GA_NO_ERROR;
  }
  GA_CHECK(mark(l->ctx, &out->first));
  GA_CHECK(run_step(l, s, NULL));
  GA_CHECK(mark(l->ctx, &out->last));

done:
  if (err != GA_NO_ERROR && out->first != NULL)
    clReleaseEvent(out->first);
  return err;
}

static int run_profiled(GpuLaunch *l) {
  if (l->spans == NULL) {
    l->spans = ga__calloc(EVENTS_MAX, sizeof *l->spans);
    if (l->spans == NULL)
      return ga__fail_nomem();
  }
  for (size_t i = 0; i < l->steps.n; i++) {
    span s = {NULL, NULL};

    if (l->n_spans == EVENTS_MAX)
      GA_TRY(read_spans(l));
    GA_TRY(record_step(l, &l->steps.v[i], &s));
    if (s.first != NULL)
      l->spans[l->n_spans++] = s;
  }
  l->calls++;
  return GA_NO_ERROR;
}

int GpuLaunch_run(GpuLaunch *l) {
  int err;

  ga__ctx_lock(l->ctx);
  err = l->ctx->profiling ? run_profiled(l) : run_plain(l);
  ga__ctx_unlock(l->ctx);
  return err;
}

/* --- facts --- */

static const char *provider_of(const GpuLaunch *l) {
  for (size_t i = 0; i < l->steps.n; i++) {
    if (l->steps.v[i].fn != NULL)
      return l->steps.v[i].provider;
  }
  return "own";
}

int GpuLaunch_stats(GpuLaunch *l, GpuLaunchStats *out) {
  int err;

  ga__ctx_lock(l->ctx);
  err = read_spans(l);
  *out = (GpuLaunchStats){.label = l->label,
                          .provider = provider_of(l),
                          .kernels = (unsigned int)l->steps.n,
                          .calls = l->calls,
                          .seconds = l->seconds,
                          .bytes = l->bytes,
                          .flops = l->flops};
  ga__ctx_unlock(l->ctx);
  return err;
}

int GpuLaunch_label(GpuLaunch *l, const char *label) {
  char *copy = ga__strdup(label);

  if (copy == NULL)
    return ga__fail_nomem();
  ga__free(l->label);
  l->label = copy;
  return GA_NO_ERROR;
}

const char *GpuLaunch_source(const GpuLaunch *l, unsigned int k) {
  return k < l->steps.n ? l->steps.v[k].source : NULL;
}

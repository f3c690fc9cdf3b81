/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepared launches: binding, running and measuring.
 *
 * Each launch has its own kernel objects, so their arguments stay set, and a
 * run takes one lock and one enqueue per step. */
#include "ocl/launch/launch.h"

#include <string.h>

#include "base/alloc.h"
#include "ocl/context.h"
#include "ocl/kernel/spare_kernels.h"
#include "ocl/memory/guard.h"
#include "ocl/process.h"
#include "ocl/queue.h"
#include "ocl/timeline.h"

void ga__launch_drop_spans(GpuLaunch *l) {
  for (unsigned int i = 0; i < l->n_spans; i++) {
    clReleaseEvent(l->spans[i].first);
    clReleaseEvent(l->spans[i].last);
  }
  l->n_spans = 0;
}

/* A step that was taken over is all zeros. */
static int is_left(const ga__step *s) {
  return s->kernel != NULL || s->fn != NULL;
}

void ga__launch_drop_old(GpuLaunch *l) {
  for (size_t i = 0; i < l->old_steps.n; i++) {
    if (!is_left(&l->old_steps.v[i]))
      continue;
    ga__ctx_lock(l->ctx);
    ga__spare_put(l->ctx, &l->old_steps.v[i]);
    ga__ctx_unlock(l->ctx);
  }
  for (size_t i = 0; i < l->old_works.n; i++)
    gpudata_release(l->old_works.v[i]);
  l->old_steps.n = l->old_works.n = 0;
}

void ga__question_drop(GpuLaunch *l) {
  if (l->in_table != NULL) {
    ga__ctx_lock(l->ctx);
    if (*l->in_table == l)
      *l->in_table = NULL;
    ga__ctx_unlock(l->ctx);
  }
  l->in_table = NULL;
  l->question.n = l->n_question = 0;
}

void GpuLaunch_free(GpuLaunch *l) {
  if (l == NULL)
    return;
  ga__question_drop(l);
  ga__vec_clear(&l->question);
  ga__launch_drop_spans(l);
  ga__free(l->spans);
  for (size_t i = 0; i < l->steps.n; i++)
    ga__step_clear(&l->steps.v[i]);
  ga__vec_clear(&l->steps);
  ga__launch_drop_old(l);
  ga__vec_clear(&l->old_steps);
  ga__vec_clear(&l->old_works);
  ga__free(l->bound);
  ga__vec_clear(&l->args);
  ga__free(l->first);
  ga__vec_clear(&l->arrays);
  ga__free(l->head);
  for (size_t i = 0; i < l->works.n; i++)
    gpudata_release(l->works.v[i]);
  ga__vec_clear(&l->works);
  ga__vec_clear(&l->work_args);
  ga__vec_clear(&l->scratch);
  gpudata_release(l->lent);
  ga__vec_clear(&l->shared);
  ga__vec_clear(&l->guards);
  for (unsigned int i = 0; l->bufs != NULL && i < l->n_slots; i++)
    gpudata_release(l->bufs[i]);
  ga__free(l->bufs);
  ga__free(l->offs);
  ga__free(l->aligns);
  ga__free(l->label);
  gpucontext_deref(l->ctx);
  ga__free(l);
}

/* --- binding --- */

static int check_slot(const GpuLaunch *l, unsigned int slot) {
  if (slot < l->n_slots)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "%s: no slot %u, there are %u", l->label,
                  slot, l->n_slots);
}

int ga__launch_check(const GpuLaunch *l, unsigned int slot, const gpudata *buf,
                     size_t off) {
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
                    "%s, slot %u: offset %zu is not a multiple of %zu",
                    l->label, slot, off, l->aligns[slot]);
  return GA_NO_ERROR;
}

int ga__slot_set(GpuLaunch *l, const ga__slot_arg *a, const gpudata *buf,
                 size_t off, int may_keep) {
  const int is_buffer = a->kind == GA_ARG_BUFFER;
  const cl_ulong at = off + a->rel;
  const ga__arg_value v = is_buffer ? ga__arg_of(&buf->mem, sizeof buf->mem)
                                    : ga__arg_of(&at, sizeof at);

  return ga__step_set(&l->steps.v[a->step], a->index, &v,
                      !is_buffer || may_keep);
}

/* The arguments of a slot are args.v[begin] to args.v[end - 1]. The range is
 * empty before the launch is sealed, which sets and sorts the arguments. */
static size_t begin_of(const GpuLaunch *l, unsigned int slot) {
  return l->first != NULL ? l->first[slot] : 0;
}

static size_t end_of(const GpuLaunch *l, unsigned int slot) {
  return l->first != NULL ? l->first[slot + 1] : 0;
}

/* Set the slot's arguments for a buffer, those for an offset, or both. */
static int set_slot(GpuLaunch *l, unsigned int slot, const gpudata *buf,
                    size_t off, int set_buffer, int set_offset) {
  for (size_t i = begin_of(l, slot); i < end_of(l, slot); i++) {
    const ga__slot_arg *a = &l->args.v[i];

    if ((a->kind == GA_ARG_BUFFER && set_buffer) ||
        (a->kind == GA_ARG_OFFSET && set_offset))
      GA_TRY(ga__slot_set(l, a, buf, off, 0));
  }
  return GA_NO_ERROR;
}

void ga__launch_keep(GpuLaunch *l, unsigned int slot, gpudata *buf,
                     size_t off) {
  GA_ASSERT(slot < l->n_slots);
  if (l->offs[slot] == GA_NO_OFFSET) {
    GA_ASSERT(l->n_open > 0);
    l->n_open--;
  }
  if (l->bound[slot] != GA_BOUND_NEW)
    l->bound[slot] = l->bufs[slot] == buf ? GA_BOUND_SAME : GA_BOUND_NEW;
  if (l->bufs[slot] != buf) {
    gpudata_retain(buf);
    gpudata_release(l->bufs[slot]);
  }
  l->bufs[slot] = buf;
  l->offs[slot] = off;
}

int GpuLaunch_bind(GpuLaunch *l, unsigned int slot, gpudata *buf,
                   size_t offset) {
  if (slot < l->n_slots && buf != NULL && l->bufs[slot] == buf &&
      l->offs[slot] == offset)
    return GA_NO_ERROR;
  GA_TRY(check_slot(l, slot));
  GA_TRY(ga__launch_check(l, slot, buf, offset));
  ga__ctx_lock(l->ctx);
  int err = set_slot(l, slot, buf, offset, buf != l->bufs[slot],
                     offset != l->offs[slot]);
  if (err == GA_NO_ERROR)
    ga__launch_keep(l, slot, buf, offset);
  else if (l->bufs[slot] != NULL) /* restore the old arguments */
    set_slot(l, slot, l->bufs[slot], l->offs[slot], 1, 1);
  ga__ctx_unlock(l->ctx);
  return err;
}

int GpuLaunch_unbind(GpuLaunch *l, unsigned int slot) {
  GA_TRY(check_slot(l, slot));
  ga__ctx_lock(l->ctx);
  if (l->bufs[slot] != NULL) {
    gpudata_release(l->bufs[slot]);
    l->bufs[slot] = NULL;
    l->offs[slot] = GA_NO_OFFSET;
    l->n_open++;
  }
  ga__ctx_unlock(l->ctx);
  return GA_NO_ERROR;
}

static int is_scalar(const GpuLaunch *l, unsigned int slot) {
  const size_t i = begin_of(l, slot);

  return i < end_of(l, slot) && l->args.v[i].kind == GA_ARG_VALUE;
}

static int set_scalar(GpuLaunch *l, unsigned int slot, const void *value) {
  for (size_t i = begin_of(l, slot); i < end_of(l, slot); i++) {
    const ga__slot_arg *a = &l->args.v[i];

    const ga__arg_value v = ga__arg_of(value, a->bytes);
    GA_TRY(ga__step_set(&l->steps.v[a->step], a->index, &v, 1));
  }
  return GA_NO_ERROR;
}

int GpuLaunch_bind_scalar(GpuLaunch *l, unsigned int slot, const void *value) {
  GA_TRY(check_slot(l, slot));
  if (!is_scalar(l, slot))
    return ga__fail(GA_VALUE_ERROR, "%s, slot %u: not a scalar", l->label,
                    slot);
  ga__question_drop(l); /* it holds scalars */
  ga__ctx_lock(l->ctx);
  int err = set_scalar(l, slot, value);
  ga__ctx_unlock(l->ctx);
  return err;
}

/* --- running --- */

static int check_guards(const GpuLaunch *l, const ga__step *s) {
  for (size_t i = 0; i < l->args.n; i++) {
    const ga__slot_arg *a = &l->args.v[i];

    if (a->kind == GA_ARG_BUFFER && &l->steps.v[a->step] == s)
      GA_TRY(ga__guard_check_arg(l->bufs[a->slot], s->kernel, a->index));
  }
  return GA_NO_ERROR;
}

static int run_step(GpuLaunch *l, const ga__step *s, cl_event *ev) {
  if (s->fn != NULL) {
    gpuarray_clear_error();
    return s->fn(s->state, l->ctx, l->bufs, l->offs);
  }
  if (s->is_empty)
    return GA_NO_ERROR;
  GA_TRY(ga__enqueue(l->ctx, s->kernel, s->nd, s->gs, s->has_ls ? s->ls : NULL,
                     ev));
  return l->ctx->guard ? check_guards(l, s) : GA_NO_ERROR;
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

/* The device time of one step. The commands of a host function lie between the
 * ends of two markers. */
static int read_span(const ga__span *s, double *seconds) {
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

/* Add the recorded times to l->seconds. Blocks until the commands have
 * ended. */
static int read_spans(GpuLaunch *l) {
  if (l->n_spans == 0)
    return GA_NO_ERROR;
  int err = ga__process_check();

  for (unsigned int i = 0; err == GA_NO_ERROR && i < l->n_spans; i++) {
    double seconds = 0;

    err = read_span(&l->spans[i], &seconds);
    l->seconds += seconds;
  }
  ga__launch_drop_spans(l);
  return err;
}

static int mark(gpucontext *ctx, cl_event *ev) {
  return GA_CL(clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL, ev));
}

static int record_step(GpuLaunch *l, const ga__step *s, ga__span *out) {
  const uint64_t host = gpuarray_timeline_now();
  int err;

  if (s->fn == NULL) {
    GA_TRY(run_step(l, s, &out->first));
    if (out->first != NULL)
      GA_CHECK(GA_CL(clRetainEvent(out->first)));
    out->last = out->first;
    ga__timeline_device(l->ctx, l->label, out->first, out->last, host);
    return GA_NO_ERROR;
  }
  GA_CHECK(mark(l->ctx, &out->first));
  GA_CHECK(run_step(l, s, NULL));
  GA_CHECK(mark(l->ctx, &out->last));
  gpuarray_timeline_add(l->label, "host", host);
  ga__timeline_device(l->ctx, l->label, out->first, out->last, host);

done:
  if (err != GA_NO_ERROR && out->first != NULL)
    clReleaseEvent(out->first);
  return err;
}

static int run_profiled(GpuLaunch *l) {
  if (l->spans == NULL) {
    l->spans = ga__calloc(GA_SPANS_MAX, sizeof *l->spans);
    if (l->spans == NULL)
      return ga__fail_nomem();
  }
  for (size_t i = 0; i < l->steps.n; i++) {
    ga__span s = {NULL, NULL};

    if (l->n_spans == GA_SPANS_MAX)
      GA_TRY(read_spans(l));
    GA_TRY(record_step(l, &l->steps.v[i], &s));
    if (s.first != NULL)
      l->spans[l->n_spans++] = s;
  }
  l->calls++;
  return GA_NO_ERROR;
}

static int run(GpuLaunch *l) {
  if (l->is_guarded)
    ga__index_guard_expect(l->ctx);
  return l->ctx->profiling ? run_profiled(l) : run_plain(l);
}

int GpuLaunch_run(GpuLaunch *l) {
  if (l->n_open != 0)
    return ga__fail(GA_VALUE_ERROR,
                    l->lacks_works ? "%s: there is no workspace"
                                   : "%s: a slot has no buffer",
                    l->label);
  ga__ctx_lock(l->ctx);
  int err = run(l);
  ga__ctx_unlock(l->ctx);
  return err;
}

/* Bind without retaining. An offset that the kernels already have is not set
 * again. The buffer is, because a new one may have the handle of an old one. */
static int borrow(GpuLaunch *l, unsigned int slot, const GpuArray *a) {
  GA_ASSERT(l->bufs[slot] == NULL);
  GA_TRY(ga__launch_check(l, slot, a->data, a->offset));
  const int is_moved = l->offs[slot] != a->offset;
  l->offs[slot] = GA_ANY_OFFSET;
  GA_TRY(set_slot(l, slot, a->data, a->offset, 1, is_moved));
  l->bufs[slot] = a->data;
  l->offs[slot] = a->offset;
  return GA_NO_ERROR;
}

int ga__launch_run_with(GpuLaunch *l, unsigned int n,
                        const void *const *values) {
  int err = GA_NO_ERROR;

  GA_ASSERT(ga__ctx_is_locked(l->ctx) && n <= l->n_slots);
  for (unsigned int i = 0; i < n; i++) {
    if (values[i] != NULL)
      GA_CHECK(is_scalar(l, i) ? set_scalar(l, i, values[i])
                               : borrow(l, i, values[i]));
  }
  err = run(l);

done:
  memset(l->bufs, 0, l->n_slots * sizeof *l->bufs);
  return err;
}

/* --- facts --- */

static const char *provider_of(const GpuLaunch *l) {
  for (size_t i = 0; i < l->steps.n; i++) {
    if (strcmp(l->steps.v[i].provider, "own") != 0)
      return l->steps.v[i].provider;
  }
  return "own";
}

/* Kernels that only check are left out while indices are not guarded. */
static size_t count_kernels(const GpuLaunch *l) {
  size_t n = l->steps.n;

  for (size_t i = 0; i < l->guards.n; i++)
    n -= l->steps.v[l->guards.v[i].step].is_empty != 0;
  return n;
}

int GpuLaunch_stats(GpuLaunch *l, GpuLaunchStats *out) {
  ga__ctx_lock(l->ctx);
  int err = read_spans(l);
  *out = (GpuLaunchStats){.label = l->label,
                          .provider = provider_of(l),
                          .kernels = (unsigned int)count_kernels(l),
                          .calls = l->calls,
                          .seconds = l->seconds,
                          .bytes = l->bytes,
                          .flops = l->flops,
                          .made = l->n_made};
  ga__ctx_unlock(l->ctx);
  return err;
}

int GpuLaunch_label(GpuLaunch *l, const char *label) {
  const size_t bytes = strlen(label) + 1;

  if (bytes > l->label_bytes) {
    char *copy = ga__memdup(label, bytes);
    if (copy == NULL)
      return ga__fail_nomem();
    ga__free(l->label);
    l->label = copy;
    l->label_bytes = bytes;
  } else {
    memmove(l->label, label, bytes);
  }
  return GA_NO_ERROR;
}

const char *GpuLaunch_source(const GpuLaunch *l, unsigned int k) {
  return k < l->steps.n ? ga__shared_text_of(l->steps.v[k].source) : NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Workspaces that callers provide: a launch uses parts of a buffer in the place
 * of workspaces of its own. */
#include "base/alloc.h"
#include "base/arith.h"
#include "ocl/context.h"
#include "ocl/launch/launch.h"
#include "ocl/memory/part.h"

/* --- sizes --- */

static size_t part_bytes(const ga__scratch *s, size_t align) {
  return ga__round_up(ga__at_least(s->bytes, 1), align);
}

/* Parts are aligned; the first one may begin after the given offset. */
static size_t all_bytes(const GpuLaunch *l, size_t align) {
  size_t bytes = l->scratch.n > 0 ? align : 0;

  for (size_t i = 0; i < l->scratch.n; i++)
    bytes += part_bytes(&l->scratch.v[i], align);
  return bytes;
}

int GpuLaunch_workspace_bytes(const GpuLaunch *l, size_t *bytes) {
  size_t align;

  *bytes = 0;
  GA_TRY(ga__part_align(l->ctx, &align));
  *bytes = all_bytes(l, align);
  return GA_NO_ERROR;
}

static int check(const GpuLaunch *l, const gpudata *buf, size_t offset,
                 size_t bytes) {
  if (buf->ctx != l->ctx)
    return ga__fail(GA_VALUE_ERROR, "%s: the workspace is of another context",
                    l->label);
  if (offset > buf->bytes)
    return ga__fail(GA_VALUE_ERROR,
                    "%s: a workspace at offset %zu of a buffer of %zu bytes",
                    l->label, offset, buf->bytes);
  if (buf->bytes - offset < bytes)
    return ga__fail(GA_VALUE_ERROR,
                    "%s: a workspace of %zu bytes, expected %zu", l->label,
                    buf->bytes - offset, bytes);
  return GA_NO_ERROR;
}

/* --- binding --- */

static int make_parts(const GpuLaunch *l, gpudata **parts, const gpudata *buf,
                      size_t offset, size_t align) {
  size_t from;
  cl_mem root;

  GA_TRY(ga__part_root(buf->mem, &root, &from));
  size_t at = ga__round_up(from + offset, align);
  for (size_t i = 0; i < l->scratch.n; i++) {
    const size_t bytes = part_bytes(&l->scratch.v[i], align);

    GA_TRY(ga__part_new(&parts[i], l->ctx, root, at, bytes));
    at += bytes;
  }
  return GA_NO_ERROR;
}

/* Set the arguments that are a workspace, or its slot, to `part`. */
static int set_args(GpuLaunch *l, const ga__scratch *s, const gpudata *part) {
  const ga__arg_value v = ga__arg_of(&part->mem, sizeof part->mem);

  for (size_t i = 0; i < l->work_args.n; i++) {
    const ga__work_arg *a = &l->work_args.v[i];
    if (a->work == s->work)
      GA_TRY(ga__step_set(&l->steps.v[a->step], a->index, &v, 0));
  }
  for (size_t i = 0; i < l->args.n; i++) {
    const ga__slot_arg *a = &l->args.v[i];
    if (a->slot == s->slot && a->kind == GA_ARG_BUFFER)
      GA_TRY(ga__slot_set(l, a, part, 0, 0));
  }
  return GA_NO_ERROR;
}

/* Set the arguments of all workspaces; on failure, back to what they were. */
static int set_all(GpuLaunch *l, gpudata *const *parts) {
  int err = GA_NO_ERROR;

  for (size_t i = 0; i < l->scratch.n && err == GA_NO_ERROR; i++)
    err = set_args(l, &l->scratch.v[i], parts[i]);
  for (size_t i = 0; i < l->scratch.n && err != GA_NO_ERROR; i++) {
    const ga__scratch *s = &l->scratch.v[i];
    if (l->works.v[s->work] != NULL)
      set_args(l, s, l->works.v[s->work]);
  }
  return err;
}

/* Replace the workspaces by parts of `buf`, or by nothing; it takes these
 * over. */
static void replace(GpuLaunch *l, gpudata *const *parts, gpudata *buf) {
  for (size_t i = 0; i < l->scratch.n; i++) {
    const ga__scratch *s = &l->scratch.v[i];
    gpudata *part = parts != NULL ? parts[i] : NULL;

    gpudata_release(l->works.v[s->work]);
    l->works.v[s->work] = part;
    if (s->slot != GA_NO_SCRATCH_SLOT)
      l->bufs[s->slot] = part;
  }
  gpudata_retain(buf);
  gpudata_release(l->lent);
  l->lent = buf;
  l->n_open -= l->lacks_works;
  l->lacks_works = buf == NULL;
  l->n_open += l->lacks_works;
}

static int use(GpuLaunch *l, gpudata *buf, size_t offset, size_t align) {
  gpudata **parts = ga__calloc(l->scratch.n, sizeof(gpudata *));
  int err;

  if (parts == NULL)
    return ga__fail_nomem();
  GA_CHECK(make_parts(l, parts, buf, offset, align));
  GA_CHECK(set_all(l, parts));
  replace(l, parts, buf);

done:
  for (size_t i = 0; i < l->scratch.n && err != GA_NO_ERROR; i++)
    gpudata_release(parts[i]);
  ga__free(parts);
  return err;
}

int GpuLaunch_bind_workspace(GpuLaunch *l, gpudata *buf, size_t offset) {
  size_t align;
  int err = GA_NO_ERROR;

  GA_TRY(ga__part_align(l->ctx, &align));
  if (buf != NULL)
    GA_TRY(check(l, buf, offset, all_bytes(l, align)));
  if (l->scratch.n == 0)
    return GA_NO_ERROR;
  ga__question_drop(l); /* others must not copy its arguments */
  ga__ctx_lock(l->ctx);
  if (buf != NULL)
    err = use(l, buf, offset, align);
  else
    replace(l, NULL, NULL);
  ga__ctx_unlock(l->ctx);
  return err;
}

int ga__launch_owns_works(const GpuLaunch *l) {
  return l->lent == NULL && !l->lacks_works;
}

void ga__launch_give_back(GpuLaunch *l) {
  if (!ga__launch_owns_works(l))
    replace(l, NULL, NULL);
  l->lacks_works = 0;
}

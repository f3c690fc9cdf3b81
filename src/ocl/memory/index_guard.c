/* SPDX-License-Identifier: BSD-2-Clause */
/* The index guard of a context: a buffer in which kernels report an index with
 * an id (cl/index_guard.cl). Calls that wait for the queue also read the
 * buffer.
 *
 * The context stores what each id means, so that a report can be described
 * after its launch was freed. Equal descriptions have one id, so there are at
 * most as many as lines of the program that index. */
#include "ocl/memory/index_guard.h"

#include <string.h>

#include "base/dtype.h"
#include "base/env.h"
#include "base/strb.h"
#include "base/vec.h"
#include "ocl/context.h"
#include "ocl/objects.h"

/* What a kernel writes. */
typedef struct report {
  uint32_t who, axis; /* `who` is the id, or 0 for no report; `axis` is added
                         to that of the id */
  uint64_t index, size, position;
} report;

_Static_assert(sizeof(report) == 32, "four ulongs of the kernels");

/* What an id means. */
typedef struct user {
  ga__indexing x;
  char *label; /* of the launch; owned */
  char *site;  /* "model.c:42" or NULL; owned */
} user;

typedef struct ga__index_guard {
  int is_due;         /* kernels may have reported since the last check */
  cl_mem mem;         /* a report */
  GA_VEC(user) users; /* the first has id 1 */
} ga__index_guard;

static const report nobody;

int ga__index_guard_default(void) {
  static const char name[] = "GPUARRAY_GUARD_INDICES";

#ifdef GA_ASSERTIONS
  return ga__env_text(name) == NULL || ga__env_on(name);
#else
  return ga__env_on(name);
#endif
}

/* --- creation --- */

static void clear(ga__index_guard *g) {
  for (size_t i = 0; i < g->users.n; i++) {
    ga__free(g->users.v[i].label);
    ga__free(g->users.v[i].site);
  }
  ga__vec_clear(&g->users);
  if (g->mem != NULL)
    clReleaseMemObject(g->mem);
  ga__free(g);
}

void ga__index_guard_clear(gpucontext *ctx) {
  if (ctx->index_guard != NULL)
    clear(ctx->index_guard);
  ctx->index_guard = NULL;
}

static int need_guard(gpucontext *ctx) {
  cl_int status;

  if (ctx->index_guard != NULL)
    return GA_NO_ERROR;
  ga__index_guard *g = ga__calloc(1, sizeof *g);
  if (g == NULL)
    return ga__fail_nomem();
  g->mem = clCreateBuffer(ctx->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          sizeof nobody, (void *)(size_t)&nobody, &status);
  if (status != CL_SUCCESS) {
    ga__free(g);
    return ga__fail_status("clCreateBuffer", status);
  }
  ctx->index_guard = g;
  return GA_NO_ERROR;
}

/* --- ids --- */

static int is_same(const char *a, const char *b) {
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static int is_user(const user *u, const ga__indexing *x, const char *label,
                   const char *site) {
  return u->x.axis == x->axis && u->x.is_unsigned == x->is_unsigned &&
         u->x.has_gaps == x->has_gaps && u->x.is_order == x->is_order &&
         u->x.dtype == x->dtype && is_same(u->label, label) &&
         is_same(u->site, site);
}

static int add_user(ga__index_guard *g, const ga__indexing *x,
                    const char *label, const char *site) {
  user u = {.x = *x, .label = ga__strdup(label)};

  if (site != NULL)
    u.site = ga__strdup(site);
  if (u.label != NULL && (u.site != NULL || site == NULL) &&
      ga__vec_push(&g->users, u) == GA_NO_ERROR)
    return GA_NO_ERROR;
  ga__free(u.label);
  ga__free(u.site);
  return ga__fail_nomem();
}

int ga__index_guard_user(gpucontext *ctx, const ga__indexing *x,
                         const char *label, const char *site, cl_mem *mem,
                         uint32_t *id) {
  size_t i = 0;

  GA_ASSERT(ga__ctx_is_locked(ctx));
  GA_TRY(need_guard(ctx));
  ga__index_guard *g = ctx->index_guard;
  while (i < g->users.n && !is_user(&g->users.v[i], x, label, site))
    i++;
  if (i == g->users.n)
    GA_TRY(add_user(g, x, label, site));
  *mem = g->mem;
  *id = (uint32_t)i + 1;
  return GA_NO_ERROR;
}

/* --- reports --- */

void ga__index_guard_expect(gpucontext *ctx) {
  GA_ASSERT(ga__ctx_is_locked(ctx) && ctx->index_guard != NULL);
  ctx->index_guard->is_due = 1;
}

/* " index 7 at position 1 is out of range for axis 0 of size 2" */
static void describe_index(ga__strb *b, const user *u, const report *r) {
  if (u->x.is_unsigned)
    ga__strb_appendf(b, " index %llu", (unsigned long long)r->index);
  else
    ga__strb_appendf(b, " index %lld", (long long)r->index);
  if (!u->x.has_gaps)
    ga__strb_appendf(b, " at position %llu", (unsigned long long)r->position);
  ga__strb_appendf(b, " is out of range for axis %u of size %llu",
                   u->x.axis + r->axis, (unsigned long long)r->size);
}

/* `bits` are the low ones of what a kernel has written. */
static void print_bits(int dtype, uint64_t bits, char text[GA_ELEMENT_TEXT]) {
  uint64_t element;

  ga__dtype_from_bits(dtype, &element, bits);
  ga__dtype_print(dtype, &element, text);
}

/* " edges decrease from 3 to 2 at position 5" */
static void describe_order(ga__strb *b, const user *u, const report *r) {
  char before[GA_ELEMENT_TEXT], after[GA_ELEMENT_TEXT];

  print_bits(u->x.dtype, r->size, before);
  print_bits(u->x.dtype, r->index, after);
  ga__strb_appendf(b, " edges decrease from %s to %s at position %llu", before,
                   after, (unsigned long long)r->position);
}

/* "take: index 7 at ... (model.c:42)" */
static int fail(const user *u, const report *r) {
  ga__strb b = GA_STRB_INIT;

  ga__strb_appendf(&b, "%s:", u->label);
  if (u->x.is_order)
    describe_order(&b, u, r);
  else
    describe_index(&b, u, r);
  if (u->site != NULL)
    ga__strb_appendf(&b, " (%s)", u->site);
  return ga__strb_fail(&b, GA_VALUE_ERROR);
}

int ga__index_guard_check(gpucontext *ctx, int err) {
  ga__index_guard *g = ctx->index_guard;
  report r;

  GA_ASSERT(ga__ctx_is_locked(ctx));
  if (err != GA_NO_ERROR || g == NULL || !g->is_due)
    return err;
  GA_TRY(GA_CL(clEnqueueReadBuffer(ctx->queue, g->mem, CL_TRUE, 0, sizeof r, &r,
                                   0, NULL, NULL)));
  if (r.who != 0)
    GA_TRY(GA_CL(clEnqueueWriteBuffer(ctx->queue, g->mem, CL_TRUE, 0,
                                      sizeof nobody, &nobody, 0, NULL, NULL)));
  g->is_due = 0;
  if (r.who > g->users.n) /* some kernel overwrote the report */
    return ga__fail(GA_VALUE_ERROR, "the index guard of the context has been "
                                    "overwritten");
  return r.who != 0 ? fail(&g->users.v[r.who - 1], &r) : GA_NO_ERROR;
}

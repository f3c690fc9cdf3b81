/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise expressions: checks, layout, source, launch.
 *
 * Launches are cached by a hash of the expression and by the geometry
 * (ocl/launch/launch_cache.h), so objects with the same expression share
 * them. */
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>

#include <string.h>

#include "array/elemwise_parts.h"
#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/sha256.h"
#include "codegen/gen_elemwise.h"
#include "codegen/gen_lanes.h"
#include "codegen/template.h"
#include "layout/cut.h"
#include "ocl/launch/launch_cache.h"
#include "ocl/launch/launch_guard.h"
#include "ocl/ocl.h"

struct _GpuElemwise {
  gpucontext *ctx; /* retained */
  unsigned int n;
  gpuelemwise_arg *args; /* names owned */
  char *preamble;        /* or NULL */
  ga__expr expr;
  ga__target target;
  int is_weak; /* the context owns this object and is not retained */
  /* Hash of everything that determines the kernel's source, except the
   * geometry. */
  size_t text[GA_SHA256_BYTES / sizeof(size_t)];
};

/* --- make, free --- */

static int copy_args(GpuElemwise *ge, unsigned int n,
                     const gpuelemwise_arg *args) {
  int has_array = 0;

  GA_TRY(ga__args_check(ge->ctx, n, args));
  for (unsigned int k = 0; k < n; k++)
    has_array |= !ga__arg_is_scalar(&args[k]) && !ga__is_random(&args[k]) &&
                 !ga__is_taken(&args[k]);
  if (!has_array)
    return ga__fail(GA_VALUE_ERROR, "no array among %u arguments", n);
  ge->args = ga__calloc(n, sizeof *ge->args);
  if (ge->args == NULL)
    return ga__fail_nomem();
  ge->n = n;
  return ga__args_copy(ge->args, n, args);
}

ga__target ga__elemwise_target(gpucontext *ctx) {
  const gpudevice_caps *caps = gpucontext_caps(ctx);

  return (ga__target){
      .is_cpu = caps->is_cpu,
      .lanes = caps->vector_float > 0 ? caps->vector_float : 1,
      .units = caps->compute_units > 0 ? caps->compute_units : 1,
      .group = caps->max_group,
      .local_bytes = caps->is_cpu || caps->local_memory ? caps->local_bytes : 0,
      .param_bytes = caps->param_bytes,
  };
}

/* Add the cluda names to the user's preamble, which may use them. `lines` are
 * the preprocessor lines of the expression. */
static int copy_preamble(GpuElemwise *ge, const char *preamble,
                         const char *lines) {
  ga__strb b = GA_STRB_INIT;

  if (preamble[0] == '\0' && lines[0] == '\0')
    return GA_NO_ERROR;
  ga__strb_append(&b, "#define GA_WARP_SIZE 1\n");
  ga__strb_append(&b, ga__template("cluda"));
  ga__strb_appendf(&b, "\n#line 1 \"preamble\"\n%s%s%s", preamble,
                   lines[0] != '\0' ? "\n" : "", lines);
  int err = ga__strb_take(&b, &ge->preamble);
  ga__strb_clear(&b);
  return err == GA_NO_ERROR ? GA_NO_ERROR : ga__fail_nomem();
}

static int copy_texts(GpuElemwise *ge, const char *preamble, const char *expr,
                      int flags) {
  ga__strb lines = GA_STRB_INIT, text = GA_STRB_INIT;
  int err;

  if (ga__expr_has_lines(expr)) {
    GA_CHECK(ga__expr_split(&lines, &text, expr));
    expr = ga__strb_text(&text);
  }
  GA_CHECK(copy_preamble(ge, preamble != NULL ? preamble : "",
                         ga__strb_text(&lines)));
  GA_CHECK(ga__expr_init(&ge->expr, expr, ge->n, ge->args,
                         (flags & GE_VECTOR) && ge->preamble == NULL));

done:
  ga__strb_clear(&lines);
  ga__strb_clear(&text);
  return err;
}

static void hash_text(GpuElemwise *ge) {
  const ga__target *t = &ge->target;
  const size_t numbers[] = {(size_t)ge->expr.is_vector,
                            (size_t)t->is_cpu,
                            t->lanes,
                            t->units,
                            t->group,
                            t->local_bytes,
                            t->param_bytes};
  unsigned char hash[GA_SHA256_BYTES];
  ga__sha256 h;

  ga__sha256_init(&h);
  ga__sha256_add(&h, numbers, sizeof numbers);
  ga__sha256_add_str(&h, ge->expr.text);
  ga__sha256_add_str(&h, ge->preamble);
  ga__args_hash(&h, ge->n, ge->args);
  ga__sha256_end(&h, hash);
  memcpy(ge->text, hash, sizeof ge->text);
}

static int init(GpuElemwise *ge, gpucontext *ctx, const char *preamble,
                const char *expr, unsigned int n, const gpuelemwise_arg *args,
                int flags) {
  ga__ctx_retain(ctx);
  ge->ctx = ctx;
  if (expr == NULL)
    return ga__fail(GA_VALUE_ERROR, "no expression");
  GA_TRY(copy_args(ge, n, args));
  GA_TRY(copy_texts(ge, preamble, expr, flags));
  ge->target = ga__elemwise_target(ctx);
  return GA_NO_ERROR;
}

static const char *options_of(const GpuElemwise *ge) {
  return gpucontext_caps(ge->ctx)->fp64 ? NULL
                                        : "-cl-single-precision-constant";
}

static ga__source source_of(const GpuElemwise *ge, const ga__ew_text *t) {
  return (ga__source){.n = t->n,
                      .parts = t->parts,
                      .entry = t->entry,
                      .options = options_of(ge),
                      .flushes = ga__launch_flushes(ge->ctx)};
}

/* Compile for one long contiguous row, the most frequent geometry, so that
 * mistakes in the expression are reported by GpuElemwise_new(). */
static int try_compile(const GpuElemwise *ge) {
  const size_t dim = (size_t)1 << 20;
  ga__elemwise_layout p = {0};
  ga__iter it = {0};
  ga__ew_text text = {0};
  cl_kernel kernel = NULL;
  size_t *offsets = ga__calloc(ge->n, sizeof *offsets);
  int err;

  if (offsets == NULL)
    return ga__fail_nomem();
  GA_CHECK(ga__iter_init(&it, 1, &dim, ge->n));
  for (unsigned int k = 0; k < ge->n; k++)
    it.strides[k][0] = (ptrdiff_t)ga__dtype_size(ge->args[k].typecode);
  GA_CHECK(ga__elemwise_layout_make(&p, &it, ge->args, offsets, &ge->expr,
                                    &ge->target, 1));
  GA_CHECK(ga__gen_elemwise(&text, &p, ge->args, &ge->expr, ge->preamble));
  ga__source src = source_of(ge, &text);
  GA_CHECK(ga__kernel_get(&kernel, ge->ctx, &src));

done:
  if (kernel != NULL)
    clReleaseKernel(kernel);
  ga__ew_text_clear(&text);
  ga__elemwise_layout_clear(&p);
  ga__iter_clear(&it);
  ga__free(offsets);
  return err;
}

/* Compile a scalar expression, with vectors if they are shown to give the same
 * values. */
static int compile_plain(GpuElemwise *ge) {
  const ga__expr plain = ge->expr;

  ga__err_mute(1);
  int has_lanes = ge->preamble == NULL &&
                  ga__lanes_show(&ge->expr, ge->n, ge->args) &&
                  try_compile(ge) == GA_NO_ERROR;
  ga__err_mute(0);
  if (has_lanes)
    return GA_NO_ERROR;
  ge->expr = plain;
  return try_compile(ge);
}

static int has_taken(const GpuElemwise *ge) {
  for (unsigned int k = 0; k < ge->n; k++) {
    if (ga__is_taken(&ge->args[k]))
      return 1;
  }
  return 0;
}

int ga__elemwise_new(GpuElemwise **out, gpucontext *ctx, const char *preamble,
                     const char *expr, unsigned int n,
                     const gpuelemwise_arg *args, int flags) {
  GpuElemwise *ge;
  int err;

  *out = NULL;
  if (ctx == NULL || (n > 0 && args == NULL))
    return ga__fail(GA_INVALID_ERROR, "no %s",
                    ctx == NULL ? "context" : "arguments");
  ge = ga__calloc(1, sizeof *ge);
  if (ge == NULL)
    return ga__fail_nomem();
  GA_CHECK(init(ge, ctx, preamble, expr, n, args, flags));
  /* Expressions in GE_VECTOR form are generated and need no check. Most are
   * used with other geometries than that of the trial, and what is read by
   * index has none of its own. */
  if ((flags & GE_VECTOR) == 0 && !has_taken(ge))
    GA_CHECK(compile_plain(ge));
  hash_text(ge);
  *out = ge;
  ge = NULL;

done:
  GpuElemwise_free(ge);
  return err;
}

GpuElemwise *GpuElemwise_new(gpucontext *ctx, const char *preamble,
                             const char *expr, unsigned int n,
                             gpuelemwise_arg *args, unsigned int nd,
                             int flags) {
  GpuElemwise *ge;

  (void)nd; /* kernels are compiled for a geometry, not for a rank */
  ga__elemwise_new(&ge, ctx, preamble, expr, n, args, flags);
  return ge;
}

void GpuElemwise_free(GpuElemwise *ge) {
  if (ge == NULL)
    return;
  ga__args_clear(ge->args, ge->n);
  ga__free(ge->args);
  ga__free(ge->preamble);
  ga__expr_clear(&ge->expr);
  if (ge->ctx != NULL && !ge->is_weak)
    gpucontext_deref(ge->ctx);
  ga__free(ge);
}

void ga__elemwise_weaken(GpuElemwise *ge) {
  ge->is_weak = 1;
  gpucontext_deref(ge->ctx);
}

/* --- launches --- */

/* The alignment in bytes that later bindings of array k need. */
static size_t alignment_of(const GpuElemwise *ge, const ga__elemwise_layout *p,
                           unsigned int k) {
  if (p->args[k].is_aligned && !ga__is_random(&ge->args[k]))
    return p->args[k].bytes * p->lanes;
  return ga__type_align(ga__type_of(ge->args[k].typecode));
}

/* The size and the stride, in elements, of the axis that an index runs
 * along. */
static void add_axis(GpuLaunch *l, const GpuArray *a, unsigned int axis,
                     size_t bytes) {
  ga__launch_ssize(l, (ptrdiff_t)a->dimensions[axis]);
  ga__launch_ssize(l, a->strides[axis] / (ptrdiff_t)bytes);
}

static void add_arguments(GpuLaunch *l, const GpuElemwise *ge,
                          const ga__elemwise_layout *p, const ga__iter *it,
                          void *const *values) {
  for (unsigned int k = 0; k < ge->n; k++) {
    if (p->args[k].access == GA_AT_VALUE) {
      ga__launch_value(l, (int)k, p->args[k].bytes, values[k]);
      continue;
    }
    ga__launch_slot(l, k);
    ga__launch_offset(l, k,
                      ga__is_random(&ge->args[k]) ? 0 : (size_t)it->first[k]);
    if (ga__is_taken(&ge->args[k]))
      add_axis(l, values[k], ga__taken_axis(&ge->args[k]), p->args[k].bytes);
    ga__launch_bind_array(l, k, values[k]);
    ga__launch_require_align(l, k, alignment_of(ge, p, k));
  }
  for (size_t i = 0; !p->is_baked && i < p->sizes.n; i++) {
    if (p->is_wide)
      ga__launch_ssize(l, (ptrdiff_t)p->sizes.v[i].value);
    else
      ga__launch_int(l, (int32_t)p->sizes.v[i].value);
  }
  if (has_taken(ge))
    ga__launch_index_guard(l, &(ga__indexing){.has_gaps = 1});
}

static void add_cost(GpuLaunch *l, const GpuElemwise *ge, const ga__iter *it) {
  double bytes = 0;

  for (unsigned int k = 0; k < ge->n; k++) {
    int flags = ge->args[k].flags;
    int times = (flags & GE_READ) && (flags & GE_WRITE) ? 2 : 1;

    if (ga__is_taken(&ge->args[k]))
      bytes += (double)ga__dtype_size(ge->args[k].typecode) *
               (double)ga__iter_total(it);
    else if ((flags & (GE_SCALAR | GE_RANDOM)) == 0)
      bytes += times * (double)ga__dtype_size(ge->args[k].typecode) *
               (double)ga__iter_visits(it, k);
  }
  ga__launch_cost(l, bytes, ge->expr.n_ops * (double)ga__iter_total(it));
}

/* Give an empty space sizes of 1, so that it can be laid out. Returns whether
 * it was empty; such a launch has no work-items. */
static int fill_empty(ga__iter *it) {
  int is_empty = ga__iter_total(it) == 0;

  for (unsigned int d = 0; is_empty && d < it->nd; d++) {
    it->dims[d] = 1;
    for (unsigned int k = 0; k < it->n; k++)
      it->strides[k][d] = 0;
  }
  return is_empty;
}

/* Do places in arrays that are read by index need 64 bits? */
static int is_far(const GpuElemwise *ge, void *const *values) {
  for (unsigned int k = 0; k < ge->n; k++) {
    const GpuArray *a = values[k];
    size_t reach = 0;

    for (unsigned int d = 0; ga__is_taken(&ge->args[k]) && d < a->nd; d++)
      reach += a->dimensions[d] *
               (size_t)(a->strides[d] < 0 ? -a->strides[d] : a->strides[d]);
    if (!ga__fits_int(reach))
      return 1;
  }
  return 0;
}

/* Everything that the source depends on. The names of the sizes follow from the
 * kernel and the accesses. */
static void key_of_kernel(ga__launch_key *key, const GpuElemwise *ge,
                          const ga__elemwise_layout *p) {
  const unsigned int shape[] = {p->kernel,
                                (unsigned int)p->is_wide,
                                (unsigned int)p->is_far,
                                (unsigned int)p->has_digits,
                                p->nd,
                                p->lanes,
                                p->block,
                                p->tile_i,
                                p->tile_j,
                                p->group,
                                (unsigned int)p->is_baked};

  ga__launch_key_start(key, ge->ctx, "elemwise");
  ga__launch_key_bytes(key, ge->text, sizeof ge->text);
  ga__launch_key_bytes(key, shape, sizeof shape);
  for (unsigned int k = 0; k < p->n; k++)
    ga__launch_key_number(key, (size_t)p->args[k].access << 2 |
                                   (size_t)(p->args[k].is_aligned != 0) << 1 |
                                   (size_t)(p->args[k].is_stream != 0));
  for (size_t i = 0; p->is_baked && i < p->sizes.n; i++)
    ga__launch_key_number(key, (size_t)p->sizes.v[i].value);
}

static int write_kernel(GpuLaunch *l, const GpuElemwise *ge,
                        const ga__elemwise_layout *p,
                        const ga__launch_key *key) {
  ga__ew_text text = {0};
  const int err = ga__gen_elemwise(&text, p, ge->args, &ge->expr, ge->preamble);

  if (err == GA_NO_ERROR) {
    const ga__source src = source_of(ge, &text);
    ga__launch_kernel(l, &src, 1, &p->gs, &p->ls);
    ga__launch_remember(l, key);
  }
  ga__ew_text_clear(&text);
  return err;
}

static void add_kernel(GpuLaunch *l, const GpuElemwise *ge,
                       const ga__elemwise_layout *p) {
  ga__launch_key key;

  key_of_kernel(&key, ge, p);
  if (!ga__launch_again(l, &key, 1, &p->gs, &p->ls))
    ga__launch_error(l, write_kernel(l, ge, p, &key));
}

static int build_launch(GpuLaunch **out, const GpuElemwise *ge, ga__iter *it,
                        void *const *values, int flags) {
  ga__elemwise_layout p = {0};
  ga__room room;
  size_t *offsets = ga__room_take(&room, ge->n, sizeof *offsets);
  int err, is_empty = fill_empty(it);

  if (offsets == NULL)
    return ga__fail_nomem();
  for (unsigned int k = 0; k < ge->n; k++) {
    if ((ge->args[k].flags & (GE_SCALAR | GE_RANDOM)) == 0)
      offsets[k] = ((const GpuArray *)values[k])->offset;
  }
  GA_CHECK(ga__elemwise_layout_make(&p, it, ge->args, offsets, &ge->expr,
                                    &ge->target, (flags & GE_NOCOLLAPSE) == 0));
  p.is_far = is_far(ge, values);
  if (is_empty)
    p.gs = 0;
  GpuLaunch *l = ga__launch_open(ge->ctx, "elemwise", ge->n);
  add_kernel(l, ge, &p);
  add_arguments(l, ge, &p, it, values);
  if (!is_empty)
    add_cost(l, ge, it);
  GA_CHECK(ga__launch_seal(out, l));

done:
  ga__elemwise_layout_clear(&p);
  ga__room_drop(&room);
  return err;
}

int GpuElemwise_prepare(GpuLaunch **out, GpuElemwise *ge, void **args,
                        int flags) {
  ga__iter it = {0};
  int err;

  *out = NULL;
  GA_CHECK(ga__elemwise_space(&it, ge->ctx, ge->n, ge->args, args, flags));
  GA_CHECK(ga__operands_check_apart(ge->n, ge->args, args));
  GA_CHECK(build_launch(out, ge, &it, args, flags));

done:
  ga__iter_clear(&it);
  return err;
}

/* --- calls --- */

static void add_key(ga__launch_key *key, const GpuElemwise *ge,
                    void *const *values, int flags) {
  ga__launch_key_start(key, ge->ctx, "elemwise");
  for (size_t i = 0; i < sizeof ge->text / sizeof ge->text[0]; i++)
    ga__launch_key_number(key, ge->text[i]);
  ga__launch_key_number(key, (size_t)flags);
  for (unsigned int k = 0; k < ge->n; k++) {
    if ((ge->args[k].flags & GE_SCALAR) == 0)
      ga__launch_key_array(key, values[k]);
  }
}

typedef struct call {
  const GpuElemwise *ge;
  void *const *values;
  int flags;
} call;

/* Prepare a launch for a new geometry. An empty one gets no launch. */
static int prepare_call(GpuLaunch **out, const void *arg) {
  const call *c = arg;
  const GpuElemwise *ge = c->ge;
  ga__iter it = {0};
  int err;

  *out = NULL;
  GA_CHECK(
      ga__elemwise_space(&it, ge->ctx, ge->n, ge->args, c->values, c->flags));
  if (ga__iter_total(&it) > 0)
    GA_CHECK(build_launch(out, ge, &it, c->values, c->flags));

done:
  ga__iter_clear(&it);
  return err;
}

int GpuElemwise_call(GpuElemwise *ge, void **args, int flags) {
  const call c = {ge, args, flags};
  ga__launch_key key;

  for (unsigned int k = 0; k < ge->n; k++)
    GA_TRY(ga__operand_check(&ge->args[k], args[k], ge->ctx));
  add_key(&key, ge, args, flags);
  return ga__cached_run(&(ga__cached_call){.ctx = ge->ctx,
                                           .key = &key,
                                           .n = ge->n,
                                           .values = (const void *const *)args,
                                           .prepare = prepare_call,
                                           .arg = &c});
}

int ga__elemwise_map(const char *expr, unsigned int n,
                     const gpuelemwise_arg *args, void **values) {
  int flags = GE_VECTOR;
  GpuElemwise *ge;

  for (unsigned int i = 0; i < n; i++)
    if (ga__dtype_is_complex(args[i].typecode))
      flags = 0;
  GA_TRY(ga__elemwise_new(&ge, GpuArray_context(values[0]), NULL, expr, n, args,
                          flags));
  const int err = GpuElemwise_call(ge, values, 0);
  GpuElemwise_free(ge);
  return err;
}

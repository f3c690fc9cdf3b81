/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of arguments, and conversion of those of another dtype. */
#include <gpuarray/create.h>
#include <string.h>

#include "base/dtype.h"
#include "func/func.h"

#define TYPE_TEXT 160 /* bytes */

static char *array_text(int dtype, unsigned int nd, const size_t *dims,
                        char *buf, size_t bytes) {
  gg_type t = {.dtype = dtype, .nd = nd < GG_MAX_ND ? nd : GG_MAX_ND};

  for (unsigned int i = 0; i < t.nd; i++)
    t.dims[i] = (int64_t)dims[i];
  return gg_type_text(&t, buf, bytes);
}

/* --- what the spec says --- */

static gg__casting casting_of(const gg_func *f, size_t i) {
  return f->options.castings != NULL ? (gg__casting)f->options.castings[i]
                                     : f->options.casting;
}

int gg__casting_init(gg_func *f, const gg_func_spec *spec) {
  const size_t n = f->n_given;

  f->options.casting = spec->flags & GG_STRICT           ? GG_CAST_NONE
                       : spec->flags & GG_ALLOW_DOWNCAST ? GG_CAST_ANY
                                                         : GG_CAST_SAFE;
  if (gg__list_length(spec->strict_inputs) == 0 &&
      gg__list_length(spec->downcast_inputs) == 0)
    return GA_NO_ERROR;
  f->options.castings =
      ga__arena_alloc(&f->unit.program.arena, f->unit.program.arguments.n);
  if (f->options.castings == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++) {
    f->options.castings[i] = (unsigned char)f->options.casting;
    if (gg__list_has(spec->strict_inputs, spec->inputs[i]))
      f->options.castings[i] = GG_CAST_NONE;
    if (gg__list_has(spec->downcast_inputs, spec->inputs[i]))
      f->options.castings[i] = GG_CAST_ANY;
  }
  return GA_NO_ERROR;
}

int gg__casting_copy(gg_func *f, const gg_func *from) {
  f->options.casting = from->options.casting;
  if (from->options.castings == NULL)
    return GA_NO_ERROR;
  f->options.castings =
      ga__arena_dup(&f->unit.program.arena, from->options.castings,
                    f->unit.program.arguments.n);
  return f->options.castings != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

/* --- checks --- */

static int has_dtype(const gg_type *t, const GpuArray *a) {
  return ga__dtype_canon(a->typecode) == t->dtype;
}

static int has_sizes(const gg_type *t, unsigned int nd, const size_t *dims) {
  if (nd != t->nd)
    return 0;
  for (unsigned int i = 0; i < nd; i++)
    if (t->dims[i] != GG_ANY && dims[i] != (size_t)t->dims[i])
      return 0;
  return 1;
}

static int fits(const gg_type *t, const GpuArray *a) {
  return has_sizes(t, a->nd, a->dimensions);
}

/* Advice for the message if an argument is refused for its dtype alone. */
static const char *advice(const gg_func *f, size_t i, const GpuArray *a) {
  const gg_type *t = &f->unit.program.arguments.v[i]->type;

  if (has_dtype(t, a) || !fits(t, a) || GpuArray_context(a) != t->ctx)
    return "";
  switch (casting_of(f, i)) {
  case GG_CAST_SAFE:
    return "; GG_ALLOW_DOWNCAST converts it";
  case GG_CAST_NONE:
    return f->options.casting == GG_CAST_NONE
               ? "; GG_STRICT keeps it from being converted"
               : "; it is a strict input";
  case GG_CAST_ANY:
    break;
  }
  return "";
}

int gg__check_input(const gg_func *f, unsigned int i, const GpuArray *a) {
  const gg_var *v = f->unit.program.arguments.v[i];
  char want[TYPE_TEXT], got[TYPE_TEXT];
  char here[GG_CONTEXT_TEXT], there[GG_CONTEXT_TEXT];

  if (a == NULL || a->data == NULL)
    return ga__fail(GA_VALUE_ERROR, "input %u (%s): expected %s, got nothing",
                    i, v->name, gg_type_text(&v->type, want, sizeof want));
  if (!has_dtype(&v->type, a) || !fits(&v->type, a))
    return ga__fail(
        GA_VALUE_ERROR, "input %u (%s): expected %s, got %s%s", i, v->name,
        gg_type_text(&v->type, want, sizeof want),
        array_text(a->typecode, a->nd, a->dimensions, got, sizeof got),
        advice(f, i, a));
  if (GpuArray_context(a) != v->type.ctx)
    return ga__fail(
        GA_VALUE_ERROR,
        "input %u (%s): the array is in another context (%s) than the "
        "input (%s)",
        i, v->name, gg_context_text(GpuArray_context(a), there, sizeof there),
        gg_context_text(v->type.ctx, here, sizeof here));
  return GA_NO_ERROR;
}

int gg__check_sizes(const gg_func *f, unsigned int i, const gg_dims *d) {
  const gg_var *v = f->unit.program.arguments.v[i];
  char want[TYPE_TEXT], got[TYPE_TEXT];

  if (has_sizes(&v->type, d->nd, d->dim))
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "input %u (%s): expected %s, got %s", i,
                  v->name, gg_type_text(&v->type, want, sizeof want),
                  array_text(v->type.dtype, d->nd, d->dim, got, sizeof got));
}

int gg__check_arguments(const gg_func *f, GpuArray *const *in,
                        GpuArray *const *out) {
  if (in == NULL && f->unit.program.arguments.n > 0)
    return ga__fail(GA_VALUE_ERROR, "expected %zu inputs, got none",
                    f->unit.program.arguments.n);
  if (out == NULL && f->unit.program.n_outputs > 0)
    return ga__fail(GA_VALUE_ERROR, "expected %zu outputs, got none",
                    f->unit.program.n_outputs);
  for (unsigned int i = 0; i < f->unit.program.arguments.n; i++)
    GA_TRY(gg__check_input(f, i, in[i]));
  return GA_NO_ERROR;
}

/* --- other dtypes --- */

static int may_cast(gg__casting casting, int to, int from) {
  switch (casting) {
  case GG_CAST_SAFE:
    return ga__dtype_holds(to, from);
  case GG_CAST_ANY:
    return ga__dtype_kind(from) != GA_KIND_NONE &&
           (!ga__dtype_is_complex(from) || ga__dtype_is_complex(to));
  case GG_CAST_NONE:
    break;
  }
  return 0;
}

int gg__is_cast(const gg_func *f, size_t i, const GpuArray *a) {
  const gg_type *t = &f->unit.program.arguments.v[i]->type;

  return a != NULL && a->data != NULL && !has_dtype(t, a) && fits(t, a) &&
         GpuArray_context(a) == t->ctx &&
         may_cast(casting_of(f, i), t->dtype, a->typecode);
}

int gg__copy_input(const gg_func *f, size_t i, const GpuArray *a,
                   GpuArray *out) {
  return gg__is_cast(f, i, a)
             ? GpuArray_cast(out, a, f->unit.program.arguments.v[i]->type.dtype,
                             GA_C_ORDER)
             : GpuArray_copy(out, a, GA_C_ORDER);
}

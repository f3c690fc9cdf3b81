/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of operands; the rules are in the header. */
#include "array/operands.h"

#include <ctype.h>
#include <gpuarray/device.h>

#include "array/geometry.h"
#include "array/overlap.h"
#include "array/random_check.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "layout/elemwise.h"

/* The generators' buffers hold names of this length. */
enum { NAME_BYTES_MAX = 60 };

/* --- descriptions --- */

static int check_name(const char *name, unsigned int k) {
  size_t n = 0;

  while (name != NULL && (isalnum((unsigned char)name[n]) || name[n] == '_'))
    n++;
  if (n == 0 || name[n] != '\0' || isdigit((unsigned char)name[0]))
    return ga__fail(GA_VALUE_ERROR, "argument %u: \"%s\" is not a name", k,
                    name != NULL ? name : "");
  if (n > NAME_BYTES_MAX)
    return ga__fail(GA_VALUE_ERROR,
                    "argument %u: a name of %zu bytes, at most %d", k, n,
                    NAME_BYTES_MAX);
  return GA_NO_ERROR;
}

static int check_taken(const gpuelemwise_arg *a) {
  if (a->flags & (GE_READ | GE_WRITE | GE_SCALAR | GE_RANDOM))
    return ga__fail(GA_VALUE_ERROR,
                    "%s: what is read by index is nothing else as well",
                    a->name);
  if (ga__dtype_is_complex(a->typecode))
    return ga__fail(GA_UNSUPPORTED_ERROR, "%s: %s cannot be read by index",
                    a->name, ga__dtype_name(a->typecode));
  return GA_NO_ERROR;
}

static int check_arg(const gpuelemwise_arg *a, const gpudevice_caps *caps) {
  const int code = ga__dtype_canon(a->typecode);

  if (ga__dtype_kind(code) == GA_KIND_NONE)
    return ga__fail(GA_VALUE_ERROR, "%s: type %d is not supported", a->name,
                    a->typecode);
  if ((code == GA_DOUBLE || code == GA_CDOUBLE) && !caps->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "%s: the device has no %s", a->name,
                    ga__dtype_name(code));
  if (ga__arg_is_scalar(a) && ga__arg_is_written(a))
    return ga__fail(GA_VALUE_ERROR, "%s: a scalar cannot be written", a->name);
  if (ga__is_taken(a))
    return check_taken(a);
  return a->flags & GE_RANDOM ? ga__random_check_arg(a) : GA_NO_ERROR;
}

int ga__args_check(gpucontext *ctx, unsigned int n,
                   const gpuelemwise_arg *args) {
  for (unsigned int k = 0; k < n; k++) {
    GA_TRY(check_name(args[k].name, k));
    GA_TRY(check_arg(&args[k], gpucontext_caps(ctx)));
  }
  return GA_NO_ERROR;
}

int ga__args_check_used(gpucontext *ctx, unsigned int n,
                        const gpuelemwise_arg *args) {
  GA_TRY(ga__args_check(ctx, n, args));
  for (unsigned int k = 0; k < n; k++) {
    if (!(args[k].flags & (GE_READ | GE_WRITE | GE_SCALAR)))
      return ga__fail(GA_VALUE_ERROR, "%s: neither read nor written",
                      args[k].name);
  }
  return GA_NO_ERROR;
}

int ga__args_copy(gpuelemwise_arg *to, unsigned int n,
                  const gpuelemwise_arg *args) {
  for (unsigned int k = 0; k < n; k++) {
    to[k] = (gpuelemwise_arg){.name = ga__strdup(args[k].name),
                              .typecode = ga__dtype_canon(args[k].typecode),
                              .flags = args[k].flags};
    if (to[k].name == NULL)
      return ga__fail_nomem();
  }
  return GA_NO_ERROR;
}

void ga__args_hash(ga__sha256 *h, unsigned int n, const gpuelemwise_arg *args) {
  ga__sha256_add(h, &n, sizeof n);
  for (unsigned int k = 0; k < n; k++) {
    ga__sha256_add_str(h, args[k].name);
    ga__sha256_add(h, &args[k].typecode, sizeof args[k].typecode);
    ga__sha256_add(h, &args[k].flags, sizeof args[k].flags);
  }
}

void ga__args_clear(gpuelemwise_arg *args, unsigned int n) {
  for (unsigned int k = 0; args != NULL && k < n; k++)
    ga__free((void *)args[k].name);
}

/* --- values --- */

int ga__operand_check_aligned(const char *name, const GpuArray *a) {
  if (!GpuArray_ISALIGNED(a))
    return ga__fail(GA_UNALIGNED_ERROR,
                    "%s: offset %zu: elements are not aligned for %s", name,
                    a->offset, ga__dtype_name(a->typecode));
  return GA_NO_ERROR;
}

int ga__operand_check_places(const char *name, const GpuArray *a) {
  for (unsigned int d = 0; d < a->nd && ga__array_total(a) > 0; d++) {
    if (a->dimensions[d] > 1 && a->strides[d] == 0)
      return ga__fail(GA_VALUE_ERROR, "%s, dim %u: %zu results in one place",
                      name, d, a->dimensions[d]);
  }
  return GA_NO_ERROR;
}

static int check_given(const char *name, const GpuArray *a, gpucontext *ctx) {
  if (a == NULL || a->data == NULL)
    return ga__fail(GA_INVALID_ERROR, "%s: no array", name);
  if (GpuArray_context(a) != ctx)
    return ga__fail(GA_VALUE_ERROR, "%s: of another context", name);
  return GA_NO_ERROR;
}

int ga__operand_check_array(const char *name, const GpuArray *a,
                            gpucontext *ctx, int typecode) {
  GA_TRY(check_given(name, a, ctx));
  if (typecode == GA_OPERAND_ANY) {
    if (ga__dtype_kind(a->typecode) == GA_KIND_NONE)
      return ga__fail(GA_UNSUPPORTED_ERROR, "%s: type %d is not supported",
                      name, a->typecode);
  } else if (ga__dtype_canon(a->typecode) != ga__dtype_canon(typecode)) {
    return ga__fail(GA_VALUE_ERROR, "%s: expected %s, got %s", name,
                    ga__dtype_name(typecode), ga__dtype_name(a->typecode));
  }
  return ga__operand_check_aligned(name, a);
}

int ga__operand_check_result(const char *name, const GpuArray *a,
                             gpucontext *ctx, int typecode) {
  GA_TRY(ga__operand_check_array(name, a, ctx, typecode));
  if (!GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_READONLY_ERROR, "%s: not writeable", name);
  return GA_NO_ERROR;
}

int ga__operand_check(const gpuelemwise_arg *arg, const void *value,
                      gpucontext *ctx) {
  if (ga__arg_is_scalar(arg))
    return value != NULL
               ? GA_NO_ERROR
               : ga__fail(GA_INVALID_ERROR, "%s: no value", arg->name);
  if (arg->flags & GE_RANDOM) {
    GA_TRY(check_given(arg->name, value, ctx));
    return ga__random_check(value, arg->name);
  }
  return ga__arg_is_written(arg)
             ? ga__operand_check_result(arg->name, value, ctx, arg->typecode)
             : ga__operand_check_array(arg->name, value, ctx, arg->typecode);
}

/* --- in a space --- */

int ga__operand_place(ptrdiff_t *strides, const char *name, const GpuArray *a,
                      unsigned int nd, const size_t *dims, int may) {
  if (a->nd > nd || (a->nd < nd && !(may & GA_MAY_PAD)))
    return ga__fail(GA_VALUE_ERROR, "%s: expected %u dimensions, got %u", name,
                    nd, a->nd);
  const unsigned int missing = nd - a->nd;
  for (unsigned int d = 0; d < nd; d++) {
    const size_t dim = d < missing ? 1 : a->dimensions[d - missing];

    if (dim != dims[d] && !(dim == 1 && (may & GA_MAY_REPEAT)))
      return ga__fail(GA_VALUE_ERROR, "%s: dim %u: expected %zu, got %zu", name,
                      d, dims[d], dim);
    if (strides != NULL)
      strides[d] = dim == 1 ? 0 : a->strides[d - missing];
  }
  return GA_NO_ERROR;
}

int ga__operand_check_apart(const char *name, const GpuArray *result,
                            const char *other, const GpuArray *read) {
  if (ga__arrays_overlap(result, read))
    return ga__fail(GA_VALUE_ERROR, "%s: overlaps %s", name, other);
  return GA_NO_ERROR;
}

int ga__operands_check_apart(unsigned int n, const gpuelemwise_arg *args,
                             void *const *values) {
  for (unsigned int k = 0; k < n; k++) {
    for (unsigned int i = 0; ga__arg_is_written(&args[k]) && i < n; i++) {
      if (i != k && !ga__arg_is_scalar(&args[i]) &&
          (ga__arg_is_written(&args[i]) || ga__is_taken(&args[i]) ||
           !ga__arrays_same(values[k], values[i])))
        GA_TRY(ga__operand_check_apart(args[k].name, values[k], args[i].name,
                                       values[i]));
    }
  }
  return GA_NO_ERROR;
}

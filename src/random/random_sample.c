/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns uniform numbers into numbers of other distributions. */
#include <gpuarray/device.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "array/random_check.h"
#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_random.h"
#include "codegen/template.h"
#include "ocl/ocl.h"

enum { RESULT, UNIFORM, CHANCES, SLOTS };

#define GROUP 64

/* --- checks --- */

static int check_double(const char *name, const GpuArray *a) {
  if (ga__dtype_canon(a->typecode) == GA_DOUBLE &&
      !gpucontext_caps(GpuArray_context(a))->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "%s: the device has no float64", name);
  return GA_NO_ERROR;
}

/* Check the dtype of `u`, which is also the one that kernels compute with. */
static int check_real(const GpuArray *u) {
  GA_TRY(ga__array_check(u));
  const int code = ga__dtype_canon(u->typecode);

  if (code != GA_FLOAT && code != GA_DOUBLE)
    return ga__fail(GA_VALUE_ERROR, "u: expected float32 or float64, got %s",
                    ga__dtype_name(u->typecode));
  return check_double("u", u);
}

static int check_input(const GpuArray *a, const char *name, const GpuArray *z,
                       int typecode) {
  GA_TRY(ga__operand_check_array(name, a, GpuArray_context(z), typecode));
  return ga__operand_check_apart(name, a, "the result", z);
}

static int check_result(const GpuArray *z) {
  GA_TRY(ga__array_check(z));
  if (ga__dtype_kind(z->typecode) == GA_KIND_NONE ||
      ga__dtype_is_complex(z->typecode))
    return ga__fail(GA_VALUE_ERROR, "result: %s is not a real type",
                    ga__dtype_name(z->typecode));
  GA_TRY(check_double("result", z));
  return ga__operand_check_result("result", z, GpuArray_context(z),
                                  GA_OPERAND_ANY);
}

/* Check that the result is int64 and C contiguous. */
static int check_numbers(const GpuArray *z) {
  GA_TRY(check_result(z));
  if (ga__dtype_canon(z->typecode) != GA_LONG)
    return ga__fail(GA_VALUE_ERROR, "result: expected int64, got %s",
                    ga__dtype_name(z->typecode));
  if (!GpuArray_IS_C_CONTIGUOUS(z))
    return ga__fail(GA_COPY_ERROR, "result: the array is not C contiguous");
  return GA_NO_ERROR;
}

/* --- binomial --- */

/* The template defines a function, as preamble of an elementwise expression. */
int GpuRandom_binomial_prepare(GpuLaunch **out, GpuArray *z, const GpuArray *u,
                               const GpuArray *n, const GpuArray *p) {
  void *values[] = {z, (void *)u, (void *)n, (void *)p};
  ga__strb text = GA_STRB_INIT;
  GpuElemwise *ge = NULL;
  int err;

  *out = NULL;
  GA_TRY(check_result(z));
  GA_TRY(check_real(u));
  ga__gen_random_sample(&text, u->typecode, z->typecode);
  ga__strb_append(&text, ga__template("random_binomial"));
  GA_CHECK(text.err);
  const gpuelemwise_arg args[] = {{"z", z->typecode, GE_WRITE},
                                  {"u", u->typecode, GE_READ},
                                  {"n", u->typecode, GE_READ},
                                  {"p", u->typecode, GE_READ}};
  GA_CHECK(ga__elemwise_new(&ge, GpuArray_context(z), ga__strb_text(&text),
                            "z = binomial_number(u, n, p)", 4, args,
                            GE_CONVERT_F16));
  GA_CHECK(GpuElemwise_prepare(out, ge, values, GE_BROADCAST));
  GA_CHECK(GpuLaunch_label(*out, "binomial"));

done:
  if (err != GA_NO_ERROR) {
    GpuLaunch_free(*out);
    *out = NULL;
  }
  GpuElemwise_free(ge);
  ga__strb_clear(&text);
  return err;
}

/* --- rows --- */

/* Open a launch of a kernel of cl/<template>.cl, with a work-item for each of
 * `items` rows or elements. */
static GpuLaunch *open_rows(const char *template, const char *entry,
                            const GpuArray *z, int real, size_t items,
                            unsigned int slots) {
  gpucontext *ctx = GpuArray_context(z);
  const gpudevice_caps *caps = gpucontext_caps(ctx);
  const size_t ls = caps->is_cpu ? 1 : ga__at_most(GROUP, caps->max_group);
  const size_t gs = ga__round_up(items, ls);
  GpuLaunch *l = ga__launch_open(ctx, entry, slots);
  ga__strb macros = GA_STRB_INIT;
  const char *parts[2];
  const ga__source src = {
      .n = 2,
      .parts = parts,
      .entry = entry,
      .options = caps->fp64 ? NULL : "-cl-single-precision-constant"};

  ga__gen_random_sample(&macros, real, z->typecode);
  if (macros.err != GA_NO_ERROR)
    ga__launch_error(l, macros.err);
  parts[0] = ga__strb_text(&macros);
  parts[1] = ga__template(template);
  ga__launch_kernel(l, &src, 1, &gs, &ls);
  ga__strb_clear(&macros);
  return l;
}

static void add_array(GpuLaunch *l, unsigned int slot, const GpuArray *a) {
  ga__launch_slot(l, slot);
  ga__launch_offset(l, slot, 0);
  ga__launch_require_align(l, slot, GpuArray_ITEMSIZE(a));
  ga__launch_bind_array(l, slot, a);
}

/* Add a matrix: buffer, offset, and the strides of rows and columns in
 * elements. */
static void add_matrix(GpuLaunch *l, unsigned int slot, const GpuArray *a) {
  add_array(l, slot, a);
  for (int d = 0; d < 2; d++)
    ga__launch_ssize(l, a->strides[d] / (ssize_t)GpuArray_ITEMSIZE(a));
}

int GpuRandom_multinomial_prepare(GpuLaunch **out, GpuArray *z,
                                  const GpuArray *u, const GpuArray *p,
                                  size_t count) {
  *out = NULL;
  GA_TRY(check_result(z));
  GA_TRY(check_real(u));
  GA_TRY(check_input(u, "u", z, u->typecode));
  GA_TRY(check_input(p, "p", z, u->typecode));
  GA_TRY(ga__operand_place(NULL, "result", z, 2, z->dimensions, 0));
  GA_TRY(ga__operand_place(NULL, "u", u, 2, z->dimensions, 0));
  GA_TRY(ga__operand_place(NULL, "p", p, 2, z->dimensions, 0));
  GpuLaunch *l = open_rows("random_multinomial", "multinomial", z, u->typecode,
                           z->dimensions[0], SLOTS);
  add_matrix(l, RESULT, z);
  add_matrix(l, UNIFORM, u);
  add_matrix(l, CHANCES, p);
  ga__launch_size(l, z->dimensions[0]);
  ga__launch_size(l, z->dimensions[1]);
  ga__launch_size(l, count);
  return ga__launch_seal(out, l);
}

int GpuRandom_choice_prepare(GpuLaunch **out, GpuArray *z, const GpuArray *u,
                             const GpuArray *p) {
  size_t dims[2];

  *out = NULL;
  GA_TRY(check_numbers(z));
  GA_TRY(check_real(u));
  GA_TRY(check_input(u, "u", z, u->typecode));
  GA_TRY(check_input(p, "p", z, u->typecode));
  GA_TRY(ga__operand_place(NULL, "result", z, 2, z->dimensions, 0));
  GA_TRY(ga__operand_place(NULL, "u", u, 2, z->dimensions, 0));
  dims[0] = z->dimensions[0];
  dims[1] = p->nd == 2 ? p->dimensions[1] : 0;
  GA_TRY(ga__operand_place(NULL, "p", p, 2, dims, 0));
  if (z->dimensions[1] > dims[1])
    return ga__fail(GA_VALUE_ERROR, "%zu different numbers out of %zu",
                    z->dimensions[1], dims[1]);
  GpuLaunch *l =
      open_rows("random_choice", "choice", z, u->typecode, dims[0], SLOTS);
  add_array(l, RESULT, z);
  add_matrix(l, UNIFORM, u);
  add_matrix(l, CHANCES, p);
  ga__launch_size(l, dims[0]);
  ga__launch_size(l, dims[1]);
  ga__launch_size(l, z->dimensions[1]);
  ga__launch_work(l, ga__array_total(p) * GpuArray_ITEMSIZE(p));
  return ga__launch_seal(out, l);
}

/* --- permutations --- */

/* The least `bits` for which 2^(2 * bits) is at least 2 n: half the width of
 * the numbers that are permuted. */
static uint32_t half_bits(size_t n) {
  uint32_t bits = 1;

  while (bits < 31 && ((size_t)1 << 2 * bits) / 2 < n)
    bits++;
  return bits;
}

int GpuRandom_permutation_prepare(GpuLaunch **out, GpuArray *z,
                                  const GpuArray *bits, size_t n) {
  const size_t words = GA_PERMUTATION_WORDS;

  *out = NULL;
  GA_TRY(check_numbers(z));
  GA_TRY(ga__operand_place(NULL, "result", z, 1, z->dimensions, 0));
  GA_TRY(check_input(bits, "bits", z, GA_UINT));
  GA_TRY(ga__operand_place(NULL, "bits", bits, 1, &words, 0));
  if (!GpuArray_IS_C_CONTIGUOUS(bits))
    return ga__fail(GA_COPY_ERROR, "bits: the array is not C contiguous");
  if (z->dimensions[0] > n)
    return ga__fail(GA_VALUE_ERROR, "%zu different numbers out of %zu",
                    z->dimensions[0], n);
  GpuLaunch *l =
      open_rows("random_permute", "permute", z, GA_FLOAT, z->dimensions[0], 2);
  add_array(l, RESULT, z);
  add_array(l, UNIFORM, bits);
  ga__launch_size(l, z->dimensions[0]);
  ga__launch_size(l, n);
  ga__launch_uint(l, half_bits(n));
  return ga__launch_seal(out, l);
}

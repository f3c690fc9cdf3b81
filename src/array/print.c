/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints arrays for people. */
#include <gpuarray/array.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "array/geometry.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/half.h"

static void print_flags(FILE *fd, const GpuArray *a) {
  static const struct {
    int flag;
    const char *name;
  } names[] = {
      {GA_C_CONTIGUOUS, "C_CONTIGUOUS"},
      {GA_F_CONTIGUOUS, "F_CONTIGUOUS"},
      {GA_ALIGNED, "ALIGNED"},
      {GA_WRITEABLE, "WRITEABLE"},
  };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (a->flags & names[i].flag)
      fprintf(fd, " %s", names[i].name);
  }
}

void GpuArray_fprintf(FILE *fd, const GpuArray *a) {
  if (a == NULL || a->data == NULL) {
    fprintf(fd, "GpuArray, not initialised\n");
    return;
  }
  fprintf(fd, "GpuArray %s (typecode %d) [", ga__dtype_name(a->typecode),
          a->typecode);
  for (unsigned int k = 0; k < a->nd; k++)
    fprintf(fd, "%s%zu", k ? ", " : "", a->dimensions[k]);
  fprintf(fd, "], strides [");
  for (unsigned int k = 0; k < a->nd; k++)
    fprintf(fd, "%s%zd", k ? ", " : "", a->strides[k]);
  fprintf(fd, "], offset %zu, flags", a->offset);
  print_flags(fd, a);
  fprintf(fd, ", data %p\n", (void *)a->data);
}

/* Enough digits to tell any two values apart. */
static int print_real(FILE *fd, int typecode, const void *p) {
  float f;
  double d;
  uint16_t h;

  switch (typecode) {
  case GA_HALF:
    memcpy(&h, p, sizeof h);
    return fprintf(fd, "%.5g", (double)ga__half_to_float(h));
  case GA_BFLOAT:
    memcpy(&h, p, sizeof h);
    return fprintf(fd, "%.4g", (double)ga__bfloat_to_float(h));
  case GA_FLOAT:
    memcpy(&f, p, sizeof f);
    return fprintf(fd, "%.9g", (double)f);
  default:
    memcpy(&d, p, sizeof d);
    return fprintf(fd, "%.17g", d);
  }
}

static int print_complex(FILE *fd, int real_type, const char *p) {
  size_t size = gpuarray_get_elsize(real_type);

  if (fputc('(', fd) == EOF || print_real(fd, real_type, p) < 0 ||
      fputs(", ", fd) == EOF || print_real(fd, real_type, p + size) < 0)
    return -1;
  return fputc(')', fd) == EOF ? -1 : 0;
}

/* The element's bits, zero-extended. */
static uint64_t load_bits(size_t size, const void *p) {
  uint8_t b;
  uint16_t s;
  uint32_t w;
  uint64_t q;

  switch (size) {
  case 1:
    memcpy(&b, p, 1);
    return b;
  case 2:
    memcpy(&s, p, 2);
    return s;
  case 4:
    memcpy(&w, p, 4);
    return w;
  default:
    memcpy(&q, p, 8);
    return q;
  }
}

static int print_integer(FILE *fd, ga__kind kind, size_t size, const void *p) {
  uint64_t bits = load_bits(size, p);
  uint64_t sign = UINT64_C(1) << (8 * size - 1);

  if (kind == GA_KIND_INT && (bits & sign))
    return fprintf(fd, "-%" PRIu64, (sign << 1) - bits);
  return fprintf(fd, "%" PRIu64, bits);
}

static int print_element(FILE *fd, int typecode, const char *p) {
  ga__kind kind = ga__dtype_kind(typecode);

  if (kind == GA_KIND_FLOAT)
    return print_real(fd, typecode, p);
  if (kind == GA_KIND_COMPLEX)
    return print_complex(fd, typecode == GA_CFLOAT ? GA_FLOAT : GA_DOUBLE, p);
  return print_integer(fd, kind, ga__dtype_size(typecode), p);
}

/* Advance `index` in C order. Returns the distance to the next element, in
 * bytes. */
static ssize_t next_index(size_t *index, const GpuArray *a) {
  ssize_t moved = 0;

  for (unsigned int k = a->nd; k-- > 0;) {
    if (++index[k] < a->dimensions[k])
      return moved + a->strides[k];
    moved -= (ssize_t)(index[k] - 1) * a->strides[k];
    index[k] = 0;
  }
  return moved;
}

int GpuArray_fdump(FILE *fd, const GpuArray *a) {
  size_t index[GA_ND_MAX] = {0};
  size_t i;
  ssize_t low, high, at;
  char *host = NULL;
  int err;

  GA_TRY(ga__array_check(a));
  if (ga__dtype_kind(a->typecode) == GA_KIND_NONE)
    return ga__fail(GA_UNSUPPORTED_ERROR, "typecode %d cannot be printed",
                    a->typecode);
  size_t total = ga__array_total(a);
  if (total == 0)
    return GA_NO_ERROR;
  GA_TRY(ga__extent(&low, &high, a->nd, a->dimensions, a->strides,
                    GpuArray_ITEMSIZE(a)));
  host = ga__malloc((size_t)(high - low));
  if (host == NULL)
    return ga__fail_nomem();
  GA_CHECK(gpudata_read(host, a->data, (size_t)((ssize_t)a->offset + low),
                        (size_t)(high - low)));
  for (i = 0, at = -low; i < total; i++, at += next_index(index, a)) {
    if (fprintf(fd, "[%zu] = ", i) < 0 ||
        print_element(fd, a->typecode, host + at) < 0 ||
        fputc('\n', fd) == EOF) {
      err =
          ga__fail(GA_SYS_ERROR, "writing element %zu of %zu failed", i, total);
      goto done;
    }
  }

done:
  ga__free(host);
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices in archives, as SciPy writes them: the arrays of the format,
 * `shape`, and `format`, a string of three bytes. */
#include <gpuarray/create.h>
#include <gpuarray/sparse.h>
#include <string.h>

#include "array/geometry.h"
#include "base/dtype.h"
#include "io/npz.h"

/* `format` in a file: a header of 128 bytes in all, and the string. */
static const char header[] =
    "\x93NUMPY\x01\x00\x76\x00"
    "{'descr': '|S3', 'fortran_order': False, 'shape': (), }";
enum { HEADER = 128, FORMAT = 3, FORMAT_MOST = 1024 };
_Static_assert(sizeof header <= HEADER, "a line break ends the header");

typedef struct file {
  gpucontext *ctx;
  const char *path;
  gpunpz *z;
  char format[FORMAT + 1];
  size_t rows, columns;
} file;

/* --- reading --- */

static int read_format(file *f) {
  static const char *const known[] = {"csr", "csc", "coo"};
  unsigned char bytes[FORMAT_MOST];
  size_t n = 0;

  GA_TRY(ga__npz_read(bytes, sizeof bytes, &n, f->z, "format"));
  if (n > FORMAT)
    memcpy(f->format, bytes + n - FORMAT, FORMAT);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(f->format, known[i]) == 0)
      return GA_NO_ERROR;
  return ga__fail(GA_UNSUPPORTED_ERROR,
                  "%s: the format is none of csr, csc and coo", f->path);
}

static int set_shape(file *f, const GpuArray *a) {
  int64_t dims[2] = {0, 0};

  if (a->nd != 1 || a->dimensions[0] != 2 || a->typecode != GA_LONG)
    return ga__fail(GA_VALUE_ERROR, "%s: the shape is not two of int64",
                    f->path);
  GA_TRY(GpuArray_read(dims, sizeof dims, a));
  if (dims[0] < 0 || dims[1] < 0)
    return ga__fail(GA_VALUE_ERROR, "%s: the shape is %lld x %lld", f->path,
                    (long long)dims[0], (long long)dims[1]);
  f->rows = (size_t)dims[0];
  f->columns = (size_t)dims[1];
  return GA_NO_ERROR;
}

static int read_shape(file *f) {
  GpuArray a;

  GA_TRY(gpunpz_load(&a, f->ctx, f->z, "shape"));
  const int err = set_shape(f, &a);
  GpuArray_clear(&a);
  return err;
}

/* A matrix of rows after each other, or of columns: then it is transposed. */
static int make_lines(GpuCsr *out, const file *f, const GpuArray *a) {
  const int by_rows = strcmp(f->format, "csr") == 0;
  const size_t lines = by_rows ? f->rows : f->columns;
  GpuCsr m = {0};
  int err;

  GA_CHECK(
      GpuCsr_make(&m, by_rows ? f->columns : f->rows, &a[0], &a[1], &a[2]));
  if (m.n_rows != lines)
    GA_CHECK(ga__fail(GA_VALUE_ERROR, "%s: %zu starts of %zu lines", f->path,
                      m.n_rows + 1, lines));
  if (!by_rows)
    GA_CHECK(GpuCsr_transpose(out, &m));

done:
  if (err == GA_NO_ERROR && by_rows)
    *out = m;
  else
    GpuCsr_clear(&m);
  return err;
}

static int read_arrays(GpuCsr *out, const file *f) {
  const int is_coo = strcmp(f->format, "coo") == 0;
  GpuArray a[3] = {{0}, {0}, {0}};
  int err;

  GA_CHECK(gpunpz_load(&a[0], f->ctx, f->z, is_coo ? "row" : "indptr"));
  GA_CHECK(gpunpz_load(&a[1], f->ctx, f->z, is_coo ? "col" : "indices"));
  GA_CHECK(gpunpz_load(&a[2], f->ctx, f->z, "data"));
  err = is_coo ? GpuCsr_from_coo(out, f->rows, f->columns, &a[0], &a[1], &a[2])
               : make_lines(out, f, a);

done:
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&a[i]);
  return err;
}

int GpuCsr_load_npz(GpuCsr *out, gpucontext *ctx, const char *path) {
  file f = {.ctx = ctx, .path = path};
  int err;

  if (out == NULL || ctx == NULL || path == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s is missing",
                    out == NULL   ? "result"
                    : ctx == NULL ? "context"
                                  : "path");
  GA_TRY(gpunpz_open(&f.z, path));
  GA_CHECK(read_format(&f));
  GA_CHECK(read_shape(&f));
  GA_CHECK(read_arrays(out, &f));

done:
  gpunpz_close(f.z);
  return err;
}

/* --- writing --- */

static int write_format(gpunpz_new *z, const char *format) {
  char bytes[HEADER + FORMAT];
  const size_t n = sizeof header - 1;

  memset(bytes, ' ', sizeof bytes);
  memcpy(bytes, header, n);
  bytes[HEADER - 1] = '\n';
  memcpy(bytes + HEADER, format, FORMAT);
  return ga__npz_write(z, "format", bytes, sizeof bytes);
}

static int write_shape(gpunpz_new *z, const GpuCsr *m) {
  const int64_t dims[2] = {(int64_t)m->n_rows, (int64_t)m->n_columns};
  const size_t two = 2;
  GpuArray a;
  int err;

  GA_TRY(GpuArray_empty(&a, GpuArray_context(&m->values), GA_LONG, 1, &two,
                        GA_C_ORDER));
  GA_CHECK(GpuArray_write(&a, dims, sizeof dims));
  GA_CHECK(gpunpz_add(z, "shape", &a));

done:
  GpuArray_clear(&a);
  return err;
}

static int write_csr(gpunpz_new *z, const GpuCsr *m) {
  GA_TRY(gpunpz_add(z, "indices", &m->columns));
  GA_TRY(gpunpz_add(z, "indptr", &m->starts));
  GA_TRY(write_format(z, "csr"));
  GA_TRY(write_shape(z, m));
  return gpunpz_add(z, "data", &m->values);
}

/* Rows, of the dtype of the columns. */
static int write_rows(gpunpz_new *z, const GpuCsr *m) {
  GpuArray wide = {0}, rows = {0};
  int err;

  GA_CHECK(GpuCsr_rows(&wide, m));
  GA_CHECK(GpuArray_cast(&rows, &wide, m->columns.typecode, GA_C_ORDER));
  GA_CHECK(gpunpz_add(z, "row", &rows));

done:
  GpuArray_clear(&wide);
  GpuArray_clear(&rows);
  return err;
}

static int write_coo(gpunpz_new *z, const GpuCsr *m) {
  GA_TRY(write_rows(z, m));
  GA_TRY(gpunpz_add(z, "col", &m->columns));
  GA_TRY(write_format(z, "coo"));
  GA_TRY(write_shape(z, m));
  return gpunpz_add(z, "data", &m->values);
}

static int save(const GpuCsr *m, const char *path, int compress,
                int (*write)(gpunpz_new *z, const GpuCsr *m)) {
  gpunpz_new *z;

  GA_TRY(GpuCsr_check(m));
  if (path == NULL)
    return ga__fail(GA_INVALID_ERROR, "the path is missing");
  GA_TRY(gpunpz_create(&z, path, compress));
  const int err = write(z, m);
  const int end = gpunpz_finish(z, err == GA_NO_ERROR);
  return err != GA_NO_ERROR ? err : end;
}

int GpuCsr_save_npz(const GpuCsr *m, const char *path, int compress) {
  return save(m, path, compress, write_csr);
}

int GpuCsr_save_coo_npz(const GpuCsr *m, const char *path, int compress) {
  return save(m, path, compress, write_coo);
}

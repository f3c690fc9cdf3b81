/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves .npy data between streams and arrays, piece by piece. */
#include "io/npy.h"

#include <gpuarray/convert.h>
#include <gpuarray/npy.h>

#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/file.h"
#include "io/npy_header.h"
#include "ocl/memory/stream_data.h"

/* --- load --- */

static int read_header(ga__npy_header *h, ga__byte_source *from) {
  unsigned char prefix[GA_NPY_PREFIX_MAX];
  size_t n, bytes;
  char *text = NULL;
  int err;

  GA_TRY(from->read(from, prefix, 8));
  GA_TRY(ga__npy_prefix_bytes(&n, prefix));
  GA_TRY(from->read(from, prefix + 8, n - 8));
  GA_TRY(ga__npy_text_bytes(&bytes, prefix));
  text = ga__malloc(bytes);
  if (text == NULL)
    return ga__fail_nomem();
  GA_CHECK(from->read(from, text, bytes));
  GA_CHECK(ga__npy_parse(h, text, bytes));
  if (h->bytes > from->left)
    err = ga__fail(GA_VALUE_ERROR,
                   "the header promises %zu bytes, %llu are "
                   "there",
                   h->bytes, (unsigned long long)from->left);

done:
  ga__free(text);
  return err;
}

/* A source, and how its bytes are converted. */
typedef struct inflow {
  ga__byte_source *from;
  size_t swap; /* bytes of a number whose order is reversed; 0: none */
  int is_bool;
} inflow;

static void swap_bytes(unsigned char *p, size_t n, size_t width) {
  for (unsigned char *end = p + n; p < end; p += width) {
    for (size_t i = 0; i < width / 2; i++) {
      const unsigned char c = p[i];

      p[i] = p[width - 1 - i];
      p[width - 1 - i] = c;
    }
  }
}

/* Kernels rely on bools of 0 or 1. */
static void mend_bools(unsigned char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = p[i] != 0;
}

static int fill_piece(void *arg, void *p, size_t n) {
  const inflow *f = arg;

  GA_TRY(f->from->read(f->from, p, n));
  if (f->swap > 1)
    swap_bytes(p, n, f->swap);
  if (f->is_bool)
    mend_bools(p, n);
  return GA_NO_ERROR;
}

int ga__npy_load(GpuArray *a, gpucontext *ctx, ga__byte_source *from) {
  inflow f = {.from = from};
  ga__npy_header h;

  memset(a, 0, sizeof *a);
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  GA_TRY(read_header(&h, from));
  if (h.is_swapped)
    f.swap = gpuarray_get_elsize(h.typecode) /
             (ga__dtype_is_complex(h.typecode) ? 2 : 1);
  f.is_bool = h.typecode == GA_BOOL;
  GA_TRY(GpuArray_empty(a, ctx, h.typecode, h.nd, h.dims, h.order));
  int err = ga__data_stream_in(a->data, 0, h.bytes, fill_piece, &f);
  if (err != GA_NO_ERROR)
    GpuArray_clear(a);
  return err;
}

int GpuArray_load_npy(GpuArray *a, gpucontext *ctx, const char *path) {
  ga__file_source f;

  memset(a, 0, sizeof *a);
  GA_TRY(ga__file_source_open(&f, path, 0));
  int err = ga__npy_load(a, ctx, &f.source);
  ga__file_source_close(&f);
  return err;
}

/* --- save --- */

static int drain_piece(void *arg, const void *p, size_t n) {
  ga__sink *to = arg;

  return to->write(to, p, n);
}

static int write_header(const GpuArray *a, ga__sink *to) {
  ga__npy_header h = {.typecode = a->typecode, .nd = a->nd};
  ga__strb text = GA_STRB_INIT;

  h.order = GpuArray_IS_C_CONTIGUOUS(a) ? GA_C_ORDER : GA_F_ORDER;
  if (a->nd > 0)
    memcpy(h.dims, a->dimensions, a->nd * sizeof *h.dims);
  ga__npy_format(&text, &h);
  int err = text.err != GA_NO_ERROR ? text.err : to->write(to, text.s, text.n);
  ga__strb_clear(&text);
  return err;
}

int ga__npy_save(const GpuArray *a, ga__sink *to) {
  const gpuwant want = {GA_KEEP_TYPE, GA_ANY_ORDER, 0};
  GpuArray plain = {0};
  int err;

  GA_TRY(ga__array_check(a));
  if (a->typecode == GA_BFLOAT)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "NumPy has no bfloat16; save it as float32, which holds it "
                    "(GpuArray_cast)");
  if (ga__npy_descr(a->typecode) == NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "NumPy has no type for typecode %d",
                    a->typecode);
  GA_CHECK(GpuArray_convert(&plain, a, &want, GA_COPY_IF_NEEDED));
  GA_CHECK(write_header(&plain, to));
  GA_CHECK(ga__data_stream_out(
      plain.data, plain.offset,
      ga__array_total(&plain) * GpuArray_ITEMSIZE(&plain), drain_piece, to));

done:
  GpuArray_clear(&plain);
  return err;
}

typedef struct file_sink {
  ga__sink sink;
  ga__newfile file;
} file_sink;

static int write_file(ga__sink *s, const void *p, size_t n) {
  return ga__newfile_write(&((file_sink *)s)->file, p, n);
}

int GpuArray_save_npy(const GpuArray *a, const char *path) {
  file_sink f = {.sink.write = write_file};

  GA_TRY(ga__newfile_open(&f.file, path, 0));
  int failed = ga__npy_save(a, &f.sink);
  int err = ga__newfile_close(&f.file, failed == GA_NO_ERROR);
  return failed != GA_NO_ERROR ? failed : err;
}

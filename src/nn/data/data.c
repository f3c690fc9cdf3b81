/* SPDX-License-Identifier: BSD-2-Clause */
/* Data: what all kinds share, NumPy's files, columns. */
#include "nn/data/data.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* --- making --- */

int gg__data_check(gg_data **out, const char *path) {
  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write the data");
  *out = NULL;
  return path != NULL ? GA_NO_ERROR
                      : ga__fail(GA_INVALID_ERROR, "the path is NULL");
}

int gg__data_new(gg_data **out) {
  *out = ga__calloc(1, sizeof **out);
  return *out != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

int gg__data_alloc(gg_data *d, int dtype, unsigned int nd, const size_t *dims) {
  gg_host_array *a = &d->array;

  a->dtype = dtype;
  a->nd = nd;
  a->bytes = ga__dtype_size(dtype);
  for (unsigned int i = 0; i < nd; i++)
    a->bytes = ga__times(a->bytes, a->dims[i] = dims[i]);
  if (a->bytes > (size_t)PTRDIFF_MAX)
    return ga__fail(GA_XLARGE_ERROR, "data of more than %zu bytes",
                    (size_t)PTRDIFF_MAX);
  a->data = d->memory = ga__calloc(ga__at_least(a->bytes, 1), 1);
  return d->memory != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

int gg__data_done(gg_data **out, gg_data *d, int err) {
  if (err == GA_NO_ERROR)
    *out = d;
  else
    gg_data_free(d);
  return err;
}

void gg_data_free(gg_data *d) {
  if (d == NULL)
    return;
  for (size_t i = 0; i < d->n_names; i++)
    ga__free(d->names[i]);
  ga__free(d->names);
  ga__free(d->why);
  ga__free(d->memory);
  gpunpy_unmap(&d->npy);
  if (d->images != NULL)
    d->free_images(d->images);
  ga__file_unmap(d->map, d->map_bytes);
  ga__free(d);
}

const gg_host_array *gg_data_array(const gg_data *d) {
  return d != NULL ? &d->array : NULL;
}

/* A thread of batches may skip files while another one asks. */
static pthread_mutex_t skip_lock = PTHREAD_MUTEX_INITIALIZER;

int gg__data_skip(gg_data *d, int code) {
  char *why = d->why == NULL ? ga__strdup(ga__err_text(code)) : NULL;

  if (d->why == NULL && why == NULL)
    return ga__fail_nomem();
  pthread_mutex_lock(&skip_lock);
  d->skipped++;
  if (why != NULL)
    d->why = why;
  pthread_mutex_unlock(&skip_lock);
  return GA_NO_ERROR;
}

size_t gg_data_skipped(const gg_data *d) {
  pthread_mutex_lock(&skip_lock);
  const size_t n = d != NULL ? d->skipped : 0;
  pthread_mutex_unlock(&skip_lock);
  return n;
}

const char *gg_data_skipped_why(const gg_data *d) {
  pthread_mutex_lock(&skip_lock);
  const char *why = d != NULL ? d->why : NULL;
  pthread_mutex_unlock(&skip_lock);
  return why != NULL ? why : "";
}

int gg_data_column(const gg_data *d, const char *name) {
  for (size_t i = 0; d != NULL && name != NULL && i < d->n_names; i++)
    if (strcmp(d->names[i], name) == 0)
      return (int)i;
  return -1;
}

void gg__data_swap(void *to, const void *from, size_t n, size_t size) {
  const unsigned char *p = from;
  unsigned char *q = to;

  for (size_t i = 0; i < n; i++, p += size, q += size)
    for (size_t k = 0; k < size; k++)
      q[k] = p[size - 1 - k];
}

/* --- NumPy's files --- */

/* Copy one element as the host has it. */
static void take_element(const gpunpy *f, unsigned char *to,
                         const unsigned char *from) {
  const size_t size = ga__dtype_size(f->typecode);

  if (f->typecode == GA_BOOL)
    *to = *from != 0;
  else if (!f->is_swapped)
    memcpy(to, from, size);
  else if (ga__dtype_is_complex(f->typecode))
    gg__data_swap(to, from, 2, size / 2);
  else
    gg__data_swap(to, from, 1, size);
}

/* Copy the elements in C order to the memory of d. */
static void convert(gg_data *d) {
  const gpunpy *f = &d->npy;
  const size_t size = ga__dtype_size(f->typecode);
  size_t index[GG_MAX_ND] = {0};

  for (size_t i = 0; i < f->bytes / size; i++) {
    size_t at = 0;
    for (unsigned int k = 0; k < f->nd; k++)
      at = f->is_fortran ? at * f->dims[f->nd - 1 - k] + index[f->nd - 1 - k]
                         : at * f->dims[k] + index[k];
    take_element(f, (unsigned char *)d->memory + i * size,
                 (const unsigned char *)f->data + at * size);
    for (unsigned int k = f->nd; k-- > 0 && ++index[k] == f->dims[k];)
      index[k] = 0;
  }
}

/* Make d of the file that it has mapped. */
static int take_npy(gg_data *d, const char *path) {
  const gpunpy *f = &d->npy;

  if (f->nd > GG_MAX_ND)
    return ga__fail(GA_VALUE_ERROR, "%s has %u axes, expected at most %d", path,
                    f->nd, GG_MAX_ND);
  if (f->is_swapped || f->typecode == GA_BOOL || (f->is_fortran && f->nd > 1)) {
    GA_TRY(gg__data_alloc(d, f->typecode, f->nd, f->dims));
    convert(d);
    gpunpy_unmap(&d->npy);
    return GA_NO_ERROR;
  }
  d->array = (gg_host_array){.dtype = f->typecode,
                             .nd = f->nd,
                             .data = (void *)(uintptr_t)f->data,
                             .bytes = f->bytes};
  memcpy(d->array.dims, f->dims, f->nd * sizeof *f->dims);
  return GA_NO_ERROR;
}

int gg_data_npy(gg_data **out, const char *path) {
  gg_data *d;

  GA_TRY(gg__data_check(out, path));
  GA_TRY(gg__data_new(&d));
  int err = gpunpy_map(&d->npy, path);
  if (err == GA_NO_ERROR)
    err = take_npy(d, path);
  return gg__data_done(out, d, err);
}

int gg_data_npz(gg_data **out, const char *path, const char *name) {
  gg_data *d;

  GA_TRY(gg__data_check(out, path));
  GA_TRY(gg__data_new(&d));
  int err = gpunpz_map(&d->npy, path, name);
  if (err == GA_NO_ERROR)
    err = take_npy(d, path);
  return gg__data_done(out, d, err);
}

/* --- columns --- */

/* Nonzero if `v` is a value of the dtype, or rounds to one. */
static int fits(int dtype, double v) {
  const ga__kind kind = ga__dtype_kind(dtype);
  const double bits = 8.0 * (double)ga__dtype_size(dtype);

  if (kind == GA_KIND_BOOL)
    return v == 0 || v == 1;
  if (kind != GA_KIND_INT && kind != GA_KIND_UINT)
    return 1;
  return v == floor(v) && v < exp2(kind == GA_KIND_INT ? bits - 1 : bits) &&
         v >= (kind == GA_KIND_INT ? -exp2(bits - 1) : 0);
}

static int copy_columns(gg_data *to, const gg_host_array *a, size_t first,
                        size_t n) {
  const int dtype = to->array.dtype;
  const size_t from = ga__dtype_size(a->dtype), size = ga__dtype_size(dtype);
  char *out = to->memory;

  for (size_t i = 0; i < a->dims[0]; i++)
    for (size_t k = first; k < first + n; k++, out += size) {
      const double v = ga__dtype_to_double(
          a->dtype, (const char *)a->data + (i * a->dims[1] + k) * from);
      if (!fits(dtype, v))
        return ga__fail(GA_VALUE_ERROR, "row %zu, column %zu: %g is no %s",
                        i + 1, k + 1, v, ga__dtype_name(dtype));
      ga__dtype_from_double(dtype, out, v);
    }
  return GA_NO_ERROR;
}

static int check_columns(const gg_host_array *a, size_t first, size_t n,
                         int dtype) {
  const size_t want = ga__at_least(n, 1);

  if (ga__dtype_size(dtype) == 0 || ga__dtype_is_complex(dtype))
    return ga__fail(GA_INVALID_ERROR, "typecode %d, expected a real dtype",
                    dtype);
  if (a->nd != 2 || a->data == NULL || ga__dtype_is_complex(a->dtype))
    return ga__fail(GA_VALUE_ERROR,
                    "columns of %u axes and dtype %s, expected 2 and a real "
                    "one",
                    a->nd, ga__dtype_name(a->dtype));
  if (first >= a->dims[1] || want > a->dims[1] - first)
    return ga__fail(GA_VALUE_ERROR, "%zu columns from %zu of %zu", want, first,
                    a->dims[1]);
  return GA_NO_ERROR;
}

int gg_data_columns(gg_data **out, const gg_data *d, size_t first, size_t n,
                    int dtype) {
  gg_data *to;

  GA_TRY(gg__data_check(out, ""));
  if (d == NULL)
    return ga__fail(GA_INVALID_ERROR, "the data is NULL");
  GA_TRY(check_columns(&d->array, first, n, dtype));
  GA_TRY(gg__data_new(&to));
  const size_t dims[2] = {d->array.dims[0], n};
  int err = gg__data_alloc(to, dtype, n == 0 ? 1 : 2, dims);
  if (err == GA_NO_ERROR)
    err = copy_columns(to, &d->array, first, ga__at_least(n, 1));
  return gg__data_done(out, to, err);
}

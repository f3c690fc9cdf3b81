/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes DLPack tensors from arrays. */
#include <gpuarray/dlpack.h>
#include <gpuarray/opencl.h>

#include <string.h>

#include "array/geometry.h"
#include "base/alloc.h"
#include "io/dlpack_type.h"
#include "ocl/memory/mapped.h"
#include "ocl/ocl.h"

/* A tensor and all that it owns. Only its deleter knows which of the two forms
 * it has. */
typedef struct lent {
  union {
    struct DLManagedTensorVersioned now;
    struct DLManagedTensor legacy;
  } managed;
  GpuArray array;    /* retains the buffer */
  ga__mapped mapped; /* the mapped buffer, or zeroed */
  void *host;        /* owned copy, or NULL */
  int64_t shape[GA_ND_MAX], strides[GA_ND_MAX];
} lent;

static void lent_free(lent *l) {
  if (l == NULL)
    return;
  ga__mapped_end(&l->mapped);
  GpuArray_clear(&l->array);
  ga__free(l->host);
  ga__free(l);
}

static void delete_now(struct DLManagedTensorVersioned *t) {
  lent_free(t->manager);
}

static void delete_legacy(struct DLManagedTensor *t) {
  lent_free(t->manager);
}

/* --- geometry --- */

static int describe(dl_tensor *t, lent *l) {
  const GpuArray *a = &l->array;
  ssize_t strides[GA_ND_MAX];

  GA_TRY(ga__dlpack_from_type(&t->dtype, a->typecode));
  GA_TRY(GpuArray_element_strides(strides, a));
  for (unsigned int k = 0; k < a->nd; k++) {
    l->shape[k] = (int64_t)a->dimensions[k];
    l->strides[k] = strides[k];
  }
  t->ndim = (int32_t)a->nd;
  t->shape = l->shape;
  t->strides = l->strides;
  return GA_NO_ERROR;
}

/* --- memory --- */

static int lend_opencl(dl_tensor *t, lent *l, void *stream) {
  cl_mem mem;
  size_t offset;

  GA_TRY(GpuArray_opencl(&l->array, &mem, &offset));
  t->data = mem;
  t->byte_offset = offset;
  return ga__ctx_hand_to_queue(GpuArray_context(&l->array), stream);
}

static int lend_mapped(dl_tensor *t, lent *l) {
  GpuArray *a = &l->array;
  size_t bytes;

  GA_TRY(gpudata_property(a->data, GA_BUFFER_PROP_SIZE, &bytes));
  GA_TRY(ga__mapped_start(&l->mapped, a->data, 0, bytes,
                          GpuArray_ISWRITEABLE(a) ? GA_MAP_BOTH : GA_MAP_READ));
  t->data = (char *)l->mapped.p + a->offset;
  return ga__mapped_wait(&l->mapped);
}

static int lend_copied(dl_tensor *t, lent *l) {
  const size_t bytes =
      ga__array_total(&l->array) * GpuArray_ITEMSIZE(&l->array);

  l->host = ga__malloc(bytes);
  if (l->host == NULL)
    return ga__fail_nomem();
  t->data = l->host;
  return GpuArray_read(l->host, bytes, &l->array);
}

/* --- sharing and copying --- */

typedef struct request {
  gpudlpack_device device;
  ga_copyif copy;
  void *stream;
  int is_legacy;
} request;

/* Whether the elements must be copied to host memory; GA_COPY_ERROR when the
 * request forbids it. */
static int needs_host_copy(int *needs, const GpuArray *a, const request *r) {
  *needs = 0;
  if (r->device != GPU_DLPACK_CPU || ga__array_total(a) == 0)
    return GA_NO_ERROR;
  *needs = r->copy == GA_COPY_ALWAYS;
  if (*needs)
    return GA_NO_ERROR;
  int err = ga__ctx_check_sharing(GpuArray_context(a));
  if (err != GA_DEVSUP_ERROR)
    return err;
  *needs = 1;
  if (r->copy == GA_COPY_IF_NEEDED)
    return GA_NO_ERROR;
  return ga__fail(GA_COPY_ERROR, "the elements are not in the host's memory");
}

/* Set l->array to a view of the array, or to a copy that the consumer can
 * use. */
static int take_array(int *is_copied, lent *l, const GpuArray *a,
                      const request *r, int to_host) {
  gpuwant want = {GA_KEEP_TYPE, GA_ANY_ORDER,
                  GA_WANT_STRIDED | GA_WANT_WHOLE_STRIDES};
  ga_copyif copy = r->copy;

  if (r->is_legacy)
    want.flags |= GA_WANT_WRITEABLE;
  if (to_host) { /* the read to the host is the copy */
    want = (gpuwant){GA_KEEP_TYPE, GA_ANY_ORDER, 0};
    copy = GA_COPY_IF_NEEDED;
  }
  GA_TRY(GpuArray_convert(&l->array, a, &want, copy));
  *is_copied = to_host || l->array.data != a->data;
  return GA_NO_ERROR;
}

static int lend(lent **out, dl_tensor *t, int *is_copied, const GpuArray *a,
                const request *r) {
  lent *l = NULL;
  int err, to_host = 0;

  memset(t, 0, sizeof *t);
  GA_CHECK(ga__array_check(a));
  if (r->device != GPU_DLPACK_CPU && r->device != GPU_DLPACK_OPENCL)
    GA_CHECK(ga__fail(GA_UNSUPPORTED_ERROR, "no DLPack device of type %d",
                      (int)r->device));
  GA_CHECK(ga__dlpack_from_type(&t->dtype, a->typecode));
  GA_CHECK(needs_host_copy(&to_host, a, r));
  l = ga__calloc(1, sizeof *l);
  if (l == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(take_array(is_copied, l, a, r, to_host));
  GA_CHECK(describe(t, l));
  t->device_type = (int32_t)r->device;
  if (r->device == GPU_DLPACK_OPENCL)
    GA_CHECK(lend_opencl(t, l, r->stream));
  else if (to_host)
    GA_CHECK(lend_copied(t, l));
  else if (ga__array_total(a) > 0)
    GA_CHECK(lend_mapped(t, l));

done:
  if (err != GA_NO_ERROR) {
    lent_free(l);
    l = NULL;
  }
  *out = l;
  return err;
}

int GpuArray_to_dlpack(struct DLManagedTensorVersioned **out, const GpuArray *a,
                       gpudlpack_device device, ga_copyif copy, void *stream) {
  const request r = {device, copy, stream, 0};
  int is_copied = 0;
  dl_tensor t;
  lent *l;

  *out = NULL;
  GA_TRY(lend(&l, &t, &is_copied, a, &r));
  struct DLManagedTensorVersioned *now = &l->managed.now;
  now->major = DL_MAJOR;
  now->minor = DL_MINOR;
  now->manager = l;
  now->deleter = delete_now;
  now->flags = (is_copied ? DL_IS_COPIED : 0) |
               (GpuArray_ISWRITEABLE(&l->array) ? 0 : DL_READ_ONLY);
  now->tensor = t;
  *out = now;
  return GA_NO_ERROR;
}

int GpuArray_to_dlpack_legacy(struct DLManagedTensor **out, const GpuArray *a,
                              gpudlpack_device device, ga_copyif copy,
                              void *stream) {
  const request r = {device, copy, stream, 1};
  int is_copied = 0;
  dl_tensor t;
  lent *l;

  *out = NULL;
  GA_TRY(lend(&l, &t, &is_copied, a, &r));
  l->managed.legacy.tensor = t;
  l->managed.legacy.manager = l;
  l->managed.legacy.deleter = delete_legacy;
  *out = &l->managed.legacy;
  return GA_NO_ERROR;
}

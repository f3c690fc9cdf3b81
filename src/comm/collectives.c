/* SPDX-License-Identifier: BSD-2-Clause */
/* Collectives on arrays of any strides, whose elements are taken in C order.
 * Arrays that are not contiguous are copied. */
#include <gpuarray/collectives.h>

#include <gpuarray/convert.h>

#include "array/geometry.h"
#include "base/dtype.h"
#include "comm/collective.h"

static const gpuwant plain = {GA_KEEP_TYPE, GA_C_ORDER, GA_WANT_ALIGNED};

/* The arrays of a call, or C contiguous copies of them. */
typedef struct call {
  GpuArray src, dst; /* C contiguous; zeroed: none */
  GpuArray *target;  /* what `dst` is a copy of, or NULL */
} call;

static void clear(call *k) {
  GpuArray_clear(&k->src);
  GpuArray_clear(&k->dst);
}

static int take_dst(call *k, GpuArray *dst) {
  GA_TRY(ga__array_check(dst));
  if (!GpuArray_ISWRITEABLE(dst))
    return ga__fail(GA_READONLY_ERROR, "the destination is not writeable");
  GA_TRY(GpuArray_convert(&k->dst, dst, &plain, GA_COPY_IF_NEEDED));
  if (k->dst.data != dst->data)
    k->target = dst;
  return GA_NO_ERROR;
}

/* Check dtypes, and that times_src sources have as many elements as times_dst
 * destinations. */
static int check_pair(const GpuArray *src, size_t times_src,
                      const GpuArray *dst, size_t times_dst) {
  const size_t n_src = ga__array_total(src), n_dst = ga__array_total(dst);

  if (ga__dtype_canon(src->typecode) != ga__dtype_canon(dst->typecode))
    return ga__fail(GA_VALUE_ERROR, "a source of %s, a destination of %s",
                    ga__dtype_name(src->typecode),
                    ga__dtype_name(dst->typecode));
  if (n_src * times_src != n_dst * times_dst)
    return ga__fail(GA_VALUE_ERROR,
                    "%zu elements of the source do not fit %zu of the "
                    "destination",
                    n_src, n_dst);
  return GA_NO_ERROR;
}

static int take(call *k, const GpuArray *src, size_t times_src, GpuArray *dst,
                size_t times_dst) {
  GA_TRY(GpuArray_convert(&k->src, src, &plain, GA_COPY_IF_NEEDED));
  if (dst == NULL)
    return GA_NO_ERROR;
  GA_TRY(take_dst(k, dst));
  return check_pair(&k->src, times_src, &k->dst, times_dst);
}

/* Run the collective, copy the result to the target, and clear `k`. With a
 * failure in `err`, only report that to the other ranks. */
static int run(gpucomm *comm, call *k, ga__collective *c, int err) {
  if (err == GA_NO_ERROR) {
    c->src = k->src.data;
    c->srcoff = k->src.offset;
    c->dst = k->dst.data;
    c->dstoff = k->dst.offset;
    c->typecode = k->src.typecode;
  }
  err = ga__collective_run(comm, c, err);
  if (err == GA_NO_ERROR && k->target != NULL)
    err = GpuArray_setarray(k->target, &k->dst);
  clear(k);
  return err;
}

static int reduce(const GpuArray *src, GpuArray *dst, ga__collective_kind kind,
                  int op, int root, gpucomm *comm) {
  ga__collective c = {.kind = kind, .op = op, .root = root};
  call k = {.target = NULL};

  GA_TRY(ga__collective_check(comm));
  int err = take(&k, src, 1, dst, 1);
  if (err == GA_NO_ERROR)
    c.count = ga__array_total(src);
  return run(comm, &k, &c, err);
}

int GpuArray_reduce_from(const GpuArray *src, int opcode, int root,
                         gpucomm *comm) {
  return reduce(src, NULL, GA_REDUCE, opcode, root, comm);
}

int GpuArray_reduce(const GpuArray *src, GpuArray *dest, int opcode, int root,
                    gpucomm *comm) {
  int rank;

  GA_TRY(gpucomm_get_rank(comm, &rank));
  return reduce(src, rank == root ? dest : NULL, GA_REDUCE, opcode, root, comm);
}

int GpuArray_all_reduce(const GpuArray *src, GpuArray *dest, int opcode,
                        gpucomm *comm) {
  return reduce(src, dest, GA_ALL_REDUCE, opcode, 0, comm);
}

int GpuArray_reduce_scatter(const GpuArray *src, GpuArray *dest, int opcode,
                            gpucomm *comm) {
  ga__collective c = {.kind = GA_REDUCE_SCATTER, .op = opcode};
  call k = {.target = NULL};
  int n;

  GA_TRY(gpucomm_get_count(comm, &n));
  int err = take(&k, src, 1, dest, (size_t)n);
  if (err == GA_NO_ERROR)
    c.count = ga__array_total(dest);
  return run(comm, &k, &c, err);
}

int GpuArray_broadcast(GpuArray *array, int root, gpucomm *comm) {
  ga__collective c = {.kind = GA_BROADCAST, .root = root};
  call k = {.target = NULL};
  int rank;

  GA_TRY(gpucomm_get_rank(comm, &rank));
  int err = rank == root ? take(&k, array, 1, NULL, 1) : take_dst(&k, array);
  if (err == GA_NO_ERROR && rank != root)
    err = GpuArray_view(&k.src, &k.dst);
  if (err == GA_NO_ERROR)
    c.count = ga__array_total(array);
  return run(comm, &k, &c, err);
}

int GpuArray_all_gather(const GpuArray *src, GpuArray *dest, gpucomm *comm) {
  ga__collective c = {.kind = GA_ALL_GATHER};
  call k = {.target = NULL};
  int n;

  GA_TRY(gpucomm_get_count(comm, &n));
  int err = take(&k, src, (size_t)n, dest, 1);
  if (err == GA_NO_ERROR)
    c.count = ga__array_total(src);
  return run(comm, &k, &c, err);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Collectives without a provider: every call answers as the interface says for
 * that case. */
#include <gpuarray/collectives.h>

#include <string.h>

#include "base/err.h"

static int no_provider(void) {
  return ga__fail(GA_DEVSUP_ERROR,
                  "collectives: this library has no provider for them");
}

int gpucomm_new(gpucomm **comm, gpucontext *ctx, gpucommCliqueId comm_id,
                int ndev, int rank) {
  (void)ctx;
  (void)comm_id;
  if (comm)
    *comm = NULL;
  return ga__fail(GA_UNSUPPORTED_ERROR,
                  "collectives: rank %d of %d: this library has no provider",
                  rank, ndev);
}

void gpucomm_free(gpucomm *comm) {
  (void)comm; /* always NULL: gpucomm_new never makes one */
}

const char *gpucomm_error(gpucontext *ctx) {
  (void)ctx;
  return ga__err_text(GA_DEVSUP_ERROR);
}

gpucontext *gpucomm_context(gpucomm *comm) {
  (void)comm;
  return NULL;
}

int gpucomm_gen_clique_id(gpucontext *ctx, gpucommCliqueId *comm_id) {
  (void)ctx;
  if (comm_id)
    memset(comm_id, 0, sizeof *comm_id);
  return no_provider();
}

int gpucomm_get_count(gpucomm *comm, int *devcount) {
  (void)comm;
  (void)devcount;
  return no_provider();
}

int gpucomm_get_rank(gpucomm *comm, int *rank) {
  (void)comm;
  (void)rank;
  return no_provider();
}

int gpucomm_reduce(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest,
                   size_t count, int typecode, int opcode, int root,
                   gpucomm *comm) {
  (void)src;
  (void)offsrc;
  (void)dest;
  (void)offdest;
  (void)count;
  (void)typecode;
  (void)opcode;
  (void)root;
  (void)comm;
  return no_provider();
}

int gpucomm_all_reduce(gpudata *src, size_t offsrc, gpudata *dest,
                       size_t offdest, size_t count, int typecode, int opcode,
                       gpucomm *comm) {
  (void)src;
  (void)offsrc;
  (void)dest;
  (void)offdest;
  (void)count;
  (void)typecode;
  (void)opcode;
  (void)comm;
  return no_provider();
}

int gpucomm_reduce_scatter(gpudata *src, size_t offsrc, gpudata *dest,
                           size_t offdest, size_t count, int typecode,
                           int opcode, gpucomm *comm) {
  return gpucomm_all_reduce(src, offsrc, dest, offdest, count, typecode, opcode,
                            comm);
}

int gpucomm_broadcast(gpudata *array, size_t offset, size_t count, int typecode,
                      int root, gpucomm *comm) {
  (void)array;
  (void)offset;
  (void)count;
  (void)typecode;
  (void)root;
  (void)comm;
  return no_provider();
}

int gpucomm_all_gather(gpudata *src, size_t offsrc, gpudata *dest,
                       size_t offdest, size_t count, int typecode,
                       gpucomm *comm) {
  (void)src;
  (void)offsrc;
  (void)dest;
  (void)offdest;
  (void)count;
  (void)typecode;
  (void)comm;
  return no_provider();
}

int GpuArray_reduce_from(const GpuArray *src, int opcode, int root,
                         gpucomm *comm) {
  (void)src;
  (void)opcode;
  (void)root;
  (void)comm;
  return no_provider();
}

int GpuArray_reduce(const GpuArray *src, GpuArray *dest, int opcode, int root,
                    gpucomm *comm) {
  (void)dest;
  return GpuArray_reduce_from(src, opcode, root, comm);
}

int GpuArray_all_reduce(const GpuArray *src, GpuArray *dest, int opcode,
                        gpucomm *comm) {
  (void)src;
  (void)dest;
  (void)opcode;
  (void)comm;
  return no_provider();
}

int GpuArray_reduce_scatter(const GpuArray *src, GpuArray *dest, int opcode,
                            gpucomm *comm) {
  return GpuArray_all_reduce(src, dest, opcode, comm);
}

int GpuArray_broadcast(GpuArray *array, int root, gpucomm *comm) {
  (void)array;
  (void)root;
  (void)comm;
  return no_provider();
}

int GpuArray_all_gather(const GpuArray *src, GpuArray *dest, gpucomm *comm) {
  (void)src;
  (void)dest;
  (void)comm;
  return no_provider();
}

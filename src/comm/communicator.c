/* SPDX-License-Identifier: BSD-2-Clause */
/* Communicators, and their collectives on buffers (see collective.c). */
#include <gpuarray/buffer_collectives.h>

#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "comm/collective.h"
#include "comm/load.h"
#include "ocl/ocl.h"

/* --- communicators --- */

static int check_new(int ndev, int rank, gpucontext *ctx) {
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  if (ndev < 1 || rank < 0 || rank >= ndev)
    return ga__fail(GA_VALUE_ERROR, "rank %d of %d", rank, ndev);
  return GA_NO_ERROR;
}

int gpucomm_new(gpucomm **comm, gpucontext *ctx, gpucommCliqueId comm_id,
                int ndev, int rank) {
  const ga__comm_table *table = ga__comm_load();
  char why[GA_COMM_WHY] = "";
  gpucomm *c = NULL;

  if (comm != NULL)
    *comm = NULL;
  if (table == NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "collectives: rank %d of %d: this library has no provider",
                    rank, ndev);
  if (comm == NULL)
    return ga__fail(GA_INVALID_ERROR, "the communicator is NULL");
  GA_TRY(check_new(ndev, rank, ctx));
  GA_TRY(ga__collective_new(&c, ndev));
  c->group.table = table;
  c->group.n = ndev;
  c->group.rank = rank;
  c->group.timeout = ga__comm_timeout();
  int err = table->join(&c->group.handle, comm_id.internal, ndev, rank,
                        c->group.timeout, why);
  if (err != GA_NO_ERROR) {
    ga__collective_free(c);
    return ga__fail(err, "rank %d of %d: %s", rank, ndev, why);
  }
  c->ctx = ctx;
  ga__ctx_retain(ctx);
  *comm = c;
  return GA_NO_ERROR;
}

void gpucomm_free(gpucomm *comm) {
  if (comm == NULL)
    return;
  gpucontext *ctx = comm->ctx;
  comm->group.table->leave(comm->group.handle);
  ga__collective_free(comm);
  gpucontext_deref(ctx);
}

const char *gpucomm_error(gpucontext *ctx) {
  (void)ctx; /* the message belongs to the thread */
  return ga__err_text(GA_COMM_ERROR);
}

gpucontext *gpucomm_context(gpucomm *comm) {
  return comm != NULL ? comm->ctx : NULL;
}

int gpucomm_gen_clique_id(gpucontext *ctx, gpucommCliqueId *comm_id) {
  const ga__comm_table *table = ga__comm_load();
  char why[GA_COMM_WHY] = "";

  (void)ctx;
  if (comm_id != NULL)
    memset(comm_id, 0, sizeof *comm_id);
  if (table == NULL)
    return ga__collective_check(NULL);
  if (comm_id == NULL)
    return ga__fail(GA_INVALID_ERROR, "the clique id is NULL");
  int err = table->name(comm_id->internal, why);
  return err == GA_NO_ERROR ? err : ga__fail(err, "%s", why);
}

int gpucomm_get_count(gpucomm *comm, int *devcount) {
  GA_TRY(ga__collective_check(comm));
  *devcount = comm->group.n;
  return GA_NO_ERROR;
}

int gpucomm_get_rank(gpucomm *comm, int *rank) {
  GA_TRY(ga__collective_check(comm));
  *rank = comm->group.rank;
  return GA_NO_ERROR;
}

/* --- operations --- */

int gpucomm_reduce(gpudata *src, size_t offsrc, gpudata *dest, size_t offdest,
                   size_t count, int typecode, int opcode, int root,
                   gpucomm *comm) {
  const ga__collective c = {GA_REDUCE, src,      offsrc, dest, offdest,
                            count,     typecode, opcode, root};

  return ga__collective_run(comm, &c, GA_NO_ERROR);
}

int gpucomm_all_reduce(gpudata *src, size_t offsrc, gpudata *dest,
                       size_t offdest, size_t count, int typecode, int opcode,
                       gpucomm *comm) {
  const ga__collective c = {GA_ALL_REDUCE, src,      offsrc, dest, offdest,
                            count,         typecode, opcode, 0};

  return ga__collective_run(comm, &c, GA_NO_ERROR);
}

int gpucomm_reduce_scatter(gpudata *src, size_t offsrc, gpudata *dest,
                           size_t offdest, size_t count, int typecode,
                           int opcode, gpucomm *comm) {
  const ga__collective c = {
      GA_REDUCE_SCATTER, src,    offsrc, dest, offdest, count,
      typecode,          opcode, 0};

  return ga__collective_run(comm, &c, GA_NO_ERROR);
}

int gpucomm_broadcast(gpudata *array, size_t offset, size_t count, int typecode,
                      int root, gpucomm *comm) {
  const ga__collective c = {GA_BROADCAST, array,    offset, NULL, 0,
                            count,        typecode, GA_SUM, root};

  return ga__collective_run(comm, &c, GA_NO_ERROR);
}

int gpucomm_all_gather(gpudata *src, size_t offsrc, gpudata *dest,
                       size_t offdest, size_t count, int typecode,
                       gpucomm *comm) {
  const ga__collective c = {GA_ALL_GATHER, src,      offsrc, dest, offdest,
                            count,         typecode, GA_SUM, 0};

  return ga__collective_run(comm, &c, GA_NO_ERROR);
}

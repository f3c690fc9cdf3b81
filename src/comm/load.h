/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the provider of collectives. */
#ifndef COMM_LOAD_H
#define COMM_LOAD_H

#include "comm/provider.h"

/* Get the provider, which is loaded at the first call: $GPUARRAY_MPI if that is
 * set ("0": none), else libgpuarray-mpi.so beside this library or on the
 * loader's path. NULL when there is none. */
const ga__comm_table *ga__comm_load(void);

/* The seconds to wait for other ranks: $GPUARRAY_COMM_TIMEOUT, or 60. */
double ga__comm_timeout(void);

#endif

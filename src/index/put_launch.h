/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches of take, gather, put and scatter. */
#ifndef INDEX_PUT_LAUNCH_H
#define INDEX_PUT_LAUNCH_H

#include <gpuarray/index.h>

#include "layout/put_layout.h"

/* Make the launch of a checked job. Slot 0 is the written array, 1 the read
 * one, 2 the indices. The caller frees *out. */
int ga__put_launch(GpuLaunch **out, const ga__put_job *j);

#endif

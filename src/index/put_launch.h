/* SPDX-License-Identifier: BSD-2-Clause */
/* One call around indices as a launch. */
#ifndef INDEX_PUT_LAUNCH_H
#define INDEX_PUT_LAUNCH_H

#include <gpuarray/index.h>

#include "layout/put_layout.h"

/* A launch for a job that has been checked. The slots are what is written,
 * what is read, and the indices. */
int ga__put_launch(GpuLaunch **out, const ga__put_job *j);

#endif

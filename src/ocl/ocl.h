/* SPDX-License-Identifier: BSD-2-Clause */
/* What the layers above use of this folder. Its own files include what they
 * need. */
#ifndef OCL_OCL_H
#define OCL_OCL_H

#include <gpuarray/device.h>
#include <gpuarray/launch.h>

#include "ocl/clerror.h"
#include "ocl/context.h"
#include "ocl/foreign.h"
#include "ocl/foreign_data.h"
#include "ocl/kernel/noted.h"
#include "ocl/kernel/programs.h"
#include "ocl/launch/launch_build.h"
#include "ocl/launch/launch_flush.h"
#include "ocl/launch/launch_renew.h"
#include "ocl/memory/buffer.h"

#endif

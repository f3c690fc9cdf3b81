/* SPDX-License-Identifier: BSD-2-Clause */
/** \file gpugraph.h
 *  Include everything: graphs, ops, gradients, functions, reports.
 */
#ifndef GPUGRAPH_GPUGRAPH_H
#define GPUGRAPH_GPUGRAPH_H

#include <gpuarray/device.h>
#include <gpuarray/index_guard.h>
#include <gpugraph/activations.h>
#include <gpugraph/args.h>
#include <gpugraph/arrange.h>
#include <gpugraph/blocks.h>
#include <gpugraph/complex.h>
#include <gpugraph/context.h>
#include <gpugraph/conv.h>
#include <gpugraph/copy.h>
#include <gpugraph/create.h>
#include <gpugraph/cumulate.h>
#include <gpugraph/debug.h>
#include <gpugraph/eval.h>
#include <gpugraph/fft.h>
#include <gpugraph/func.h>
#include <gpugraph/gather.h>
#include <gpugraph/grad.h>
#include <gpugraph/graph.h>
#include <gpugraph/ifelse.h>
#include <gpugraph/images.h>
#include <gpugraph/indexing.h>
#include <gpugraph/inner.h>
#include <gpugraph/linalg.h>
#include <gpugraph/monitor.h>
#include <gpugraph/normalise.h>
#include <gpugraph/numeric.h>
#include <gpugraph/op.h>
#include <gpugraph/ops.h>
#include <gpugraph/pooling.h>
#include <gpugraph/random.h>
#include <gpugraph/replace.h>
#include <gpugraph/report.h>
#include <gpugraph/rewrite.h>
#include <gpugraph/rop.h>
#include <gpugraph/save.h>
#include <gpugraph/scan.h>
#include <gpugraph/search.h>
#include <gpugraph/select.h>
#include <gpugraph/signal.h>
#include <gpugraph/site.h>
#include <gpugraph/sizes.h>
#include <gpugraph/sort.h>
#include <gpugraph/sparse.h>
#include <gpugraph/special.h>
#include <gpugraph/statistics.h>
#include <gpugraph/topk.h>
#include <gpugraph/walk.h>

#define GPUGRAPH_VERSION_MAJOR 1
#define GPUGRAPH_VERSION_MINOR 0
#define GPUGRAPH_VERSION_PATCH 0
#define GPUGRAPH_VERSION "1.0.0"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library at run time, "1.0.0". */
GG_PUBLIC const char *gpugraph_version(void);

#ifdef __cplusplus
}
#endif

#ifndef GG_NO_SITES
#include <gpugraph/sited.h>
#endif

#endif

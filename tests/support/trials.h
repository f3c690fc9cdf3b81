/* SPDX-License-Identifier: BSD-2-Clause */
/* Random trials, each of which follows from its number: a few by default, and
 * as many as wanted by the environment (ci/fuzz-random):
 *
 *   GPUGRAPH_FUZZ_SECONDS=3600  for so long, however many these are
 *   GPUGRAPH_FUZZ_SEED=17       from this number on; it alone with 0 seconds */
#ifndef SUPPORT_TRIALS_H
#define SUPPORT_TRIALS_H

#include <stddef.h>

/* Try numbers from 0 on, `few` of them by default; prints how many, or which
 * one failed. */
void trials_run(size_t few, void (*one)(size_t number));

/* Number of the one that is under way, for messages. */
size_t trials_now(void);

#endif

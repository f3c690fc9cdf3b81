/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions: what launches were prepared for, so that a launch is renewed
 * without preparing where the answer is known (launch_answer.c). A context has
 * a table of launches by their questions and kernels; it does not own them. */
#ifndef OCL_LAUNCH_LAUNCH_QUESTION_H
#define OCL_LAUNCH_LAUNCH_QUESTION_H

#include <gpuarray/launch.h>

enum { GA_QUESTION_ARGS = 256 }; /* most arguments of a plain kernel */

/* Was the launch prepared for this question? */
int ga__question_is_for(const GpuLaunch *l, const size_t *question, size_t n);
/* Does the launch consist of kernels that depend on nothing but slots, values
 * and workspaces without data? Others may copy the arguments of such a
 * launch. */
int ga__question_is_plain(const GpuLaunch *l);
/* Find a plain launch that was prepared for this question; its kernels have the
 * hash of those of `l`, which keeps the question's hash. NULL if there is none.
 * Lock held. */
GpuLaunch *ga__question_find(GpuLaunch *l, const size_t *question, size_t n);
/* Copy a question and its answer to a launch. */
int ga__question_store(GpuLaunch *l, const size_t *question, size_t n,
                       const size_t *answer, size_t n_answer);
/* Free the table of a context. */
void ga__questions_clear(gpucontext *ctx);

#endif

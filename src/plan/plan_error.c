/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose message a failure has. */
#include <gpuarray/error.h>
#include <string.h>

#include "plan/plan.h"

int gg__adopt_error(const gg__program *p, int err) {
  if (err == GA_NO_ERROR)
    return err;
  if (gg_graph_status(p->g) != GA_NO_ERROR) {
    ga__fail_text(err, gg_graph_error(p->g));
    gg_graph_reset_error(p->g);
    return err;
  }
  return ga__fail_text(err, gpucontext_error(p->g->ctx, err));
}

int gg__adopt_message(const gg__program *p, int err) {
  return gg_graph_status(p->g) != GA_NO_ERROR ? gg__adopt_error(p, err) : err;
}

/* GpuElemwise_new tells no code: it is the one that has a message. */
int gg__last_code(const gg__program *p) {
  for (int code = GA_MEMORY_ERROR; code <= GA_LOAD_ERROR; code++)
    if (strcmp(gpucontext_error(p->g->ctx, code), gpuarray_error_str(code)) !=
        0)
      return code;
  return GA_MEMORY_ERROR;
}

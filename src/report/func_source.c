/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of a compiled function's kernels. */
#include <gpugraph/report.h>

#include "base/file.h"
#include "func/func.h"
#include "report/write.h"

static void put_launch(const gg_func *f, const gg__launch *l, FILE *out) {
  const gg__step *s = f->unit.program.steps.v[l->step];
  GpuLaunchStats st = {.label = NULL};

  if (l->launch == NULL || GpuLaunch_stats(l->launch, &st) != GA_NO_ERROR)
    return; /* no kernels, or the device is lost */
  for (unsigned int k = 0; k < st.kernels; k++) {
    const char *text = GpuLaunch_source(l->launch, k);
    fprintf(out, "/* step %u: %s, kernel %u of %u, by %s */\n%s\n", s->shown,
            s->label, k + 1, st.kernels, st.provider,
            text != NULL ? text : "/* no text */\n");
  }
}

int gg_func_print_kernels(const gg_func *f, FILE *out) {
  if (f == NULL || out == NULL)
    return gg__nothing_to_write("gg_func_print_kernels", f);
  gg_func *open = (gg_func *)f; /* only its lock changes */
  pthread_mutex_lock(&open->locks.own);
  const gg__plan *p = gg__last_plan(f);
  for (size_t k = 0; k < f->stages.n; k++)
    gg_func_print_kernels(f->stages.v[k].f, out);
  for (size_t k = 0; p != NULL && k < p->launches.n; k++)
    put_launch(f, &p->launches.v[k], out);
  pthread_mutex_unlock(&open->locks.own);
  return ga__flushed(out, "the kernels");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of steps, from the statistics of launches. */
#include "plan/figures.h"

#include <gpuarray/profile.h>
#include <string.h>

/* Add the figures of a launch. The first one of a step counts its calls. */
static int add_launch(gg__spent *s, const gg__launch *l, int is_first) {
  GpuLaunchStats st;

  GA_TRY(GpuLaunch_stats(l->launch, &st));
  double flops = l->flops > 0 ? l->flops : st.flops;
  s->seconds += st.seconds;
  s->made += st.made + l->made;
  s->bytes += st.bytes * (double)st.calls;
  s->flops += flops * (double)st.calls;
  if (is_first)
    s->calls += st.calls;
  if (s->provider == NULL || strcmp(st.provider, "own") != 0)
    s->provider = st.provider;
  return GA_NO_ERROR;
}

/* Add the figures of a transfer, which belong to its second half. */
static int add_transfer(gg__spent *s, const gg__launch *l) {
  GpuTransferStats st;

  GA_TRY(GpuTransfer_stats(l->transfer, &st));
  s->seconds += st.seconds;
  s->bytes += st.bytes * (double)st.calls;
  s->calls += st.calls;
  s->provider = "transfer";
  return GA_NO_ERROR;
}

/* The launches of a step are consecutive. */
int gg__plan_spent(gg__spent *spent, const gg__plan *p) {
  for (size_t k = 0; k < p->launches.n; k++) {
    const gg__launch *l = &p->launches.v[k];
    if (l->launch != NULL)
      GA_TRY(add_launch(&spent[l->step], l,
                        k == 0 || p->launches.v[k - 1].step != l->step));
    else if (l->is_end)
      GA_TRY(add_transfer(&spent[l->step], l));
  }
  return GA_NO_ERROR;
}

void gg__keep_figures(gg__unit *u, const gg__plan *p) {
  gg__plan_spent(u->spent, p); /* figures of a context that fails are lost */
}

int gg__unit_spent(const gg__unit *u, gg__spent **spent) {
  *spent = ga__memdup(u->spent, u->program.steps.n * sizeof **spent);
  if (*spent == NULL)
    return ga__fail_nomem();
  for (const gg__looping *x = u->loops; x != NULL; x = x->next)
    if (x->plan != NULL && !x->is_stale)
      GA_TRY(gg__plan_spent(*spent, x->plan));
  return GA_NO_ERROR;
}

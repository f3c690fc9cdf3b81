/* SPDX-License-Identifier: BSD-2-Clause */
/* A savings account: the balance of one year follows from the year before. */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));
  gg_graph *g = gg_graph_new(ctx);
  gg_var *paid = gg_input(g, "paid", GA_FLOAT, 1);
  gg_var *factor = gg_input(g, "factor", GA_FLOAT, 0);

  /* balance[t] = balance[t - 1] * factor + paid[t], from 0. */
  gg_scan *s = gg_scan_open(g);
  gg_var *now = gg_scan_sequence(s, paid, 0);
  gg_var *balance = gg_scan_state(s, gg_f32(g, 0));
  gg_scan_next(s, balance, gg_add(gg_mul(balance, factor), now));
  check(gg_scan_close(s));
  gg_var *years = gg_scan_all(s, balance);
  gg_var *last = gg_scan_last(s, balance);
  gg_scan_free(s);

  /* Loops have gradients, which are loops. */
  gg_var *by_paid;
  check(gg_grad(&by_paid, last, 1, &paid));

  gg_func *f;
  check(gg_func_new(&f, g,
                    &(gg_func_spec){.inputs = GG_VARS(paid, factor),
                                    .outputs = GG_VARS(years, by_paid)}));
  float paids[] = {100, 100, 0, 50}, two = 2, balances[4], worth[4];
  gg_host_array in[] = {
      {.dtype = GA_FLOAT, .nd = 1, .dims = {4}, .data = paids},
      {.dtype = GA_FLOAT, .nd = 0, .data = &two}};
  gg_host_array out[] = {{.data = balances, .bytes = sizeof balances},
                         {.data = worth, .bytes = sizeof worth}};
  check(gg_func_call_host(f, (const gg_host_array *[]){&in[0], &in[1]},
                          (gg_host_array *[]){&out[0], &out[1]}));
  for (int i = 0; i < 4; i++)
    printf("year %d: balance %3g; 1 paid then is worth %g at the end\n", i + 1,
           (double)balances[i], (double)worth[i]);

  gg_func_free(f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}

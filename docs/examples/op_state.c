/* SPDX-License-Identifier: BSD-2-Clause */
/* An op with a state of its own: the running sum of what it has been called
 * with. The state lives as long as the plan for one combination of shapes. */
#include "op_example.h"

typedef struct running {
  size_t calls;
  float sum[];
} running;

static int running_new(const gg_prepare *p, void **state) {
  size_t n = example_count(p->in[0]);

  *state = calloc(1, sizeof(running) + n * sizeof(float));
  return *state != NULL ? GA_NO_ERROR : GA_MEMORY_ERROR;
}

static int running_perform(const gg_prepare *p) {
  running *r = p->state;
  const float *x = p->from[0];
  float *z = p->to[0];
  size_t n = example_count(p->in[0]);

  for (size_t i = 0; i < n; i++)
    z[i] = r->sum[i] += x[i];
  printf("call %zu\n", ++r->calls);
  return GA_NO_ERROR;
}

static const gg_op running_op = {.name = "running_sum",
                                 .kind = GG_OP_PERFORM,
                                 .n_out = 1,
                                 .on_host = 1,
                                 .no_fold = 1,
                                 .infer = example_infer,
                                 .shape = example_shape,
                                 .perform = running_perform,
                                 .state_new = running_new,
                                 .state_free = free};

int main(void) {
  float got[3];
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 0, 3, (float[]){1, 2, 3});
  gg_var *z = gg_op_apply(NULL, &running_op, NULL, 1, &x);
  GpuArray out = {0};
  gg_func *f;

  int err = gg_func_new(&f, g, &(gg_func_spec){.outputs = GG_VARS(z)});
  for (int i = 0; i < 3 && err == GA_NO_ERROR; i++)
    err = gg_func_call(f, NULL, (GpuArray *[]){&out});
  if (err != GA_NO_ERROR)
    example_fail(gg_graph_error(g), gg_func_error(f));
  if (GpuArray_read(got, sizeof got, &out) || got[0] != 3 || got[2] != 9)
    example_fail("wrong value", "of a running sum");
  GpuArray_clear(&out);
  gg_func_free(f);
  return example_close(g);
}

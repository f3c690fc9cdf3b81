/* SPDX-License-Identifier: BSD-2-Clause */
/* Products that leave loops: where they do and do not, and that the values stay
 * what they were. */
#include <string.h>

#include "graph/inner.h"
#include "ops/ops.h"
#include "support/funcs.h"
#include "support/rewritten.h"
#include "support/roundtrip.h"

enum { STEPS = 5, ROWS = 2, UNITS = 3 };

/* xs: matrices by step; vs: vectors; u, w: matrices; h: a first state. */
#define LEAVES                                                                 \
  "xs = input float32[?, ?, 3]\nvs = input float32[?, 3]\n"                    \
  "u = input float32[?, ?]\nw = input float32[3, 3]\nb = input float32[3]\n"   \
  "h0 = input float32[1, ?, 3]\nk0 = input float32[1, 3]\n"
#define NET                                                                    \
  "y, _ = scan() {\nx = row(xs)\nh = state(h0)\nu = fixed(u)\nw = fixed(w)\n"  \
  "b = fixed(b)\n"
#define VECTORS                                                                \
  "y, _ = scan() {\nv = row(vs)\nk = state(k0)\nu = fixed(u)\nw = fixed(w)\n"

static const struct {
  const char *what, *text;
  unsigned int left, leave; /* products in each step, rows that they become */
} cases[] = {
    {"matrices", NET "z = tanh(add(dot(x, u), dot(h, w)))\nnext (z)\n}\n", 1,
     1},
    {"elementwise before and behind",
     NET "z = add(tanh(add(dot{alpha=2}(mul(x, x), u), b)), dot(h, w))\n"
         "next (z)\n}\n",
     1, 1},
    {"a chain of products",
     NET "z = add(dot(exp(dot(x, u)), w), h)\nnext (z)\n}\n", 0, 1},
    {"two of one row",
     NET "z = add(mul(dot(x, u), h), dot(x, w))\nnext (z)\n}\n", 0, 2},
    {"vector times matrix", VECTORS "z = add(dot(v, w), k)\nnext (z)\n}\n", 0,
     1},
    {"matrix times vector",
     VECTORS "z = sin(add(dot(w, v), dot(k, w)))\nnext (z)\n}\n", 1, 1},
    {"vector times vector",
     "y, _ = scan() {\nv = row(vs)\nk = state(k0)\nb = fixed(b)\n"
     "z = mul(k, dot(v, b))\nnext (z)\n}\n",
     1, 0},
    {"rows from the end",
     "y, _ = scan{exact=true}(shape{axis=0}(vs)) {\n"
     "v = row{reversed=true}(vs)\nw = fixed(w)\nk = state(k0)\n"
     "z = add(dot(v, w), k)\nnext (z)\n}\n",
     0, 1},
    {"rows of both directions",
     "y, _ = scan{exact=true}(shape{axis=0}(vs)) {\n"
     "v = row{reversed=true}(vs)\nx = row(vs)\nw = fixed(w)\nk = state(k0)\n"
     "z = add(dot(mul(v, x), w), k)\nnext (z)\n}\n",
     1, 0},
    {"an output",
     "y, _ = scan() {\nx = row(xs)\nu = fixed(u)\nz = dot(x, u)\n"
     "output (z)\n}\n",
     0, 1},
    {"from the left",
     NET "z = add(dot(w, dot(h, w)), dot(w, h))\nnext (z)\n}\n", 3, 0},
    {"rows that are not all used",
     "y, _ = scan(2) {\nv = row(vs)\nk = state(k0)\nw = fixed(w)\n"
     "z = add(dot(v, w), k)\nnext (z)\n}\n",
     1, 0},
    {"a loop that may end before",
     "y, _, _ = scan() {\nv = row(vs)\nk = state(k0)\nw = fixed(w)\n"
     "z = add(dot(v, w), k)\nc = gt(sum(z), 1e9)\nnext (z)\nuntil (c)\n}\n",
     1, 0},
};

/* --- structure --- */

static unsigned int count_products(const gg_var *v) {
  const gg__inner *x = gg__inner_of(v->owner);
  unsigned int n = 0;

  for (size_t i = 0; i < x->g->vars.n; i++)
    n += x->g->vars.v[i]->owner != NULL &&
         x->g->vars.v[i]->owner->op == &gg__op_dot;
  return n;
}

static unsigned int count_rows(const gg_var *v) {
  return (unsigned int)gg__inner_of(v->owner)->words[0];
}

static gg_graph *graph_of_case(gpucontext *ctx, size_t i) {
  char text[2048];

  snprintf(text, sizeof text, "%s%s", LEAVES, cases[i].text);
  return graph_of_text(ctx, text);
}

static void check_structure(size_t i) {
  gg_graph *g = graph_of_case(NULL, i);
  gg_var *y = gg_graph_find(g, "y");
  const unsigned int rows = count_rows(y);
  gg__build b;

  rewrite_begin(&b, g, GG_FAST_RUN);
  rewrite_output(&b, y);
  rewrite_run(&b);
  y = b.results.v[0];
  if (count_products(y) != cases[i].left ||
      rewrite_fired(&b, "scan push out") != (cases[i].leave != 0))
    fail_msg("%s: %u products left, fired %u times", cases[i].what,
             count_products(y), rewrite_fired(&b, "scan push out"));
  /* Nothing else in the steps needs the old row. */
  assert_int_equal(count_rows(y), cases[i].leave != 0 ? cases[i].leave : rows);
  rewrite_end(&b);
  gg_graph_free(g);
}

static void test_structure(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_structure(i);
}

/* The gradient of a cell that uses a product knows all rows, of states too: its
 * products of those leave, and only what adds up stays. */
static void test_gradient(void **state) {
  const char *text = LEAVES NET
      "z = mul(tanh(add(dot(x, u), dot(h, w))), sigmoid(dot(x, w)))\n"
      "next (z)\n}\n";
  gg_graph *g = graph_of_text(NULL, text);
  gg_var *y = gg_graph_find(g, "y"), *d = NULL;
  gg__build b;

  (void)state;
  assert_ok(gg_grad(&d, gg_sum(y), 1, (gg_var *[]){gg_graph_find(g, "h0")}));
  rewrite_begin(&b, g, GG_FAST_RUN);
  rewrite_output(&b, d);
  rewrite_run(&b);
  assert_int_equal(rewrite_fired(&b, "scan push out"), 2);
  rewrite_end(&b);
  gg_graph_free(g);
}

/* --- values --- */

typedef struct arrays {
  GpuArray a[7]; /* in the order of LEAVES */
} arrays;

static void arrays_init(arrays *x) {
  const size_t dims[7][3] = {{STEPS, ROWS, UNITS},
                             {STEPS, UNITS},
                             {UNITS, UNITS},
                             {UNITS, UNITS},
                             {UNITS},
                             {1, ROWS, UNITS},
                             {1, UNITS}};
  const unsigned int nd[7] = {3, 2, 2, 2, 1, 3, 2};
  float v[STEPS * ROWS * UNITS];

  for (unsigned int i = 0; i < 7; i++) {
    test_fill(v, GA_FLOAT, sizeof v / sizeof *v, -1, 1, i + 1);
    float_array(&x->a[i], nd[i], dims[i], v);
  }
}

static size_t run_case(gg_graph *g, const arrays *x, const char *const *exclude,
                       float *got) {
  gg_var *in[8] = {gg_graph_find(g, "xs"), gg_graph_find(g, "vs"),
                   gg_graph_find(g, "u"),  gg_graph_find(g, "w"),
                   gg_graph_find(g, "b"),  gg_graph_find(g, "h0"),
                   gg_graph_find(g, "k0"), NULL};
  gg_var *y = gg_graph_find(g, "y");
  GpuArray *args[7], out = {0};
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = in,
                                            .outputs = GG_VARS(y),
                                            .flags = GG_ALLOW_UNUSED_INPUT,
                                            .exclude = exclude});

  for (int i = 0; i < 7; i++)
    args[i] = (GpuArray *)&x->a[i];
  func_run(f, args, (GpuArray *[]){&out});
  size_t n = test_size(&out);
  test_gather(&out, got);
  GpuArray_clear(&out);
  gg_func_free(f);
  return n;
}

static void test_values(void **state) {
  float want[64], got[64];
  arrays x;

  (void)state;
  arrays_init(&x);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (cases[i].leave == 0)
      continue;
    gg_graph *g = graph_of_case(test_context(), i);
    size_t n = run_case(g, &x, GG_NAMES("scan push out"), want);
    assert_int_equal(run_case(g, &x, NULL, got), n);
    assert_true(n <= sizeof got / sizeof *got);
    test_close(GA_FLOAT, got, want, n, 1e-5, 1e-6);
    gg_graph_free(g);
  }
  for (int i = 0; i < 7; i++)
    GpuArray_clear(&x.a[i]);
}

/* The last row of all values is what the loop ends with. */
static void test_last(void **state) {
  const char *text = LEAVES "all, _ = scan() {\nx = row(xs)\nz = tanh(x)\n"
                            "output (z)\n}\ny = index{axis=0, at=-1}(all)\n";
  gg_graph *g = graph_of_text(test_context(), text);
  float want[64], got[64];
  gg__build b;
  arrays x;

  (void)state;
  rewrite_begin(&b, g, GG_FAST_RUN);
  rewrite_output(&b, gg_graph_find(g, "y"));
  rewrite_run(&b);
  assert_int_equal(rewrite_fired(&b, "scan last"), 1);
  assert_string_equal(b.results.v[0]->owner->op->name, "scan");
  rewrite_end(&b);
  arrays_init(&x);
  size_t n = run_case(g, &x, GG_NAMES("scan last"), want);
  assert_int_equal(run_case(g, &x, NULL, got), n);
  test_close(GA_FLOAT, got, want, n, 0, 0);
  for (int i = 0; i < 7; i++)
    GpuArray_clear(&x.a[i]);
  gg_graph_free(g);
}

/* Zeros for the branch that is not taken, of the shape of its own value, get
 * that of the other branch, so that the product stays inside. If data decide
 * the sizes, they may not. */
static void test_zeros_in_choice(void **unused) {
  (void)unused;
  for (int by_data = 0; by_data < 2; by_data++) {
    gg_graph *g = gg_graph_new(NULL);
    gg_var *a = gg_input(g, "a", GA_FLOAT, 2),
           *x = gg_input(g, "x", GA_FLOAT, 1);
    gg_var *y = by_data ? gg_compress(x, gg_gt(x, gg_f32(g, 0))) : x;
    gg_var *c = gg_gt(gg_sum(x), gg_f32(g, 1));
    gg__build b;

    rewrite_begin(&b, g, GG_FAST_RUN);
    rewrite_output(&b, gg_ifelse(c, y, gg_zeros_like(gg_dot(a, x))));
    rewrite_run(&b);
    assert_int_equal(rewrite_fired(&b, "zeros in choice"), !by_data);
    rewrite_end(&b);
    gg_graph_free(g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_structure), cmocka_unit_test(test_gradient),
      cmocka_unit_test(test_last),      cmocka_unit_test(test_zeros_in_choice),
      cmocka_unit_test(test_values),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}

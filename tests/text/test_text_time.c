/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and printing a text takes time linear in its length, whatever it is
 * full of. Times are of the thread, and the margin is wide: eight times the
 * text may take 24 times as long, where a quadratic reader takes 64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <time.h>

#include <gpugraph/graph.h>
#include <gpugraph/save.h>

#include "base/strb.h"

enum { SHORT = 4000, TIMES = 8, MARGIN = 24 };

static const char head[] = "x = input float32[?]\ny = neg(x)\n";

static void functions(ga__strb *b, unsigned int n) {
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, "function f%u(x) -> (y)\n", i);
}

static void one_function(ga__strb *b, unsigned int n) {
  ga__strb_append(b, "function f(x) -> (y");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_append(b, ", y");
  ga__strb_append(b, ")\n");
}

static void inputs(ga__strb *b, unsigned int n) {
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, "in%u = input float32[?]\n", i);
}

static void a_chain(ga__strb *b, unsigned int n) {
  ga__strb_append(b, "a0 = exp(x)\n");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, "a%u = exp(a%u)\n", i + 1, i);
}

static void constants(ga__strb *b, unsigned int n) {
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, "c%u = float32 %u\n", i, i);
}

static void elements(ga__strb *b, unsigned int n) {
  ga__strb_appendf(b, "c = float32[%u] {0", n);
  for (unsigned int i = 1; i < n; i++)
    ga__strb_appendf(b, ", %u", i);
  ga__strb_append(b, "}\n");
}

static void comments(ga__strb *b, unsigned int n) {
  for (unsigned int i = 0; i < n; i++)
    ga__strb_append(b, "# nothing\n\n");
}

static double now(void) {
  struct timespec t;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of some turns, in seconds. */
static double seconds_of(void (*form)(ga__strb *, unsigned int), unsigned int n,
                         unsigned int turns) {
  ga__strb b = GA_STRB_INIT;
  FILE *nothing = fopen("/dev/null", "w");
  double best = 1e9;

  assert_non_null(nothing);
  ga__strb_append(&b, head);
  form(&b, n);
  for (unsigned int i = 0; i < turns; i++) {
    gg_graph *g = gg_graph_new(NULL);
    const double start = now();

    assert_non_null(g);
    if (gg_graph_parse(g, "text", ga__strb_text(&b), b.n) != 0)
      fail_msg("%s", gg_graph_error(g));
    assert_int_equal(gg_graph_print(g, nothing, GG_TEXT_VALUES), 0);
    gg_graph_free(g);
    const double took = now() - start;
    best = took < best ? took : best;
  }
  fclose(nothing);
  ga__strb_clear(&b);
  return best;
}

static void reading_takes_linear_time(void **state) {
  static const struct {
    const char *name;
    void (*form)(ga__strb *, unsigned int);
  } forms[] = {{"functions", functions}, {"outputs", one_function},
               {"inputs", inputs},       {"a chain", a_chain},
               {"constants", constants}, {"elements", elements},
               {"comments", comments}};

  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const double few = seconds_of(forms[i].form, SHORT, 5);
    const double many = seconds_of(forms[i].form, SHORT * TIMES, 2);

    if (many > MARGIN * few + 0.01)
      fail_msg("%s: %d take %.4f s, %d take %.4f s", forms[i].name, SHORT, few,
               SHORT * TIMES, many);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reading_takes_linear_time),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading, printing, saving and loading take time linear in the length of the
 * text, whatever it is full of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include <gpugraph/graph.h>
#include <gpugraph/save.h>

#include "base/strb.h"
#include "support/growth.h"
#include "support/tmpfile.h"

enum { FEW = 2000 };

/* A text with n things in it: `each` is written n times, then `middle`, then
 * `again` n times. $ stands for the index of the thing, @ for the next one; in
 * the other parts for n and n + 1. */
typedef struct form {
  const char *name, *begin, *each, *middle, *again, *end;
} form;

#define X "x = input float32[?]\n"
#define Y X "y = neg(x)\n"
#define A "a = input float32[?, 3]\n"

static const form forms[] = {
    {"functions", Y, "function f$(x) -> (y)\n", "", "", ""},
    {"outputs", Y "function f(x) -> (y", ", y", "", "", ")\n"},
    {"names", Y "function f(x) -> (y) exclude (fold", ", fold", "", "", ")\n"},
    {"updates", "w = shared float32\n", "w$ = shared float32[2]\n",
     "function f() -> () update (w = w", ", w$ = w$", ")\n"},
    {"default updates", "", "w$ = shared float32[2] 3\nupdate w$ = w$\n", "",
     "", ""},
    {"inputs", "", "in$ = input float32[?]\n", "", "", ""},
    {"names beside labels", "", "%@ \"a name\" = input float32[?]\n", "", "",
     ""},
    {"a chain", "a0 = input float32\n", "a@ = exp(a$)\n", "", "", ""},
    {"constants", "", "c$ = float32 $\n", "", "", ""},
    {"elements", "c = float32[@] {0", ", $", "", "", "}\n"},
    {"choices", "c = input bool\nx = input float32\ny = ifelse(c, x", ", x",
     ", x", ", x", ")\n"},
    {"values of choices", "c = input bool\n",
     "x$ = input float32\ny$ = exp(x$)\n", "z = ifelse(c", ", y$", ")\n"},
    {"contexts", "", "context c$\nx$ = input float32 in c$\n", "", "", ""},
    {"comments", "", "# nothing\n\n", "", "", ""},
    {"blanks", "x =", " \t", "", "", " input float32\n"},
    {"lines in brackets", "x = input float32[", "\n", "", "", "?]\n"},
    {"a long name", "\"", "n\\x41", "", "", "\" = input float32\n"},
    {"loops", A, "s$ = scan() {\n  r = row(a)\n  output (r)\n}\n", "", "", ""},
    {"lines of a loop", A "s = scan() {\n  r0 = row(a)\n", "  r@ = exp(r$)\n",
     "", "", "  output (r$)\n}\n"},
    {"rows", A "s = scan() {\n", "  r$ = row(a)\n", "  output (r0", ", r$",
     ")\n}\n"},
    {"rows like others", A "s = scan() {\n", "  r$ = row(a)\n", "  output (r0",
     ", r$ like r$", ")\n}\n"},
    {"states", A "s = scan(3) {\n  s = state(a)\n", "  s$ = state(a)\n",
     "  next (s", ", s$", ")\n}\n"},
    {"what is fixed", A "s = scan(3) {\n", "  f$ = fixed(a)\n", "  output (f0",
     ", f$", ")\n}\n"},
};

static void put(ga__strb *b, const char *text, size_t i) {
  for (; *text != '\0'; text++)
    if (*text == '$' || *text == '@')
      ga__strb_appendf(b, "%zu", i + (*text == '@'));
    else
      ga__strb_append_n(b, text, 1);
}

static void write_form(ga__strb *b, const form *f, size_t n) {
  put(b, f->begin, n);
  for (size_t i = 0; i < n; i++)
    put(b, f->each, i);
  put(b, f->middle, n);
  for (size_t i = 0; i < n; i++)
    put(b, f->again, i);
  put(b, f->end, n);
}

static gg_graph *read_form(const form *f, size_t n) {
  gg_graph *g = gg_graph_new(NULL);
  ga__strb b = GA_STRB_INIT;

  assert_non_null(g);
  write_form(&b, f, n);
  assert_int_equal(b.err, 0);
  if (gg_graph_parse(g, f->name, ga__strb_text(&b), b.n) != 0)
    fail_msg("%.200s", gg_graph_error(g));
  ga__strb_clear(&b);
  return g;
}

static void read_and_print(const void *arg, size_t n) {
  gg_graph *g = read_form(arg, n);
  FILE *nothing = fopen("/dev/null", "w");

  assert_non_null(nothing);
  if (gg_graph_print(g, nothing, 0) != 0)
    fail_msg("%.200s", gg_graph_error(g));
  fclose(nothing);
  gg_graph_free(g);
}

static void test_texts(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    test_is_linear(forms[i].name, read_and_print, &forms[i], FEW);
}

/* Each constant has a block of the file. */
static void save_and_load(const void *arg, size_t n) {
  static const form blocks = {"blocks", "", "c$ = float32[100] $\n",
                              "",       "", ""};
  const char *path = test_file_path("blocks.gg");
  gg_graph *g = read_form(&blocks, n);

  (void)arg;
  assert_int_equal(gg_graph_save(g, path), 0);
  gg_graph_free(g);
  g = gg_graph_new(NULL);
  assert_int_equal(gg_graph_load(g, path), 0);
  assert_int_equal(gg_graph_size(g), n);
  gg_graph_free(g);
}

static void test_files(void **state) {
  (void)state;
  test_is_linear("blocks", save_and_load, NULL, FEW / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_files),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops and choices as text: what is printed, what people may write, what is
 * refused and where. No device. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strb.h"
#include "support/roundtrip.h"

#include <gpugraph/rop.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- the same text again --- */

#define NET                                                                    \
  "xs = input float32[?, 4]\nh0 = input float32[1, 3]\n"                       \
  "u = shared float32[4, 3]\nw = shared float32[3, 3]\n"                       \
  "hs, h = scan{exact=true}(shape{axis=0}(xs)) {\n"                            \
  "  x = row(xs)\n"                                                            \
  "  h = state(h0)\n"                                                          \
  "  u = fixed(u)\n"                                                           \
  "  w = fixed(w)\n"                                                           \
  "  next_h = tanh(add(dot(x, u), dot(h, w)))\n"                               \
  "  next (next_h)\n"                                                          \
  "}\n"

static const char *const canonical[] = {
    NET,
    NET "function f(xs, h0) -> (h)\n",
    /* several taps, a state that nothing reads, one that starts from more */
    "x = input float32[3, 2]\nn = input int64\n"
    "xs, _, _, y, _, z = scan(n) {\n"
    "  a, b = state{back=[1, 3]}(x)\n"
    "  _ = state(float32[1] {0.5})\n"
    "  c = state{depth=3}(x)\n"
    "  %1 = add(a, b)\n"
    "  %2 = reduce{op=sum, axes=[0]}(a)\n"
    "  next (%1, %2, c)\n"
    "}\n",
    /* a state whose sizes change */
    "x = input float32[3, 2]\nn = input int64\n"
    "_, y = scan(n) {\n"
    "  a = state{resized=true} float32[?, 2](x)\n"
    "  %1 = join{axis=0}(a, a)\n"
    "  next (%1)\n"
    "}\n",
    /* a limit, reversed rows and outputs, a condition, what is not the usual */
    "x = input float32[?]\nn = input int64\nm = input int64\n"
    "ys, _ = scan{most=7}(n, m) {\n"
    "  x = row{reversed=true}(x)\n"
    "  %1 = exp(x)\n"
    "  output (%1 reversed like x)\n"
    "}\n",
    "x = input float32[?]\n"
    "ys, y, n = scan{exact=true, truncate=2}(shape{axis=0}(x)) {\n"
    "  x = row(x)\n"
    "  %1 = exp(x)\n"
    "  %2 = lt(x, 0)\n"
    "  output (%1)\n"
    "  until (%2)\n"
    "}\n",
    /* types that are not those of the operands */
    "x = input float32[?, ?]\n"
    "ys, _ = scan(5) {\n"
    "  x = row float32[3](x)\n"
    "  output (x)\n"
    "}\n",
    /* operands stand where they are used; labels are the block's own */
    "x = input float32[?, 2]\n"
    "%1 x = input float32[2]\n"
    "_, y = scan{exact=true}(shape{axis=0}(x)) {\n"
    "  x = row(exp(x))\n"
    "  %1 x = state(dimshuffle{pattern=[-1, 0]}(%1))\n"
    "  %2 = add(x, %1)\n"
    "  next (%2)\n"
    "}\n",
    /* loops in loops, constants of a body */
    "x = input float32[?, ?]\n"
    "ys, _ = scan{exact=true}(shape{axis=0}(x)) {\n"
    "  x = row(x)\n"
    "  _, %1 = scan{exact=true}(shape{axis=0}(x)) {\n"
    "    x = row(x)\n"
    "    s = state(float32[1] {0})\n"
    "    %1 = add(s, x)\n"
    "    next (%1)\n"
    "  }\n"
    "  output (%1)\n"
    "}\n",
    /* choices */
    "c = input bool\nx = input float32[?]\n"
    "y = ifelse(c, exp(x), neg(x))\n",
    "c = input bool\nx = input float32[3]\n%1 = exp(x)\n"
    "y, z = ifelse(c, %1, x, %1, float32[3] {1, 2, 3})\n",
    "c = input bool\nx = input float32[?]\n"
    "y = ifelse(c, ifelse(c, x, neg(x)), x)\n",
};

static void test_canonical(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(canonical); i++)
    assert_same_text(canonical[i]);
}

/* --- what programs build --- */

typedef struct net {
  gg_graph *g;
  gg_var *xs, *h0, *w; /* [?, 3], [3], [3, 3] */
  gg_scan *s;
  gg_var *x, *h; /* a row and a state */
} net;

static void net_init(net *n) {
  n->g = gg_graph_new(NULL);
  n->xs = gg_input_sized(n->g, "xs", GA_FLOAT, 2, (int64_t[]){GG_ANY, 3});
  n->h0 = gg_input_sized(n->g, "h0", GA_FLOAT, 1, (int64_t[]){3});
  n->w = gg_input_sized(n->g, "w", GA_FLOAT, 2, (int64_t[]){3, 3});
  n->s = gg_scan_open(n->g);
  n->x = gg_scan_sequence(n->s, n->xs, 0);
  n->h = gg_scan_state(n->s, n->h0);
  gg_scan_next(n->s, n->h, gg_tanh(gg_add(n->x, gg_dot(n->w, n->h))));
}

static gg_var *last(net *n) {
  gg_scan_close(n->s);
  return gg_scan_last(n->s, n->h);
}

static gg_var *all_and_last(net *n) {
  gg_var *y = gg_scan_output(n->s, gg_sum(gg_mul(n->h, gg_exp(n->x))));

  gg_scan_close(n->s);
  return gg_add(gg_sum(gg_sqr(gg_scan_all(n->s, n->h))),
                gg_add(gg_scan_last(n->s, y), gg_sum(gg_scan_all(n->s, y))));
}

static gg_var *taps(net *n) {
  gg_var *h[2], *y = gg_scan_sequence(n->s, n->xs, -2);

  gg_scan_state_taps(n->s, gg_slice(n->w, 0, 0, 2, 1), 2, (int[]){-2, -1}, h);
  gg_scan_next(n->s, h[0], gg_add(gg_mul(y, h[0]), gg_sin(h[1])));
  gg_scan_close(n->s);
  return gg_sum(gg_exp(gg_scan_all(n->s, h[0])));
}

static gg_var *until(net *n) {
  gg_scan_until(n->s, gg_gt(gg_sum(n->x), gg_f32(n->g, 3)));
  gg_scan_close(n->s);
  return gg_sum(gg_exp(gg_scan_all(n->s, n->h)));
}

static gg_var *truncated(net *n) {
  gg_scan_truncate(n->s, 2);
  gg_scan_backwards(n->s);
  return last(n);
}

static gg_var *nested(net *n) {
  gg_scan *t = gg_scan_open(n->g);
  gg_var *e = gg_scan_sequence(t, n->x, 0), *v = gg_scan_state(t, gg_sum(n->h));

  gg_scan_next(t, v, gg_sin(gg_add(v, e)));
  gg_scan_close(t);
  gg_var *y = gg_scan_output(n->s, gg_scan_last(t, v));
  gg_scan_free(t);
  gg_scan_close(n->s);
  return gg_sum(gg_sqr(gg_scan_all(n->s, y)));
}

static gg_var *chosen(net *n) {
  gg_var *c = gg_gt(gg_sum(n->x), gg_f32(n->g, 0));
  gg_var *y = gg_scan_output(n->s, gg_ifelse(c, gg_exp(n->h), n->x));

  gg_scan_close(n->s);
  return gg_sum(gg_scan_all(n->s, y));
}

static const struct {
  const char *name;
  gg_var *(*build)(net *n);
} built[] = {{"last", last},     {"all and last", all_and_last},
             {"taps", taps},     {"until", until},
             {"nested", nested}, {"truncated", truncated},
             {"chosen", chosen}};

/* Printed, read, printed again; nothing of the body stands outside of it. */
static void check_built(net *n, gg_var *y) {
  gg_named(y, "y");
  assert_ok(gg_graph_add_func(n->g, &(gg_func_spec){.name = "f",
                                                    .inputs = GG_VARS(n->xs),
                                                    .outputs = GG_VARS(y)}));
  char *text = graph_text(n->g, 0);
  gg_graph *h = graph_of_text(NULL, text);
  char *again = graph_text(h, 0);
  assert_string_equal(again, text);
  assert_int_equal(strncmp(text, "xs = input float32[?, 3]\nh0 = ", 30), 0);
  assert_null(strstr(text + 60, "= input float32[3]\n"));
  free(text);
  free(again);
  gg_graph_free(h);
}

static void test_built(void **state) {
  net n;

  (void)state;
  for (size_t i = 0; i < COUNT(built); i++) {
    net_init(&n);
    check_built(&n, built[i].build(&n));
    gg_scan_free(n.s);
    gg_graph_free(n.g);
  }
}

/* Gradients of all of them, and where there are any theirs too. */
static void test_gradients(void **state) {
  gg_var *d[2], *e;
  net n;

  (void)state;
  for (size_t i = 0; i < COUNT(built); i++) {
    net_init(&n);
    assert_ok(gg_grad_ex(d, gg_sum(built[i].build(&n)), 2,
                         (gg_var *[]){n.w, n.h0}, 0, NULL,
                         GG_GRAD_ALLOW_DISCONNECTED));
    e = d[0] != NULL ? d[0] : d[1];
    if (e != NULL && built[i].build != truncated)
      assert_ok(gg_grad_ex(&e, gg_sum(gg_sqr(e)), 1, (gg_var *[]){n.xs}, 0,
                           NULL, GG_GRAD_ALLOW_DISCONNECTED));
    check_built(&n, e != NULL ? e : n.w);
    gg_scan_free(n.s);
    gg_graph_free(n.g);
  }
}

/* A loop that is read is the one that was printed: equal loops are one node. */
static void test_same_node(void **state) {
  net n, m;

  (void)state;
  net_init(&n);
  gg_named(last(&n), "y");
  char *text = graph_text(n.g, 0);
  memset(&m, 0, sizeof m);
  m.g = graph_of_text(NULL, text);
  size_t size = gg_graph_size(m.g);
  m.xs = gg_graph_find(m.g, "xs");
  m.s = gg_scan_open(m.g);
  m.x = gg_scan_sequence(m.s, m.xs, 0);
  m.h = gg_scan_state(m.s, gg_graph_find(m.g, "h0"));
  gg_scan_next(m.s, m.h,
               gg_tanh(gg_add(m.x, gg_dot(gg_graph_find(m.g, "w"), m.h))));
  assert_ptr_equal(last(&m), gg_graph_find(m.g, "y"));
  assert_true(gg_graph_size(m.g) > size); /* the body's variables */
  free(text);
  gg_scan_free(n.s);
  gg_scan_free(m.s);
  gg_graph_free(n.g);
  gg_graph_free(m.g);
}

/* --- what people write --- */

static const written_text written[] = {
    /* steps are as many as rows; a body in a line; work that does not change
     * leaves it */
    {"x = input float32[?, 3]\nw = input float32[3]\n"
     "ys, _ = scan() { # a comment\n\n"
     "    r = row(x)\n w = fixed(w)\n"
     "y = mul(r,\n exp(w))\n output (y) }\n",
     "x = input float32[?, 3]\nw = input float32[3]\n"
     "ys, _ = scan{exact=true}(shape{axis=0}(x)) {\n"
     "  r = row(x)\n"
     "  %1 = fixed(exp(w))\n"
     "  y = mul(r, %1)\n"
     "  output (y)\n"
     "}\n"},
    /* what nothing needs is not there */
    {"x = input float32[?, 3]\nn = input int64\n"
     "_, y = scan(n) {\n next = row(x)\n h = state(float32[1] 0)\n"
     "z = exp(h)\n next (z)\n}\n",
     "x = input float32[?, 3]\nn = input int64\n"
     "_, y = scan(n) {\n"
     "  h = state(float32[1] {0})\n"
     "  z = exp(h)\n"
     "  next (z)\n"
     "}\n"},
    {"x = input float32\ny = ifelse(gt(x, 0), x, 0)\n",
     "x = input float32\ny = ifelse(gt(x, 0), x, float32 0)\n"},
    {"y = ifelse(1, 1, 2.5)\n",
     "y = ifelse(ne(int64 1, int64 0), float32 1, float32 2.5)\n"},
};

static void test_written(void **state) {
  (void)state;
  assert_texts_mean(COUNT(written), written);
}

/* --- what is refused --- */

#define X "x = input float32[?, 3]\n"
#define LOOP X "y, _ = scan() {\n"

static const refused_text refused[] = {
    {X "y = scan", "t:2:5: expected input, shared, a dtype or an op, got "
                   "'scan'"},
    {X "y = scan(", "t:2:10: expected a variable, got the end of the text"},
    {X "y = scan()", "t:2:11: expected '{', got the end of the text"},
    {X "y = scan() {", "t:2:13: expected '}' after the loop, got the end of "
                       "the text"},
    {X "y = scan() {}", "t:2:5: a loop without rows needs a number of steps"},
    {X "y = scan(3) {}", "t:2:5: scan: a loop without results"},
    {X "y = scan(0.5) {}", "t:2:10: 0.5 is no int64"},
    {X "y = scan(x) {\na = row(x)\noutput (a)\n}",
     "the number of steps is float32[?, 3], expected int64"},
    {X "y = scan(-1) {\na = row(x)\noutput (a)\n}", "-1 steps"},
    {X "y = scan(9223372036854775807) {\na = row(x)\noutput (a)\n}",
     "9223372036854775808 steps are more than"},
    {X "y = scan(3, 4, 5) {}", "t:2:14: expected ')', got ','"},
    {X "y = scan{most=-1}(3) {}", "t:2:9: a number of steps is not negative"},
    {X "y = scan{steps=3}() {}", "t:2:10: expected a property of the op, got "
                                 "'steps'"},
    {X "y = exp(scan() {})", "t:2:9: a loop must be the whole value after '='"},
    {LOOP "a = input float32\n}",
     "t:3:5: expected row, state, fixed, a dtype or an op, got 'input'"},
    {LOOP "a = shared float32\n}",
     "t:3:5: expected row, state, fixed, a dtype or an op, got 'shared'"},
    {LOOP "function f(x)\n}", "t:3:10: expected '=', got 'f'"},
    {LOOP "update x = x\n}", "t:3:8: expected '=', got 'x'"},
    /* the block sees nothing of what is around it */
    {LOOP "a = exp(x)\n}",
     "t:3:9: 'x' is defined outside of the loop, which fixed() brings in"},
    {LOOP "a = row(x)\noutput (x)\n}", "t:4:9: 'x' is defined outside"},
    {LOOP "a = exp(b)\n}", "t:3:9: 'b' is not defined above"},
    {LOOP "a = row(a)\n}", "t:3:9: 'a' is not defined above"},
    {LOOP "a = row(x)\nb = row(a)\n}", "t:4:9: 'a' is not defined above"},
    {X "y, _ = scan() {\na = row(y)\noutput (a)\n}",
     "t:3:9: 'y' is not defined above"},
    {LOOP "a = row(x)\noutput (a)\n}\nz = exp(a)",
     "t:6:9: 'a' is not defined above"},
    /* rows, states and fixed inputs */
    {LOOP "a = row x\n}", "t:3:9: expected '(', got 'x'"},
    {LOOP "a = row(x, x)\n}", "t:3:10: expected ')', got ','"},
    {LOOP "a = row(x}", "t:3:10: expected ')', got '}'"},
    {LOOP "a = row float32[x](x)\n}",
     "t:3:17: expected a whole number, got 'x'"},
    {LOOP "a = row float32[(x)\n}", "t:3:17: expected a whole number, got '('"},
    {LOOP "a = state{depth=x}(x)\n}",
     "t:3:17: expected a whole number, got 'x'"},
    {LOOP "a = fixed{b=1}(x)\n}",
     "t:3:11: expected a property of the op, got 'b'"},
    {LOOP "a, b = fixed(x)\n}", "t:3:1: 2 labels for 1 results"},
    {LOOP "a = fixed(q)\n}", "t:3:11: 'q' is not defined above"},
    {LOOP "a = state(q)\n}", "t:3:11: 'q' is not defined above"},
    {X "y = scan{most=1} 3", "t:2:18: expected '(', got '3'"},
    {LOOP "a = row(1)\n}", "t:3:9: a number needs its dtype here"},
    {LOOP "a = row(float32 1)\n}", "t:3:5: a scalar has no rows"},
    {LOOP "a, b = row(x)\n}", "t:3:1: 2 labels for 1 results"},
    {LOOP "a = row{back=[1]}(x)\n}",
     "t:3:9: expected a property of the op, got 'back'"},
    {LOOP "a = row float64[3](x)\noutput (a)\n}",
     "sequence 0 is float32[?, 3], where rows are float64[3]"},
    {LOOP "a = row float32[4](x)\noutput (a)\n}",
     "sequence 0 is float32[?, 3], where rows are float32[4]"},
    {LOOP "a = state(x)\n}", "t:4:1: expected next values of 1 states, got 0"},
    {LOOP "a = row(x)\nnext (a)\n}",
     "t:4:7: expected 0 next values, one per state, got more"},
    {LOOP "a = state{back=[0]}(x)\n}", "t:3:5: back: 0 is not before the step"},
    {LOOP "a, b = state(x)\n}", "t:3:1: 2 labels for 1 results"},
    {LOOP "a = state{back=[1, 2]}(x)\n}", "t:3:1: 1 labels for 2 results"},
    {LOOP "a = state{depth=-1}(x)\n}",
     "t:3:5: depth: -1 is not a number of rows"},
    {LOOP "a, b = state{back=[1, 2], resized=true}(x)\n}",
     "t:3:8: a resized state has no values before its last"},
    {X "y, _ = scan(3) {\na = state{depth=99999999}(x)\nnext (a)\n}",
     "the loop is not well formed"},
    {X "y, _ = scan(3) {\na = state{back=[99999999]}(x)\nnext (a)\n}",
     "the loop is not well formed"},
    {"x = input float32[2, 3]\ny, _ = scan(3) {\na = state{back=[3]}(x)\n"
     "next (a)\n}",
     "t:2:8: scan(int64, float32[2, 3]): initial state 0 is float32[2, 3], "
     "where rows are float32[3]"},
    {X
     "y, _ = scan(3) {\na = state(x)\nb = cast{dtype=float64}(a)\nnext (b)\n}",
     "state 0 starts as float32[3], but its next value is float64[3]"},
    {X "y, _ = scan(3) {\na = state(x)\nb = reduce{op=sum, axes=[0]}(a)\n"
       "next (b)\n}",
     "state 0 starts as float32[3], but its next value is float32"},
    /* results */
    {LOOP "a = row(x)\noutput ()\n}", "t:4:9: expected a variable, got ')'"},
    {LOOP "a = row(x)\nb = exp(a)\noutput (a like b)\n}",
     "t:5:16: this is not a row"},
    {LOOP "c = float32 1\na = row(x)\noutput (a like c)\n}",
     "t:5:16: this is not a row"},
    {LOOP "a = row(x)\nuntil (a)\n}",
     "the condition to end is float32[3], expected a bool"},
    {LOOP "a = row(x)\nuntil (a, a)\n}",
     "t:4:11: there is one condition to end"},
    {LOOP "a = row{reversed=true}(x)\nb = bool true\noutput (a)\nuntil (b)\n}",
     "the loop is not well formed"},
    {X "y, z, w = scan() {\na = row(x)\noutput (a)\n}",
     "t:2:1: 3 labels for 2 results"},
    {LOOP "a = row(x) b\n}", "t:3:12: expected the end of the line, got 'b'"},
    {LOOP "a = row(x)\noutput (a)\n} z",
     "t:5:3: expected the end of the line, got 'z'"},
    {LOOP "a = row(x)\na = exp(a)\n}", "t:4:1: 'a' is defined already"},
    {LOOP "a = row(x)\nb = add(a, float32[4] 0)\n}",
     "t:4:5: add(float32[3], float32[4]): dim 0: 3 and 4 do not broadcast"},
    {LOOP "a = float32[3] @0\n}", "t:3:16: a text has no blocks of values"},
    /* choices */
    {X "y = ifelse(x, x)", "t:2:5: ifelse: expected a condition and two values "
                           "or more pairs of them, got 2 operands"},
    {X "y = ifelse(1e400, x, x)", "t:2:12: 1e400 is no float32"},
    {X "y = ifelse(true, x, x, x)", "got 4 operands"},
    {X "y = ifelse(x, x, x)",
     "ifelse: the condition has 2 dimensions, expected a scalar"},
    {X "y = ifelse(true, x, cast{dtype=int8}(x))",
     "output 0 is float32[?, 3] if the condition holds, else int8[?, 3]"},
    {X "y = ifelse(true, x, 0)",
     "output 0 is float32[?, 3] if the condition holds, else float32"},
    {X "y = ifelse(true, x, q)", "t:2:21: 'q' is not defined above"},
};

static void test_refused(void **state) {
  (void)state;
  assert_texts_refused(COUNT(refused), refused);
}

/* 16 loops inside of each other are read and printed, more are neither. */
static void test_nesting(void **state) {
  ga__strb b = GA_STRB_INIT;

  (void)state;
  for (int depth = 16; depth <= 17; depth++) {
    ga__strb_reset(&b);
    ga__strb_append(&b, "x = input float32\n");
    for (int i = 0; i < depth; i++)
      ga__strb_append(&b, "_, z = scan(2) {\nx = state("
                          "dimshuffle{pattern=[-1]}(x))\n");
    ga__strb_append(&b, "z = exp(x)\n");
    for (int i = 0; i < depth; i++)
      ga__strb_append(&b, "next (z)\n}\n");
    gg_graph *g = gg_graph_new(NULL);
    assert_int_equal(gg_graph_parse(g, "t", b.s, b.n),
                     depth == 16 ? GA_NO_ERROR : GA_VALUE_ERROR);
    if (depth == 17)
      assert_string_equal(gg_graph_error(g),
                          "t:34:8: loops are nested more than 16 deep");
    else
      free(graph_text(g, 0));
    gg_graph_free(g);
  }
  ga__strb_clear(&b);
}

/* Every prefix is read or refused; none leaks. */
static void test_cut_off(void **state) {
  (void)state;
  assert_prefixes_end(canonical[COUNT(canonical) - 4]);
}

/* Every allocation fails once, of reading and of printing. */
static void test_no_memory(void **state) {
  const char *text = canonical[COUNT(canonical) - 4];
  int err = GA_MEMORY_ERROR;
  FILE *nowhere = fopen("/dev/null", "w");

  (void)state;
  assert_non_null(nowhere);
  for (size_t i = 0; i < COUNT(canonical); i++)
    assert_read_without_memory(canonical[i], GA_NO_ERROR);
  for (size_t i = 0; i < COUNT(written); i++)
    assert_read_without_memory(written[i].written, GA_NO_ERROR);
  gg_graph *g = graph_of_text(NULL, text);
  for (long n = 1; err == GA_MEMORY_ERROR; n++) {
    ga__alloc_fail(n, 0);
    err = gg_graph_print(g, nowhere, 0);
    ga__alloc_fail(0, 0);
    gg_graph_reset_error(g);
  }
  assert_int_equal(err, GA_NO_ERROR);
  char *again = graph_text(g, 0);
  assert_string_equal(again, text);
  free(again);
  gg_graph_free(g);
  fclose(nowhere);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_canonical), cmocka_unit_test(test_built),
      cmocka_unit_test(test_gradients), cmocka_unit_test(test_same_node),
      cmocka_unit_test(test_written),   cmocka_unit_test(test_refused),
      cmocka_unit_test(test_nesting),   cmocka_unit_test(test_cut_off),
      cmocka_unit_test(test_no_memory),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

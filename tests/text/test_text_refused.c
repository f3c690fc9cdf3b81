/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs as text: what is refused and where. No device. */
#include "support/roundtrip.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Long names. */
#define A10 "aaaaaaaaaa"
#define A100 A10 A10 A10 A10 A10 A10 A10 A10 A10 A10
#define A400 A100 A100 A100 A100

#define X "x = input float32[?, 3]\n"

static const refused_text refused[] = {
    {"x", "t:1:2: expected '=', got the end of the text"},
    {"x\ny", "t:1:2: expected '=', got the end of the line"},
    {"= 3", "t:1:1: expected a label, got '='"},
    {"x = ", "t:1:5: expected input, shared, a dtype or an op, got the end of "
             "the text"},
    {"x = input", "t:1:10: expected a dtype such as float32, got the end of "
                  "the text"},
    {"x = input float33", "t:1:11: expected a dtype such as float32, got "
                          "'float33'"},
    {"x = input complex32", "t:1:11: expected a dtype such as float32, got "
                            "'complex32'"},
    {"x = input float32[", "t:1:19: expected a whole number, got the end of "
                           "the text"},
    {"x = input float32[3", "t:1:20: expected ',' or ']', got the end of the "
                            "text"},
    {"x = input float32[-3]", "t:1:19: -3 is not a size"},
    {"x = input float32[1.5]", "t:1:19: expected a whole number, got '1.5'"},
    {"x = input float32[1,1,1,1,1,1,1,1,1]",
     "t:1:35: there are at most 8 dimensions"},
    {"x = input float32[4294967296, 4294967296]",
     "t:1:11: the sizes are too large"},
    {"x = input float32[99999999999999999999]",
     "t:1:19: expected a whole number, got '99999999999999999999'"},
    {"x = input float32 y", "t:1:19: expected the end of the line, got 'y'"},
    {"w = shared float32[?]", "t:1:12: dim 0: expected a size, got '?'"},
    {"w = shared float32[2] {1}", "t:1:25: expected 2 elements, got 1"},
    {"w = shared float32[1] {1, 2}",
     "t:1:25: expected '}' after the last element, got ','"},
    {"w = shared float32[3] @0", "t:1:23: a text has no blocks of values"},
    {"k = float32", "t:1:12: expected a number, got the end of the text"},
    {"k = int8 128", "t:1:10: 128 is no int8"},
    {"k = uint8 -1", "t:1:11: -1 is no uint8"},
    {"k = int32 1.5", "t:1:11: 1.5 is no int32"},
    {"k = float16 65520", "t:1:13: 65520 is no float16"},
    {"k = float32 1e39", "t:1:13: 1e39 is no float32"},
    {"k = float32 nan:7f800000", "t:1:13: nan:7f800000 is no float32"},
    {"k = float32[2] {1-2}", "t:1:18: expected 2 elements, got 1"},
    {"k = float32[1] {1e}", "t:1:17: 1e is no float32"},
    {"k = complex64 1 2j", "t:1:17: expected the end of the line, got '2j'"},
    {"k = complex64[1] {1+2:3j}",
     "t:1:20: expected '}' after the last element, got '+2'"},
    {"k = bool 2", "t:1:10: 2 is no bool"},
    {"k = float32 1.2.3", "t:1:13: 1.2.3 is no float32"},
    {"k = float32[4097] 0",
     "t:1:19: one number stands for at most 4096 elements"},
    {X "x = exp(x)", "t:2:1: 'x' is defined already"},
    {X "%3 = exp(x)\n%3 = neg(x)", "t:3:1: '%3' is defined already"},
    {X "y = exp(z)", "t:2:9: 'z' is not defined above"},
    {"y = exp(y)", "t:1:9: 'y' is not defined above"},
    {X "y = expo(x)", "t:2:5: there is no op called expo"},
    {X "y = exp x", "t:2:5: expected input, shared, a dtype or an op, got "
                    "'exp'"},
    {X "y = exp(x", "t:2:10: expected ',' or ')', got the end of the text"},
    {X "y = exp()", "t:2:5: exp: expected operands"},
    {X "y = exp(x, x)", "t:2:5: exp(float32[?, 3], float32[?, 3]): expected 1 "
                        "operands, got 2"},
    {X "z = input int8[4, 5]\ny = add(x, dot(x, z))",
     "t:3:12: dot(float32[?, 3], float32[4, 5]): inner sizes 3 and 4 differ"},
    {X "y = not(x)", "t:2:5: not(float32[?, 3]): operand 0: expected an "
                     "integer or bool"},
    {X "y = take(x, x)", "operand 1: expected an integer"},
    {X "y = gemm(x, x, sum(x))", "operand 2: expected rank 2"},
    {X "y = cast(x)", "t:2:9: expected {dtype=...}"},
    {X "y = cast{dtype=1}(x)", "t:2:16: expected a dtype such as float32"},
    {X "y = cast{dtype=complex64}(x)", "complex64 is made of parts"},
    {X "y = cast{type=int8}(x)", "t:2:10: expected a property of the op, got "
                                 "'type'"},
    {X "y = cast{dtype=int8, dtype=int8}(x)", "t:2:22: dtype is there twice"},
    {X "y = cast{dtype=int8(x)", "t:2:20: expected ',' or '}', got '('"},
    {X "y = reduce{op=summ, axes=[0]}(x)",
     "t:2:15: expected one of the words for this property, got 'summ'"},
    {X "y = reduce{op=sum, axes=[0, 0]}(x)", "t:2:29: axes: expected another "
                                             "axis"},
    {X "y = reduce{op=sum, axes=[2]}(x)", "expected axes of the operand"},
    {X "y = reduce{op=sum, axes=[]}(x)", "expected axes of the operand"},
    {X "y = reduce{op=any_of, axes=[0]}(x)", "expected a bool operand"},
    {X "y = dimshuffle{pattern=[0, 0]}(x)", "axis 0 is used twice"},
    {X "y = dimshuffle{pattern=[0]}(x)", "axis 1 cannot be dropped"},
    {X "y = dimshuffle{pattern=[0, 1, 2]}(x)", "there is no axis 2"},
    {X "y = dimshuffle{pattern=[0, 1, -2]}(x)", "there is no axis -2"},
    {X "y = dimshuffle{pattern=[0,1,-1,-1,-1,-1,-1,-1,-1]}(x)",
     "t:2:47: pattern: there are at most 8"},
    {X "y = dimshuffle{pattern=[99999999999]}(x)",
     "t:2:25: pattern: 99999999999 does not fit"},
    {X "y = reshape{dims=[-1, -1]}(x)", "one size may be -1"},
    {X "y = reshape{dims=[1000000000, 1000000000]}(x)",
     "the sizes are too large"},
    {X "y = slice{axis=0, step=0}(x)", "the step must not be 0"},
    {X "y = slice{axis=0, step=-9223372036854775808}(x)",
     "the step must not be 0"},
    {X "i = input int64[?]\ng = input float32[?]\ny = take_grad(x, i, g)",
     "operands 0 and 2 differ in rank"},
    {X "i = input int64[?]\ng = input float32[?]\ny = put{op=add}(x, i, g)",
     "operands 0 and 2 differ in rank"},
    {X "i = input int64[?]\ny = take_grad{axis=2}(x, i, x)",
     "there is no axis 2"},
    {X "y = slice_set{axis=0, step=0}(x, x)", "the step must not be 0"},
    {X "y = slice_grad{axis=2}(x, x)", "there is no axis 2"},
    {X "n = input int64\ny = slice_grad_at{axis=2}(x, x, n, n, n)",
     "there is no axis 2"},
    {X "y = specify_shape{dims=[3]}(x)", "expected 2 sizes, got 1"},
    {X "y = index{axis=0, at=-9223372036854775808}(x)",
     "-9223372036854775808 is not an index"},
    {X "y = slice{axis=2}(x)", "there is no axis 2"},
    {X "y = slice{axis=-1}(x)", "there is no axis -1"},
    {X "y = index{axis=1, at=3}(x)", "index 3 is outside of size 3"},
    {X "y = part{axis=0, part=1}(x, x)", "there is no part 1"},
    {X "y = shape{axis=9}(x)", "there is no axis 9"},
    {X "y = iota{axis=4294967295}(x)", "there is no axis 4294967295"},
    {X "y = add(x, 1e400)", "t:2:12: 1e400 is no float32"},
    {X "y = sum{axes=[7]}(x)", "there is no axis 7"},
    {X "y = mean{axes=[0]}(x)", "t:2:5: mean has no properties"},
    {X "y = outer(x)", "t:2:5: outer: expected 2 operands, got 1"},
    {X "y, z = exp(x)", "t:2:1: 2 labels for 1 results"},
    {"function", "t:1:9: expected the function's name, got the end of the "
                 "text"},
    {X "function f", "t:2:11: expected '(', got the end of the text"},
    {X "function f(y)", "t:2:12: 'y' is not defined above"},
    {X "function f(x) -> (x) mode slow",
     "t:2:27: expected fast_run, fast_compile, no_rewrite or debug, got "
     "'slow'"},
    {X "update x = x", "t:2:8: default update: x is not a shared variable"},
    {"s = shared uint64[2]\nu = philox{what=normal, dtype=int8}(s)",
     "there are no such random numbers in int8"},
    {"s = shared uint64[2]\nu = philox{what=normal, dtype=float32, "
     "dims=[-1]}(s)",
     "dim 0: -1 is not a size"},
    {"s = shared int64[2]\nu = philox{what=normal, dtype=float32}(s)",
     "operand 0 is not a state"},
    {X "function f(x) flags 65536", "t:2:21: there are no flags 65536"},
    {X "function f(x)\nfunction f(x)", "t:3:10: there is a function f already"},
    {X "function \"\"(x)", "t:2:10: a function needs a name"},
    {X "function f(x) update (x)", "t:2:24: expected '=', got ')'"},
    {"\"x = input float32", "t:1:1: expected a label, got a name without its "
                            "second quote"},
    {"\"\\y\" = input float32", "t:1:1: expected \\\", \\\\ or \\xHH in a "
                                "name"},
    {"\"\\x00\" = input float32", "t:1:1: expected \\\""},
    {"\"\\x0g\" = input float32", "t:1:1: expected \\\""},
    {"\"\\xg0\" = input float32", "t:1:1: expected \\\""},
    {X "y = cast{dtype=int8} x", "t:2:22: expected '(', got 'x'"},
    {X "y = sum{axes=[0]} x", "t:2:19: expected '(', got 'x'"},
    {X "y = exp(, x)", "t:2:9: expected a variable, got ','"},
    {X "y = add(exp(z), x)", "t:2:13: 'z' is not defined above"},
    {X "y = add(\n  z, x)", "t:3:3: 'z' is not defined above"},
    {X "y = sum(z)", "t:2:9: 'z' is not defined above"},
    {X "y = sum{keepdims=2}(x)", "t:2:18: expected true or false, got '2'"},
    {X "y = sum{axes=[8]}(x)", "t:2:15: axes: expected another axis"},
    {X "y = sum{axes=[-1]}(x)", "t:2:15: axes: expected another axis"},
    {X "y = sum{axes=0}(x)", "t:2:14: expected '[', got '0'"},
    {X "y = sum{axes=[x]}(x)", "t:2:15: expected a whole number, got 'x'"},
    {X "y = cast{dtype int8}(x)", "t:2:16: expected '=', got 'int8'"},
    {X "y = exp(scan(x))", "t:2:9: a loop must be the whole value after '='"},
    {X "y = transfer{a}(x)", "t:2:13: expected '(', got '{'"},
    {X "y = transfer(3)", "t:2:14: a number needs its dtype here"},
    {X "y = transfer(z)", "t:2:14: 'z' is not defined above"},
    {X "y = transfer(x, x)", "t:2:15: expected ')', got ','"},
    {X "y = ifelse(z, x, x)", "t:2:12: 'z' is not defined above"},
    {X "y = ifelse(x, x", "t:2:16: expected ',' or ')', got the end of the "
                          "text"},
    {X "y = slice{axis=x}(x)", "t:2:16: expected a whole number, got 'x'"},
    {"k = float32[2] {1, x}", "t:1:20: expected a number, got 'x'"},
    {"k = float32[2] x", "t:1:16: expected a number, got 'x'"},
    {"x = input float32[3 4]", "t:1:21: expected ',' or ']', got '4'"},
    {"x = input float32[3,]", "t:1:21: expected a whole number, got ']'"},
    {X "function 3(x)", "t:2:10: expected the function's name, got '3'"},
    {X "function \"\\y\"(x)", "t:2:10: expected \\\", \\\\ or"},
    {X "function f(x) flags x", "t:2:21: expected a whole number, got 'x'"},
    {X "function f(x) flags -1", "t:2:21: there are no flags -1"},
    {X "function f(x) update x = x", "t:2:22: expected '(', got 'x'"},
    {X "function f(x) update (x x)", "t:2:25: expected '=', got 'x'"},
    {X "function f(x) update (x = z)", "t:2:27: 'z' is not defined above"},
    {X "function f(x) given (z = x)", "t:2:22: 'z' is not defined above"},
    {X "update z = x", "t:2:8: 'z' is not defined above"},
    {X "y = clip(x, 0, 1e400)", "t:2:16: 1e400 is no float32"},
    {X "y = pool_max{size=[3], stride=[2, 2]}(x)",
     "t:2:31: stride has length 2, size has length 1"},
    {X "function f(x) include (3)", "t:2:24: expected a name, got '3'"},
    {X "function f(x) include (\"\\y\")", "t:2:24: expected \\\""},
    {X "function f(x) mode " A400,
     "t:2:20: expected fast_run, fast_compile, no_rewrite or debug, got '"},
    {X "function f(x) max_passes x",
     "t:2:26: expected a whole number, got 'x'"},
    {X "function f(x) max_passes 4294967296",
     "t:2:26: there are no passes 4294967296"},
    {"w = shared float32\nupdate w w", "t:2:10: expected '=', got 'w'"},
    {"k = float32[?] 1", "t:1:5: dim 0: expected a size, got '?'"},
    {"w = shared float32[4294967296, 4294967296]",
     "t:1:12: the sizes are too large"},
    {"k = float32[4294967296, 4294967296] {}",
     "t:1:5: the sizes are too large"},
    {X "y = print{message=\"" A100 A10 A10 "12345678\"}(x)",
     "t:2:19: message: there are at most 127 bytes"},
    {"abc:5 = input float32",
     "t:1:4: expected '=', got a character that has no"},
    {"x = input " A400,
     "t:1:11: expected a dtype such as float32, got '" A10 A10 A10 A10 "'"},
    {X "y = " A400 "(x)", "t:2:5: there is no op called " A10 A10 A10 A10},
    {X "y = exp(\"\\y\")", "t:2:9: expected \\\", \\\\ or \\xHH in a name"},
    {X "y = \"exp\"(x)", "t:2:5: expected input, shared, a dtype or an op, got "
                         "\"exp\""},
    {"x = input $", "t:1:11: expected a dtype such as float32, got a character "
                    "that has no meaning here"},
};

/* As many elements as one number may stand for, no flags and all of them. */
static void test_limits_are_accepted(void **state) {
  static const char *const texts[] = {
      "k = float32[4096] 0\n", X "function f(x) flags 0\n",
      X "function f(x) flags 65535\n", X "function f(x) max_passes 4294967295"};

  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++)
    gg_graph_free(graph_of_text(NULL, texts[i]));
}

static void test_refused(void **state) {
  (void)state;
  assert_texts_refused(COUNT(refused), refused);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_limits_are_accepted),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of .npy files, good, bad and mutated. */
#include "support/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "io/npy_header.h"
#include "support/lcg.h"

static int parse(ga__npy_header *h, const char *text) {
  return ga__npy_parse(h, text, strlen(text));
}

static void texts_are_understood(void **state) {
  static const struct {
    const char *text;
    int typecode;
    ga_order order;
    unsigned int nd;
    size_t dims[3];
  } good[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  \n",
       GA_FLOAT,
       GA_C_ORDER,
       2,
       {3, 4}},
      {"{'descr': '|b1', 'fortran_order': True, 'shape': (), }\n",
       GA_BOOL,
       GA_F_ORDER,
       0,
       {0}},
      {"{\"shape\":(7,),\"descr\":\"<c16\",\"fortran_order\":False}",
       GA_CDOUBLE,
       GA_C_ORDER,
       1,
       {7}},
      {" { 'shape' : ( 2L , 0L , 5 ) ,'fortran_order':True,'descr':'=i2'} ",
       GA_SHORT,
       GA_F_ORDER,
       3,
       {2, 0, 5}},
      {"{'descr':'f4','fortran_order':False,'shape':(1,)}",
       GA_FLOAT,
       GA_C_ORDER,
       1,
       {1}},
      {"{'descr':'|u1','fortran_order':False,'shape':(9223372036854775807,)}",
       GA_UBYTE,
       GA_C_ORDER,
       1,
       {SIZE_MAX / 2}},
  };
  ga__npy_header h;

  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_ok(parse(&h, good[i].text));
    assert_int_equal(h.typecode, good[i].typecode);
    assert_int_equal(h.order, good[i].order);
    assert_int_equal(h.nd, good[i].nd);
    assert_memory_equal(h.dims, good[i].dims, h.nd * sizeof *h.dims);
    assert_false(h.is_swapped);
  }
  assert_ok(parse(&h, "{'descr':'>f8','fortran_order':False,'shape':(2,)}"));
  assert_int_equal(h.is_swapped, ga__npy_descr(GA_DOUBLE)[0] == '<');
  assert_int_equal(h.bytes, 16);
}

#define TEXT(descr, shape)                                                     \
  "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }\n"

static void texts_are_refused(void **state) {
  static const struct {
    const char *text;
    int code;
    const char *part;
  } bad[] = {
      {"", GA_VALUE_ERROR, "the header ends where { was expected"},
      {"x", GA_VALUE_ERROR, "byte 0 of the header: expected {, got 0x78"},
      {"{", GA_VALUE_ERROR, "a string"},
      {"{}", GA_VALUE_ERROR, "no entry \"descr\""},
      {TEXT("'|O'", "(3,)"), GA_UNSUPPORTED_ERROR, "NumPy's \"O\""},
      {TEXT("'<U4'", "(3,)"), GA_UNSUPPORTED_ERROR, "\"U4\""},
      {TEXT("'<f16'", "(3,)"), GA_UNSUPPORTED_ERROR, "\"f16\""},
      {TEXT("'<M8[ns]'", "(3,)"), GA_UNSUPPORTED_ERROR, "\"M8[ns]\""},
      {TEXT("''", "(3,)"), GA_UNSUPPORTED_ERROR, "\"\""},
      {TEXT("'<f4294967300'", "(3,)"), GA_UNSUPPORTED_ERROR, "f4294967300"},
      {TEXT("[('a', '<f4')]", "(3,)"), GA_UNSUPPORTED_ERROR, "structures"},
      {TEXT("'<f4'", "(-3,)"), GA_VALUE_ERROR, "expected a size, got 0x2d"},
      {TEXT("'<f4'", "(3)"), GA_VALUE_ERROR, "a number, not a tuple"},
      {TEXT("'<f4'", "3"), GA_VALUE_ERROR, "expected ("},
      {TEXT("'<f4'", "(3 4)"), GA_VALUE_ERROR, "a comma"},
      {TEXT("'<f4'", "(9223372036854775808,)"), GA_XLARGE_ERROR, "beyond"},
      {TEXT("'<f4'", "(4294967296, 4294967296)"), GA_XLARGE_ERROR, "too many"},
      {TEXT("'<f8'", "(4611686018427387904,)"), GA_XLARGE_ERROR,
       "elements of 8 bytes"},
      {TEXT("'<f4'", "(3,), 'shape': (4,)"), GA_VALUE_ERROR, "two entries"},
      {TEXT("'<f4'", "(3,), 'more': 1"), GA_VALUE_ERROR, "an entry \"more\""},
      {TEXT("'<f4'", "(3,)") "import os", GA_VALUE_ERROR, "the end"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", GA_VALUE_ERROR,
       "True or False"},
      {"{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}",
       GA_UNSUPPORTED_ERROR, "f4, "},
      {"{'descr': '<f4", GA_VALUE_ERROR, "a plain string"},
      {"{'descr' '<f4'}", GA_VALUE_ERROR, "byte 9 of the header: expected :"},
      {"{'descr': '<f4' 'shape': (3,)}", GA_VALUE_ERROR, "a comma"},
  };
  const long live = ga__alloc_live();
  ga__npy_header h;

  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_code(bad[i].code, parse(&h, bad[i].text));
    assert_message(bad[i].code, bad[i].part);
  }
  assert_int_equal(ga__alloc_live(), live);
}

static void too_many_dimensions(void **state) {
  char text[1024] = "{'descr':'<f4','fortran_order':False,'shape':(";
  ga__npy_header h;

  (void)state;
  for (int i = 0; i < 64; i++)
    strcat(text, "1,");
  strcat(text, ")}");
  assert_ok(parse(&h, text));
  strcpy(text + strlen(text) - 2, "1,)}");
  assert_code(GA_VALUE_ERROR, parse(&h, text));
  assert_message(GA_VALUE_ERROR, "more than 64 dimensions");
}

static void prefixes(void **state) {
  unsigned char p[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0x76, 0};
  size_t n = 0;

  (void)state;
  assert_ok(ga__npy_prefix_bytes(&n, p));
  assert_int_equal(n, 10);
  assert_ok(ga__npy_text_bytes(&n, p));
  assert_int_equal(n, 0x76);
  for (p[6] = 2; p[6] <= 3; p[6]++) {
    assert_ok(ga__npy_prefix_bytes(&n, p));
    assert_int_equal(n, 12);
    assert_ok(ga__npy_text_bytes(&n, p));
    assert_int_equal(n, 0x76);
  }
  assert_code(GA_UNSUPPORTED_ERROR, ga__npy_prefix_bytes(&n, p));
  assert_message(GA_UNSUPPORTED_ERROR, "version 4.0");
  p[11] = 0xFF;
  assert_code(GA_VALUE_ERROR, ga__npy_text_bytes(&n, p));
  p[0] = 'P';
  assert_code(GA_VALUE_ERROR, ga__npy_prefix_bytes(&n, p));
}

/* --- mutations --- */

/* Change, drop, double or cut something; bytes that mean something are more
 * likely than others. */
static size_t mutate(char *text, size_t n, size_t room, uint64_t *s) {
  static const char liked[] = "{}()[]'\",: 0123456789LTrueFalse<>|=fibcu\\\n\0";
  const size_t at = n > 0 ? lcg_next(s) % n : 0, len = lcg_next(s) % 8;

  switch (lcg_next(s) % 5) {
  case 0:
    if (n > 0)
      text[at] = (char)lcg_next(s);
    return n;
  case 1:
    if (n > 0)
      text[at] = liked[lcg_next(s) % (sizeof liked - 1)];
    return n;
  case 2:
    if (at + len > n)
      return at;
    memmove(text + at, text + at + len, n - at - len);
    return n - len;
  case 3:
    if (n + len > room || at + len > n)
      return n;
    memmove(text + at + len, text + at, n - at);
    return n + len;
  default:
    return lcg_next(s) % 40 == 0 ? at : n;
  }
}

/* Whatever is accepted is written and read back as the same thing. */
static void check_accepted(const ga__npy_header *h) {
  ga__npy_header again;
  ga__strb out = GA_STRB_INIT;
  size_t total = 1;

  for (unsigned int k = 0; k < h->nd; k++)
    total *= h->dims[k];
  assert_int_equal(h->bytes, total * gpuarray_get_elsize(h->typecode));
  ga__npy_format(&out, h);
  assert_ok(out.err);
  assert_int_equal(out.n % 64, 0);
  assert_ok(ga__npy_parse(&again, out.s + 10, out.n - 10));
  assert_int_equal(again.typecode, h->typecode);
  assert_int_equal(again.order, h->order);
  assert_int_equal(again.nd, h->nd);
  assert_memory_equal(again.dims, h->dims, h->nd * sizeof *h->dims);
  ga__strb_clear(&out);
}

/* As NumPy writes them, byte by byte. */
static void formats_are_numpys(void **state) {
  static const char *const shapes[] = {"()", "(2,)", "(2, 3)", "(2, 3, 4)"};
  char want[80];

  (void)state;
  for (unsigned int nd = 0; nd < 4; nd++) {
    ga__npy_header h = {.typecode = GA_BOOL, .nd = nd, .dims = {2, 3, 4}};
    ga__strb out = GA_STRB_INIT;
    h.order = nd == 2 ? GA_F_ORDER : GA_C_ORDER;
    ga__npy_format(&out, &h);
    snprintf(want, sizeof want,
             "{'descr': '|b1', 'fortran_order': %s, 'shape': %s, } ",
             nd == 2 ? "True" : "False", shapes[nd]);
    assert_int_equal(out.n, 128);
    assert_memory_equal(out.s, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(out.s + 10, want, strlen(want));
    assert_int_equal(out.s[127], '\n');
    ga__strb_clear(&out);
  }
  ga__npy_header h = {.typecode = GA_BOOL, .order = GA_C_ORDER};
  for (long nth = 1, left = 0; left <= 0; nth++) {
    ga__strb out = GA_STRB_INIT;
    ga__alloc_fail(nth, 0);
    ga__npy_format(&out, &h);
    left = ga__alloc_fail(0, 0);
    assert_int_equal(out.err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
    ga__strb_clear(&out);
  }
}

static void mutated_texts_do_no_harm(void **state) {
  static const char *const seeds[] = {
      TEXT("'<f4'", "(3, 4)"), TEXT("'|b1'", "()"),
      TEXT("'>c16'", "(1000000007, 99, 0, 12)"),
      "{\"shape\":(7L,),\"descr\":\"<f2\",\"fortran_order\":True}"};
  const long live = ga__alloc_live();
  int accepted = 0, refused = 0;
  ga__npy_header h;
  uint64_t s = 42;

  (void)state;
  for (int round = 0; round < 200000; round++) {
    char *text = malloc(256);
    size_t n = strlen(seeds[round % 4]);

    memcpy(text, seeds[round % 4], n);
    for (uint64_t k = lcg_next(&s) % 6 + 1; k > 0; k--)
      n = mutate(text, n, 256, &s);
    char *exact =
        malloc(n); /* so that the sanitizers see a step beyond the end */
    memcpy(exact, text, n);
    if (ga__npy_parse(&h, exact, n) == GA_NO_ERROR) {
      accepted++;
      check_accepted(&h);
    } else {
      refused++;
    }
    free(exact);
    free(text);
  }
  assert_true(accepted > 1000 && refused > 1000);
  assert_int_equal(ga__alloc_live(), live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_understood),
      cmocka_unit_test(texts_are_refused),
      cmocka_unit_test(too_many_dimensions),
      cmocka_unit_test(prefixes),
      cmocka_unit_test(formats_are_numpys),
      cmocka_unit_test(mutated_texts_do_no_harm),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

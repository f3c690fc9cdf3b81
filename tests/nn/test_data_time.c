/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading tables and headers of weights takes time linear in their length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gpugraph/data.h>
#include <string.h>

#include "base/strb.h"
#include "support/device.h"
#include "support/growth.h"
#include "support/tmpfile.h"
#include "text/safetensors_header.h"

/* A text in which `each` stands n times; $ is its index there. */
typedef struct form {
  const char *name, *begin, *each, *end;
  int skip_bad;
} form;

static void write_form(ga__strb *b, const form *f, size_t n) {
  ga__strb_append(b, f->begin);
  for (size_t i = 0; i < n; i++)
    for (const char *s = f->each; *s != '\0'; s++)
      if (*s == '$')
        ga__strb_appendf(b, "%zu", i);
      else
        ga__strb_append_n(b, s, 1);
  ga__strb_append(b, f->end);
  assert_int_equal(b->err, 0);
}

/* --- tables --- */

static const form tables[] = {
    {"rows", "", "1,2,$\n", "", 0},
    {"columns", "0", ",$", "\n", 0},
    {"quoted columns", "0", ",\"$\"", "\n", 0},
    {"bad rows", "1,2\n", "x,$\n", "", 1},
    {"empty lines", "1,2\n", "\n", "3,4\n", 1},
    {"blanks", "1,", " ", "2\n", 0},
};

static void read_table(const void *arg, size_t n) {
  const form *f = arg;
  const char *path = test_file_path("table.csv");
  ga__strb b = GA_STRB_INIT;
  gg_data *d;

  write_form(&b, f, n);
  test_file_write(path, ga__strb_text(&b), b.n);
  ga__strb_clear(&b);
  assert_ok(gg_data_csv(&d, path, &(gg_csv_spec){.skip_bad = f->skip_bad}));
  gg_data_free(d);
}

static void test_tables(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    test_is_linear(tables[i].name, read_table, &tables[i], 4000);
}

/* --- headers of weights --- */

static const form headers[] = {
    {"tensors", "",
     "\"w$\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},", "", 0},
    {"texts", "\"__metadata__\":{\"a\":\"b\"", ",\"k$\":\"v$\"", "},", 0},
    {"a long name", "\"w", "\\u0041",
     "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},", 0},
    {"blanks", "", " \n", "", 0},
};

static void read_header(const void *arg, size_t n) {
  static const char last[] =
      "\"x\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}";
  ga__arena arena = {0};
  gg__safetensors list = {0};
  ga__strb b = GA_STRB_INIT;

  ga__strb_append_n(&b, "\0\0\0\0\0\0\0\0{", 9);
  write_form(&b, arg, n);
  ga__strb_append(&b, last);
  assert_int_equal(b.err, 0);
  for (size_t i = 0, left = b.n - 8; i < 8; i++, left >>= 8)
    b.s[i] = (char)left;
  assert_ok(
      gg__safetensors_read(&list, &arena, (const unsigned char *)b.s, b.n));
  ga__vec_clear(&list);
  ga__arena_clear(&arena);
  ga__strb_clear(&b);
}

static void test_headers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    test_is_linear(headers[i].name, read_header, &headers[i], 4000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables),
      cmocka_unit_test(test_headers),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}

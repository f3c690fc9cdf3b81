/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of cl/ holds the functions of one family. What the source calls
 * decides which files are written, and how often: once for each element type
 * and number of lanes. */
#include "codegen/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/template.h"
#include "codegen/words.h"

enum { FAMILIES = 11, TYPES = 2, WIDTHS = 5 };

/* A family's file, its functions that are called from outside, and those of
 * families before it that it calls, one of each. */
static const struct {
  const char *file;
  const char *names;
  const char *calls[2];
} families[FAMILIES] = {
    {"fn_power", " power ", {NULL}},
    {"fn_gamma", " lgamma gamma digamma trigamma betaln ", {"power"}},
    {"fn_normal", " erfinv erfcinv erfcx ndtr ndtri log_ndtr ", {NULL}},
    {"fn_logs", " xlogy xlog1py entr rel_entr kl_div sinc ", {NULL}},
    {"fn_zeta", " zeta ", {"power"}},
    {"fn_bessel", " i0 i0e i1 i1e k0 k0e k1 k1e ", {NULL}},
    {"fn_lambertw", " lambertw ", {NULL}},
    {"fn_besselj", " j0 j1 y0 y1 ", {NULL}},
    {"fn_expint", " exp1 expi ", {NULL}},
    {"fn_gammainc",
     " gammainc gammaincc gammaincinv gammainccinv gammapdf ",
     {"gamma", "erfcx"}},
    {"fn_betainc",
     " betainc betaincc betaincinv betainccinv betapdf ",
     {"gammainc"}},
};

static const struct {
  const char *real;
  const char *word; /* an integer as wide */
  const char *pick;
} types[TYPES] = {{"float", "int", "f"}, {"double", "long", "d"}};

/* What the source needs: bit t of `calls` for each type, bit w of `widths` for
 * vectors of 2^w lanes. */
typedef struct needs {
  unsigned int calls[FAMILIES];
  unsigned int widths;
} needs;

const char *ga__functions(unsigned int i) {
  return i < FAMILIES ? ga__template(families[i].file) : NULL;
}

/* Note a call of the function s, of n characters, for the types in `which`. */
static void note_name(needs *to, const char *s, size_t n, unsigned int which) {
  for (unsigned int i = 0; i < FAMILIES; i++)
    if (ga__word_is_listed(families[i].names, s, n))
      to->calls[i] |= which;
}

/* Note the call whose name begins at `s`: "lgamma, float)". */
static void note_call(needs *to, const char *s) {
  const size_t n = strcspn(s, ",)\n");

  note_name(to, s, n, strncmp(s + n, ", double", 8) == 0 ? 2u : 1u);
}

/* Note what the families call that are called, the last one first. */
static void note_inner_calls(needs *to) {
  for (unsigned int i = FAMILIES; i-- > 0;)
    for (unsigned int k = 0; k < 2 && families[i].calls[k] != NULL; k++)
      note_name(to, families[i].calls[k], strlen(families[i].calls[k]),
                to->calls[i]);
}

static void note_part(needs *to, const char *text) {
  static const char call[] = "w_call(", lanes[] = "LANES ";

  for (const char *s = text; (s = strstr(s, call)) != NULL;) {
    s += sizeof call - 1;
    note_call(to, s);
  }
  for (const char *s = text; (s = strstr(s, lanes)) != NULL;) {
    s += sizeof lanes - 1;
    for (unsigned int w = 1; w < WIDTHS; w++)
      if (strtoul(s, NULL, 10) == 1ul << w)
        to->widths |= 1u << w;
  }
}

static void write_heads(ga__strb *b, unsigned int type, unsigned int width) {
  char lanes[12] = "";

  if (width > 0)
    snprintf(lanes, sizeof lanes, "%u", 1u << width);
  ga__strb_appendf(
      b,
      "#define F_REAL %s%s\n#define F_BOOL %s%s\n"
      "#define F(name) ga_##name##_%s%s\n"
      "#define F_PICK(d, f) %s\n#define F_ANY(b) %s(b)\n",
      types[type].real, lanes, width > 0 ? types[type].word : "int", lanes,
      types[type].real, lanes, types[type].pick, width > 0 ? "any" : "");
}

static void write_family(ga__strb *b, const char *file, unsigned int type,
                         unsigned int width) {
  write_heads(b, type, width);
  ga__strb_append(b, ga__template(file));
  ga__strb_append(b, "#undef F_REAL\n#undef F_BOOL\n#undef F\n#undef F_PICK\n"
                     "#undef F_ANY\n");
}

void ga__functions_write(ga__strb *b, unsigned int n,
                         const char *const *parts) {
  needs to = {.widths = 1};

  for (unsigned int i = 0; i < n; i++)
    note_part(&to, parts[i]);
  note_inner_calls(&to);
  for (unsigned int i = 0; i < FAMILIES; i++)
    for (unsigned int t = 0; t < TYPES; t++)
      for (unsigned int w = 0; w < WIDTHS; w++)
        if ((to.calls[i] & 1u << t) != 0 && (to.widths & 1u << w) != 0)
          write_family(b, families[i].file, t, w);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions a program calls is found by looking at all names in it. The
 * text in front of it defines many macros of which it uses few, so a macro is
 * looked at where its name occurs. */
#include "codegen/builtins.h"

#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "codegen/template.h"
#include "codegen/words.h"

/* Functions, and the macro of cl/builtins.cl that declares one: the text before
 * and after its name. */
static const struct {
  const char *names, *before, *after;
} functions[] = {
    {" get_global_id get_global_size get_group_id get_local_id get_local_size "
     "get_num_groups ",
     "B_WORK_ITEM(", ")"},
    {" barrier ", "B_BARRIER(", ")"},
    {" mem_fence ", "B_FENCE(", ")"},
    {" acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos "
     "cosh "
     "cospi degrees erf erfc exp exp10 exp2 expm1 fabs floor lgamma log log10 "
     "log1p log2 logb radians rint round rsqrt sign sin sinh sinpi sqrt tan "
     "tanh tgamma trunc ",
     "B_FLOATS(B_1, ", ")"},
    {" atan2 copysign fdim fmod hypot nextafter pow remainder ",
     "B_FLOATS(B_2, ", ")"},
    {" fma mad ", "B_FLOATS(B_3, ", ")"},
    {" fmax fmin ", "B_FMAX(", ")"},
    {" ilogb ", "B_FLOATS(B_ILOGB, ", ")"},
    {" ldexp ", "B_LDEXP(", ")"},
    {" isfinite isinf isnan isnormal signbit ", "B_TESTS(", ")"},
    {" abs ", "B_INTEGERS(B_ABS, ", ")"},
    {" clz popcount ", "B_INTEGERS(B_1, ", ")"},
    {" mul_hi rotate ", "B_INTEGERS(B_2, ", ")"},
    {" max min ", "B_MAX(", ")"},
    {" clamp ", "B_CLAMP(", ")"},
    {" bitselect ", "B_BITSELECT(", ")"},
    {" all any ", "B_ANY(", ")"},
    {" select ", "B_SELECT(", ")"},
    {" frexp ", "B_FREXP(", ")"},
    {" vload_half ", "B_LOAD_HALF(", ", )"},
    {" vload_half2 ", "B_LOAD_HALF(", ", 2)"},
    {" vload_half4 vloada_half4 ", "B_LOAD_HALF(", ", 4)"},
    {" vload_half8 ", "B_LOAD_HALF(", ", 8)"},
    {" vload_half16 ", "B_LOAD_HALF(", ", 16)"},
    {" vstore_half_rte ", "B_STORE_HALF(", ", )"},
    {" vstore_half2_rte ", "B_STORE_HALF(", ", 2)"},
    {" vstore_half4_rte vstorea_half4_rte ", "B_STORE_HALF(", ", 4)"},
    {" vstore_half8_rte ", "B_STORE_HALF(", ", 8)"},
    {" vstore_half16_rte ", "B_STORE_HALF(", ", 16)"},
    {" atomic_dec atomic_inc ", "B_ATOMIC(B_ATOMIC_1, ", ")"},
    {" atomic_add atomic_and atomic_max atomic_min atomic_or atomic_sub "
     "atomic_xor ",
     "B_ATOMIC(B_ATOMIC_2, ", ")"},
    {" atomic_cmpxchg ", "B_ATOMIC(B_ATOMIC_3, ", ")"},
    {" atomic_xchg ", "B_EXCHANGE(", ")"},
    {" atom_add atom_sub atom_xchg ", "B_ATOM(B_ATOMIC_2, ", ")"},
    {" atom_cmpxchg ", "B_ATOM(B_ATOMIC_3, ", ")"},
    {" atom_max ", "B_ATOM_EXTENDED(", ")"},
};

/* Functions that only the header declares, and beginnings of their names. */
static const char others[] =
    " abs_diff add_sat atan2pi atom_and atom_dec atom_inc atom_min "
    "atom_or atom_xor bit_reverse cross ctz distance dot fract hadd "
    "isequal isgreater isgreaterequal isless islessequal islessgreater "
    "isnotequal isordered isunordered length lgamma_r mad24 mad_hi mad_sat "
    "maxmag minmag mix modf mul24 nan normalize pown powr prefetch printf "
    "remquo rhadd rootn shuffle shuffle2 sincos smoothstep step sub_sat tanpi "
    "upsample wait_group_events ";
static const char *const beginnings[] = {
    "amd_",        "arm_",       "async_",   "atomic_",  "bitfield_",
    "convert_",    "dot_4x8",    "dot_acc_", "enqueue_", "fast_",
    "get_",        "half_",      "intel_",   "native_",  "read_image",
    "read_pipe",   "sub_group_", "vload",    "vstore",   "work_group_",
    "write_image", "write_pipe"};

static const char *const widths[] = {"", "2", "4", "8", "16"};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

/* `saturates`: there is convert_TYPE_sat. `is_mask`: macros paste the name of
 * the integer that a comparison of vectors gives. */
static const struct {
  const char *name;
  int saturates, is_mask;
} types[] = {
    {"char", 1, 1},  {"uchar", 1, 0},  {"short", 1, 1}, {"ushort", 1, 0},
    {"int", 1, 1},   {"uint", 1, 0},   {"long", 1, 1},  {"ulong", 1, 0},
    {"float", 0, 0}, {"double", 0, 0}, {"half", 0, 0},
};
enum { TYPES = sizeof types / sizeof types[0] };

typedef struct scan {
  ga__strb *out;
  ga__map macros, seen; /* bodies of macros; whether a name is declared */
  int converts[TYPES];  /* convert_TYPE was seen, without a width */
  int saturates;        /* _sat was seen, too */
  int needs_header;     /* a function of the header was seen */
} scan;

/* --- declarations --- */

static int begins_with(const char *name, size_t n, const char *beginning) {
  const size_t length = strlen(beginning);

  return n >= length && strncmp(name, beginning, length) == 0;
}

/* These functions return nonzero if the name is one that they declare. */

static int declare_function(ga__strb *b, const char *name, size_t n) {
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (ga__word_is_listed(functions[i].names, name, n)) {
      ga__strb_append(b, functions[i].before);
      ga__strb_append_n(b, name, n);
      ga__strb_append(b, functions[i].after);
      ga__strb_append(b, "\n");
      return 1;
    }
  return 0;
}

/* vload4, or vload for all widths. `prefix` is vload or vstore. */
static int declare_access(ga__strb *b, const char *prefix, const char *macro,
                          const char *name, size_t n) {
  const size_t done = strlen(prefix);
  int is_known = 0;

  if (!begins_with(name, n, prefix))
    return 0;
  for (size_t w = 1; w < WIDTHS; w++)
    if (n == done || (strncmp(name + done, widths[w], n - done) == 0 &&
                      widths[w][n - done] == '\0')) {
      ga__strb_appendf(b, "%s(%s)\n", macro, widths[w]);
      is_known = 1;
    }
  return is_known;
}

static void declare_conversion(ga__strb *b, const char *type, const char *width,
                               const char *mode, size_t mode_length) {
  ga__strb_appendf(b, "B_CONVERT(%s, %s, %.*s)\n", type, width,
                   (int)mode_length, mode);
}

/* What follows the type in convert_float4_rtz: "4_rtz", or "" if macros add the
 * width. */
static int note_width(scan *s, size_t type, const char *rest, size_t n) {
  const size_t digits = strspn(rest, "0123456789");

  if (n == 0) {
    s->converts[type] = 1;
    return 1;
  }
  for (size_t w = 0; w < WIDTHS; w++)
    if (strlen(widths[w]) == digits && strncmp(rest, widths[w], digits) == 0 &&
        (digits == n || rest[digits] == '_')) {
      declare_conversion(s->out, types[type].name, widths[w], rest + digits,
                         n - digits);
      return 1;
    }
  return 0;
}

static int note_conversion(scan *s, const char *name, size_t n) {
  static const char prefix[] = "convert_";
  const size_t done = sizeof prefix - 1;
  int is_known = 0;

  if (!begins_with(name, n, prefix))
    return 0;
  for (size_t t = 0; t < TYPES; t++) {
    if (n == done) {
      s->converts[t] |= types[t].is_mask;
      is_known = 1;
    } else if (begins_with(name + done, n - done, types[t].name)) {
      const size_t used = done + strlen(types[t].name);
      is_known |= note_width(s, t, name + used, n - used);
    }
  }
  return is_known;
}

static void declare_noted(const scan *s) {
  for (size_t t = 0; t < TYPES; t++)
    for (size_t w = 0; s->converts[t] && w < WIDTHS; w++) {
      declare_conversion(s->out, types[t].name, widths[w], "", 0);
      if (s->saturates && types[t].saturates)
        declare_conversion(s->out, types[t].name, widths[w], "_sat", 4);
    }
}

/* --- names --- */

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const char *end_of_word(const char *s, const char *end) {
  while (s < end && (is_letter(*s) || is_digit(*s)))
    s++;
  return s;
}

static const char *end_of_comment(const char *s, const char *end) {
  for (s += 2; s + 1 < end; s++)
    if (s[0] == '*' && s[1] == '/')
      return s + 2;
  return end;
}

static const char *next_name(const char *s, const char *end) {
  while (s < end && !is_letter(*s))
    s = s[0] == '/' && s + 1 < end && s[1] == '*' ? end_of_comment(s, end)
        : is_digit(*s)                            ? end_of_word(s, end)
                                                  : s + 1;
  return s;
}

/* The end of a line with those in which it goes on. */
static const char *end_of_line(const char *s) {
  for (; *s != '\0' && *s != '\n'; s++)
    if (s[0] == '\\' && s[1] == '\n')
      s++;
  return s;
}

static int is_other(const char *name, size_t n) {
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
    if (begins_with(name, n, beginnings[i]))
      return 1;
  return ga__word_is_listed(others, name, n);
}

/* Variables may have names of functions: "step" and "half_n". */
static int is_called(const char *after) {
  return after[strspn(after, " \n")] == '(';
}

static void look_at(scan *s, const char *text, const char *end);

static int declare(scan *s, const char *name, size_t n) {
  return declare_function(s->out, name, n) ||
         declare_access(s->out, "vload", "B_VLOAD", name, n) ||
         declare_access(s->out, "vstore", "B_VSTORE", name, n) ||
         note_conversion(s, name, n);
}

static void note_name(scan *s, const char *name, size_t n) {
  static char declared[] = "declared", unknown[] = "unknown";
  char *what = ga__map_get(&s->seen, name, n);

  if (what == NULL) {
    what = declare(s, name, n) ? declared : unknown;
    if (ga__map_put(&s->seen, name, n, what) != GA_NO_ERROR) {
      s->out->err = GA_MEMORY_ERROR;
      return;
    }
    const char *body = ga__map_get(&s->macros, name, n);
    if (body != NULL)
      look_at(s, body, end_of_line(body));
    s->saturates |= n == 4 && strncmp(name, "_sat", n) == 0;
  }
  s->needs_header |=
      what == unknown && is_called(name + n) && is_other(name, n);
}

/* Look at all names in a text. Macros call each other, but not deeply. */
static void look_at(scan *s, const char *text, const char *end) {
  while ((text = next_name(text, end)) < end) {
    const char *stop = end_of_word(text, end);
    note_name(s, text, (size_t)(stop - text));
    text = stop;
  }
}

/* --- the text in front --- */

/* Note the macro that a line defines. If there are two of its name, the first
 * one is looked at. */
static void note_macro(scan *s, const char *line) {
  static const char define[] = "#define ";
  const char *end = end_of_line(line);

  if (strncmp(line, define, sizeof define - 1) != 0)
    return;
  const char *name = line + sizeof define - 1, *body = end_of_word(name, end);
  const size_t n = (size_t)(body - name);
  const char *first = ga__map_get(&s->macros, name, n);
  if (first != NULL)
    look_at(s, first, end_of_line(first));
  if (ga__map_put(&s->macros, name, n, (void *)(uintptr_t)body) != GA_NO_ERROR)
    s->out->err = GA_MEMORY_ERROR;
}

static const char *next_line(const char *s) {
  s = end_of_line(s);
  return *s == '\n' ? s + 1 : s;
}

static void look_at_head(scan *s, const char *head) {
  for (const char *line = head; *line != '\0'; line = next_line(line))
    note_macro(s, line);
  for (const char *line = head; *line != '\0';) {
    const char *start = line;
    while (*line != '\0' && *line != '#')
      line = next_line(line);
    look_at(s, start, line);
    while (*line == '#')
      line = next_line(line);
  }
}

int ga__builtins_write(ga__strb *b, const char *head, unsigned int n,
                       const char *const *parts) {
  scan s = {b, GA_MAP_INIT, GA_MAP_INIT, {0}, 0, 0};

  ga__strb_append(b, ga__template("builtins"));
  look_at_head(&s, head);
  for (unsigned int i = 0; i < n; i++)
    look_at(&s, parts[i], parts[i] + strlen(parts[i]));
  declare_noted(&s);
  ga__map_clear(&s.macros);
  ga__map_clear(&s.seen);
  return !s.needs_header;
}

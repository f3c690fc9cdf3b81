/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the templates of products. */
#include "codegen/gen_product.h"

#include "base/dtype.h"

static void define_int(ga__strb *b, const char *name, unsigned int v) {
  ga__strb_appendf(b, "#define %s %u\n", name, v);
}

static void define_flag(ga__strb *b, const char *name, int v) {
  ga__strb_appendf(b, "#define %s %d\n", name, v);
}

/* Define LD<tag> and ST<tag>, which load and store `n` lanes. Narrow floats are
 * loaded and stored as integers of 16 bits: see cl/narrow.cl. */
static void vector_access(ga__strb *b, int typecode, const char *tag,
                          unsigned int n) {
  const char *type = ga__dtype_cl(typecode);

  if (ga__dtype_is_narrow(typecode))
    ga__strb_appendf(b,
                     "#define LD%s(p) "
                     "ga_from_%s%u(GA_LOAD%u((global const ushort *)(p)))\n"
                     "#define ST%s(v, p) "
                     "GA_STORE%u(ga_to_%s%u(v), (global ushort *)(p))\n",
                     tag, type, n, n, tag, n, type, n);
  else
    ga__strb_appendf(b,
                     "#define LD%s(p) vload%u(0, p)\n"
                     "#define ST%s(v, p) vstore%u(v, 0, p)\n",
                     tag, n, tag, n);
}

/* Macros for CPUs that shorten the compilation of kernels, and prefetch. */
static const char build_time[] =
    "#ifdef __clang__\n"
    "#define PLAIN_LOOP _Pragma(\"clang loop vectorize(disable)\") \\\n"
    "  _Pragma(\"clang loop unroll(disable)\")\n"
    "#define ONCE __attribute__((noinline))\n"
    "#else\n"
    "#define PLAIN_LOOP\n"
    "#define ONCE\n"
    "#endif\n"
    "#if defined(__x86_64__) || defined(__aarch64__)\n"
    "#define FETCH(p) __builtin_prefetch((const void *)(ulong)(p))\n"
    "#else\n"
    "#define FETCH(p)\n"
    "#endif\n";

static void gen_real(ga__strb *b, int typecode, unsigned int lanes) {
  const char *work = ga__dtype_cl(ga__dtype_work(typecode));
  const char *type = ga__dtype_cl(typecode);

  ga__strb_appendf(b, "#define T %s\n#define W %s\n#define W4 %s4\n", type,
                   work, work);
  if (ga__dtype_is_narrow(typecode))
    ga__strb_appendf(b,
                     "#define LD(p) ga_load_%s(p)\n"
                     "#define ST(v, p) ga_store_%s(v, p)\n",
                     type, type);
  else
    ga__strb_append(b, "#define LD(p) (*(p))\n#define ST(v, p) (*(p) = (v))\n");
  vector_access(b, typecode, "4", 4);
  if (lanes <= 1)
    return;
  ga__strb_append(b, build_time);
  define_int(b, "VL", lanes);
  ga__strb_appendf(b,
                   "#define WV %s%u\n"
                   "#define LOADW(i, p) vload%u(i, p)\n"
                   "#define STOREW(v, i, p) vstore%u(v, i, p)\n",
                   work, lanes, lanes, lanes);
  vector_access(b, typecode, "V", lanes);
}

/* The names of lanes in OpenCL C, as in v.s0. */
static const char digits[] = "0123456789abcdef";

/* Define the macros of cl/complex_pairs.cl. */
static void define_pairs(ga__strb *b, const char *part, unsigned int lanes) {
  ga__strb_appendf(b, "#define W2 %s2\n#define SWAP(v) (v).s", part);
  for (unsigned int i = 0; i < lanes; i++)
    ga__strb_appendf(b, "%c", digits[i ^ 1]);
  ga__strb_append(b, "\n#define PAIRS(x, y) ((WV)(");
  for (unsigned int i = 0; i < lanes; i++)
    ga__strb_append(b, i % 2 != 0 ? ", y" : i > 0 ? ", x" : "x");
  ga__strb_append(b, "))\n");
}

static void gen_numbers(ga__strb *b, int typecode, unsigned int lanes) {
  if (ga__dtype_is_complex(typecode)) {
    const int part = typecode == GA_CDOUBLE ? GA_DOUBLE : GA_FLOAT;

    lanes = lanes < 4 ? 4 : lanes;
    gen_real(b, part, lanes);
    define_pairs(b, ga__dtype_cl(part), lanes);
  } else {
    gen_real(b, typecode, lanes);
  }
}

void ga__gen_numbers(ga__strb *b, int typecode, unsigned int lanes, size_t n,
                     const ga__macro *macros) {
  gen_numbers(b, typecode, lanes);
  for (size_t i = 0; i < n; i++)
    define_int(b, macros[i].name, (unsigned int)macros[i].value);
}

/* Define LD<side>4, which loads 4 neighbours: as one vector if they are
 * aligned. */
static void aligned_access(ga__strb *b, int typecode, char side, int aligned) {
  ga__strb_appendf(b, "#define LD%c4(p) ", side);
  if (aligned && ga__dtype_is_narrow(typecode))
    ga__strb_appendf(b, "ga_load_aligned_%s4(p)\n", ga__dtype_cl(typecode));
  else
    ga__strb_append(b, aligned ? "(*(global const WV *)(p))\n" : "LDV(p)\n");
}

/* Define STC, which stores 4 neighbours in C: as one vector if they are
 * aligned. */
static void aligned_store(ga__strb *b, int typecode, int aligned) {
  ga__strb_append(b, "#define STC(v, p) ");
  if (aligned && ga__dtype_is_narrow(typecode))
    ga__strb_appendf(b, "ga_store_aligned_%s4(v, p)\n", ga__dtype_cl(typecode));
  else
    ga__strb_append(b, aligned ? "(*(global WV *)(p) = (v))\n" : "STV(v, p)\n");
}

static void define_tickets(ga__strb *b, ga__gen_tickets tickets) {
  define_flag(b, "TICKETS", tickets != GA_TICKETS_NONE);
  define_flag(b, "PTX", tickets == GA_TICKETS_PTX);
}

void ga__gen_gemm_gpu_text(ga__strb *b, const void *gemm_gpu) {
  const ga__gen_gemm_gpu *g = gemm_gpu;

  gen_numbers(b, g->typecode, ga__dtype_is_complex(g->typecode) ? 8 : 1);
  define_int(b, "BM", g->bm);
  define_int(b, "BN", g->bn);
  define_int(b, "BK", g->bk);
  define_int(b, "TM", g->tm);
  define_int(b, "TN", g->tn);
  define_flag(b, "A_UNIT", g->a_unit);
  define_flag(b, "B_UNIT", g->b_unit);
  define_flag(b, "C_UNIT", g->c_unit);
  aligned_access(b, g->typecode, 'A', g->a_aligned);
  aligned_access(b, g->typecode, 'B', g->b_aligned);
  aligned_store(b, g->typecode, g->c_aligned);
  define_flag(b, "A_WHOLE", g->a_whole);
  define_flag(b, "B_WHOLE", g->b_whole);
  define_flag(b, "FLAT", g->flat);
  define_flag(b, "LINES", g->lines);
  define_flag(b, "PHASES", g->phases);
  define_int(b, "BAND", g->band);
  define_int(b, "TRIANGLE", (unsigned int)g->triangle);
  define_flag(b, "PARTS", g->parts);
  define_tickets(b, g->parts ? g->tickets : GA_TICKETS_NONE);
}

void ga__gen_winograd_text(ga__strb *b, const void *winograd) {
  const ga__gen_winograd *g = winograd;

  gen_numbers(b, g->typecode, g->lanes);
  define_flag(b, "TURNED", g->turned);
  define_flag(b, "C_UNIT", g->c_unit);
  aligned_store(b, g->typecode, g->c_aligned);
}

void ga__gen_gemm_mma_text(ga__strb *b, const void *gemm_mma) {
  const ga__gen_gemm_mma *g = gemm_mma;
  const int is_double = g->typecode == GA_DOUBLE;

  gen_real(b, g->parts ? GA_FLOAT : g->typecode,
           is_double ? 1 : GA_GEN_MMA_LANES);
  define_flag(b, "PARTS", g->parts);
  define_flag(b, "C_DIGITS", g->c_digits);
  define_flag(b, "C_ALIGNED", g->c_aligned);
  if (g->c_aligned)
    ga__strb_appendf(
        b,
        "GA_INLINE void mma_store(const float%u v, global T *to);\n"
        "#define STC(v, p) mma_store(v, p)\n",
        GA_GEN_MMA_LANES);
  define_int(b, "BM", g->bm);
  define_int(b, "BN", g->bn);
  define_int(b, "BK", g->bk);
  define_int(b, "WM", g->wm);
  define_int(b, "WN", g->wn);
  define_int(b, "STAGES", g->stages);
  define_int(b, "AHEAD", g->stages - 1);
  define_int(b, "PENDING", g->stages - 2);
  define_int(b, "BAND", g->band);
  define_flag(b, "A_UNIT", g->a_unit);
  define_flag(b, "B_UNIT", g->b_unit);
  define_flag(b, "EDGES", g->edges);
  if (is_double) {
    define_int(b, "C_PAIRS", g->c_pairs);
    define_flag(b, "WIDE", g->wide);
    define_int(b, "TRIANGLE", (unsigned int)g->triangle);
  }
  if (ga__dtype_is_narrow(g->typecode))
    ga__strb_appendf(b, "#define NARROW \"%s\"\n",
                     g->typecode == GA_HALF ? "f16" : "bf16");
}

void ga__gen_gemm_wgmma_text(ga__strb *b, const void *gemm_mma) {
  const ga__gen_gemm_mma *g = gemm_mma;
  const unsigned int n = g->bn / 2; /* sums of a work-item */

  ga__gen_gemm_mma_text(b, g);
  define_int(b, "SIZE", (unsigned int)ga__dtype_size(g->typecode));
  ga__strb_append(b, "#define SUMS \"{");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, "%s%%%u", i > 0 ? "," : "", i);
  ga__strb_append(b, "}\"\n#define SUMS_OF(a) ");
  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(b, "%s\"+f\"(a[%u])", i > 0 ? ", " : "", i);
  ga__strb_appendf(b, "\n#define DESC_A \"%%%u\"\n#define DESC_B \"%%%u\"\n", n,
                   n + 1);
}

void ga__gen_gemm_align_text(ga__strb *b, const void *typecode) {
  const size_t size = ga__dtype_size(*(const int *)typecode);

  ga__strb_appendf(b, "#define BITS %s\n",
                   size == 2   ? "ushort"
                   : size == 4 ? "uint"
                               : "ulong");
}

/* Define vectors of integers as wide as W, by which kernels select lanes. */
static void integer_lanes(ga__strb *b, int typecode, unsigned int lanes) {
  const char *name =
      typecode == GA_DOUBLE || typecode == GA_CDOUBLE ? "long" : "int";

  ga__strb_appendf(b,
                   "#define WI1 %s\n#define WI %s%u\n"
                   "#define LOADI(i, p) vload%u(i, p)\n",
                   name, name, lanes, lanes);
}

void ga__gen_window_text(ga__strb *b, int is_small) {
  define_flag(b, "WINDOW", 1);
  ga__strb_appendf(b, "#define INDEX %s\n", is_small ? "uint" : "ulong");
}

/* Define LANES, the vector of lane indices: 0, 1, ... */
static void name_lanes(ga__strb *b, int typecode, unsigned int lanes) {
  integer_lanes(b, typecode, lanes);
  ga__strb_append(b, "#define LANES ((WI)(0");
  for (unsigned int i = 1; i < lanes; i++)
    ga__strb_appendf(b, ", %u", i);
  ga__strb_append(b, "))\n");
}

void ga__gen_macros_text(ga__strb *b, const void *macros) {
  const ga__gen_macros *g = macros;

  ga__gen_numbers(b, g->typecode, g->lanes, g->n, g->v);
  if (g->names_lanes)
    name_lanes(b, g->typecode, g->lanes);
  if (g->is_aligned) {
    aligned_access(b, g->typecode, 'B', 1);
    aligned_store(b, g->typecode, 1);
  }
}

void ga__gen_gemv_text(ga__strb *b, const void *gemv) {
  const ga__gen_gemv *g = gemv;

  gen_numbers(b, g->typecode, g->lanes);
  define_flag(b, "ALONG", g->along);
  define_flag(b, "PARTS", g->parts);
  define_flag(b, "SUM", g->sum);
  if (g->rows > 0) {
    integer_lanes(b, g->typecode, g->lanes);
    define_flag(b, "X_UNIT", g->x_unit);
    define_flag(b, "Y_UNIT", g->y_unit);
    define_int(b, "WIDTH", g->rows);
    define_int(b, "LINE", g->line);
  } else {
    define_int(b, "LANES", g->width);
    define_int(b, "TEAMS", g->teams);
    define_int(b, "UNROLL", g->unroll);
    define_flag(b, "WIDE", g->wide);
    define_tickets(b, g->parts ? g->tickets : GA_TICKETS_NONE);
    if (g->wide) {
      aligned_access(b, g->typecode, 'A', 1);
      aligned_access(b, g->typecode, 'X', 1);
    }
  }
}

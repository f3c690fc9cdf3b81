/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernel that gathers rows. */
#include "codegen/gen_take.h"

#include <stdint.h>

#include "base/arith.h"
#include "base/dtype.h"

#define GROUP 256                     /* work-items of a group on a GPU */
#define WORD_MAX 16                   /* bytes, on a GPU */
#define WORD_MAX_CPU 8                /* where several make a vector */
#define MOVES 4                       /* words of a work-item on a GPU, */
#define LONG_ROW 128                  /* of one row from this length on */
#define STREAM_MIN ((size_t)32 << 20) /* bytes written that no cache keeps */
#define CHUNK_MIN 1024                /* words of a work-item on a CPU */
#define CHUNK_MAX 16384
#define CHUNKS_PER_UNIT 16

static void plan_cpu(ga__take_plan *p, const ga__target *t) {
  const size_t units = (size_t)t->units * CHUNKS_PER_UNIT;
  const size_t chunk =
      ga__between(CHUNK_MIN, ga__ceil_div(p->n * p->len, units), CHUNK_MAX);

  p->part = p->len < 2 * chunk ? p->len : chunk;
  p->rows = p->part == p->len ? ga__ceil_div(chunk, p->len) : 1;
  p->is_wide = 1;
  p->ls = 1;
}

/* Several words per work-item hide the wait for the index. */
static void plan_gpu(ga__take_plan *p, const ga__target *t) {
  p->part = p->len >= LONG_ROW ? MOVES : 1;
  p->rows = p->len >= LONG_ROW ? 1 : MOVES;
  p->is_wide = p->n > (INT32_MAX - 65536) / p->len;
  p->ls = t->group < GROUP ? t->group : GROUP;
}

void ga__take_plan_make(ga__take_plan *p, const ga__iter *row, size_t n,
                        size_t bytes, size_t places, const ga__target *t) {
  size_t total = ga__iter_total(row) * bytes;

  p->word = bytes;
  p->nd = row->nd;
  if (ga__iter_is_flat(row, 1, bytes)) {
    p->nd = 0;
    for (p->word = t->is_cpu ? WORD_MAX_CPU : WORD_MAX;
         (places | total) % p->word != 0;)
      p->word /= 2;
  }
  p->n = n;
  p->len = total / p->word;
  p->is_cpu = t->is_cpu;
  if (t->is_cpu)
    plan_cpu(p, t);
  else
    plan_gpu(p, t);
  p->segs = ga__ceil_div(p->len, p->part);
  p->gs = ga__round_up(p->segs * ga__ceil_div(n, p->rows), p->ls);
}

static const char *word_name(size_t bytes) {
  return bytes == 1   ? "uchar"
         : bytes == 2 ? "ushort"
         : bytes == 4 ? "uint"
         : bytes == 8 ? "ulong"
                      : "uint4";
}

/* Sizes and strides of the row's dimensions, and the sum over them. */
static void write_strides(ga__strb *b, unsigned int nd) {
  ga__strb_append(b, "#define STRIDES ");
  for (unsigned int d = 0; d < nd; d++)
    ga__strb_appendf(b, ", const long ga_n%u, const long ga_s%u", d, d);
  ga__strb_append(b, "\n#define SOURCE(k) (");
  for (unsigned int d = 0; d < nd; d++) {
    ga__strb_append(b, d > 0 ? " + (k)" : "(k)");
    for (unsigned int e = 0; e < d; e++)
      ga__strb_appendf(b, " / ga_n%u", e);
    if (d + 1 < nd)
      ga__strb_appendf(b, " %% ga_n%u", d);
    ga__strb_appendf(b, " * ga_s%u", d);
  }
  ga__strb_append(b, nd == 0 ? "k)\n" : ")\n");
}

static void write_index(ga__strb *b, int index_type) {
  ga__strb_appendf(b, "#define INDEX_T %s\n", ga__dtype_cl(index_type));
  ga__strb_appendf(b, "#define IS_SIGNED %d\n",
                   ga__dtype_kind(index_type) == GA_KIND_INT);
}

void ga__gen_take(ga__strb *b, const ga__take_plan *p) {
  ga__strb_appendf(b, "#define WORD %s\n", word_name(p->word));
  write_index(b, p->index_type);
  ga__strb_appendf(b, "#define ga_index %s\n", p->is_wide ? "long" : "int");
  if (!p->is_cpu)
    ga__strb_appendf(b, "#define ROWS %zu\n#define PART %zu\n", p->rows,
                     p->part);
  else if (p->nd == 0)
    ga__strb_appendf(b, "#define VECTOR %d\n#define STREAM %d\n",
                     p->word == 8 ? 8 : 16,
                     p->n * p->len * p->word >= STREAM_MIN && p->word >= 4);
  write_strides(b, p->nd);
}

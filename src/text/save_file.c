/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph to a file (saved.h). Blocks are written as they come from the
 * device. Their checksums are known only then, so the header comes last. */
#include <gpuarray/stream.h>
#include <string.h>

#include "base/dtype.h"
#include "base/file.h"
#include "base/xxh64.h"
#include "text/saved.h"
#include "text/text.h"

#include <gpugraph/save.h>

typedef struct saver {
  gg_graph *g;
  ga__newfile file;
  ga__strb text;
  gg__blocks blocks;
  gg__block *table;
  uint64_t at;   /* bytes written */
  ga__xxh64 sum; /* of the current block */
  int version;   /* of the format */
  int failed;    /* code of the last drain */
} saver;

static void store_le(unsigned char *p, int n, uint64_t v) {
  for (int i = 0; i < n; i++)
    p[i] = (unsigned char)(v >> (8 * i));
}

/* --- writing --- */

static int write_bytes(saver *s, const void *bytes, size_t n) {
  GA_TRY(gg__fail_err(s->g, ga__newfile_write(&s->file, bytes, n)));
  s->at += n;
  return GA_NO_ERROR;
}

static int write_padding(saver *s) {
  static const char zeros[GG_SAVED_ALIGN];

  return write_bytes(s, zeros, (size_t)(gg__saved_align(s->at) - s->at));
}

/* Called by GpuArray_stream_out, which returns its code. */
static int drain(void *arg, const void *p, size_t n) {
  saver *s = arg;

  ga__xxh64_add(&s->sum, p, n);
  s->failed = write_bytes(s, p, n);
  return s->failed;
}

/* --- blocks --- */

static int write_shared(saver *s, const gg_var *v) {
  GpuArray now = {0};
  int err;

  GA_CHECK(gg__shared_view(v, &now));
  err = GpuArray_stream_out(&now, drain, s);
  if (err != GA_NO_ERROR && s->failed == GA_NO_ERROR)
    gg__fail(s->g, err, "shared %s: %s", v->name, ga__err_text(err));

done:
  GpuArray_clear(&now);
  return err;
}

static int write_block(saver *s, const gg_var *v, gg__block *out) {
  GA_TRY(write_padding(s));
  out->at = s->at;
  ga__xxh64_init(&s->sum);
  if (v->kind == GG_VAR_SHARED)
    GA_TRY(write_shared(s, v));
  else
    GA_TRY(drain(s, v->data, v->data_bytes));
  out->bytes = s->at - out->at;
  out->sum = ga__xxh64_end(&s->sum);
  return GA_NO_ERROR;
}

/* --- header --- */

/* Fill in header and table at `h`, the caller's memory. */
static void fill_header(const saver *s, unsigned char *h) {
  unsigned char *entry = h + GG_HEADER_BYTES;
  ga__xxh64 sum;

  memcpy(h, GG_SAVED_MAGIC, GG_AT_VERSION);
  store_le(h + GG_AT_VERSION, 4, (uint64_t)s->version);
  store_le(h + GG_AT_ORDER, 4, (uint64_t)gg__saved_host_order());
  store_le(h + GG_AT_TEXT, 8, s->text.n);
  store_le(h + GG_AT_BLOCKS, 8, s->blocks.n);
  for (size_t i = 0; i < s->blocks.n; i++, entry += GG_ENTRY_BYTES) {
    store_le(entry, 8, s->table[i].at);
    store_le(entry + 8, 8, s->table[i].bytes);
    store_le(entry + 16, 8, s->table[i].sum);
  }
  ga__xxh64_init(&sum);
  ga__xxh64_add(&sum, h + GG_HEADER_BYTES, s->blocks.n * GG_ENTRY_BYTES);
  ga__xxh64_add(&sum, ga__strb_text(&s->text), s->text.n);
  store_le(h + GG_AT_SUM, 8, ga__xxh64_end(&sum));
  store_le(h + GG_AT_HEADER_SUM, 8, ga__xxh64_of(h, GG_AT_HEADER_SUM));
}

static int write_all(saver *s) {
  const size_t n = GG_HEADER_BYTES + s->blocks.n * GG_ENTRY_BYTES;
  unsigned char *header = ga__calloc(n, 1);
  int err;

  s->table = ga__calloc(s->blocks.n, sizeof *s->table);
  if (header == NULL || s->table == NULL)
    GA_CHECK(gg__fail_nomem(s->g));
  GA_CHECK(write_bytes(s, header, n));
  GA_CHECK(write_bytes(s, ga__strb_text(&s->text), s->text.n));
  for (size_t i = 0; i < s->blocks.n; i++)
    GA_CHECK(write_block(s, s->blocks.v[i], &s->table[i]));
  fill_header(s, header);
  GA_CHECK(gg__fail_err(s->g, ga__newfile_write_at(&s->file, 0, header, n)));

done:
  ga__free(header);
  ga__free(s->table);
  return err;
}

static int save(saver *s, const char *path) {
  GA_TRY(gg__text_print(s->g, 0, &s->blocks, &s->text, &s->version));
  GA_TRY(ga__newfile_open(&s->file, path, GA_FILE_PATCHED));
  int err = write_all(s);
  int closed = ga__newfile_close(&s->file, err == GA_NO_ERROR);
  return err != GA_NO_ERROR ? err : closed;
}

int gg_graph_save(gg_graph *g, const char *path) {
  saver s = {.g = g};

  GA_TRY(gg_graph_status(g));
  if (path == NULL)
    return ga__fail(GA_VALUE_ERROR, "gg_graph_save: the path is NULL");
  const int err = gg__fail_apart(g, save(&s, path));
  ga__strb_clear(&s.text);
  ga__vec_clear(&s.blocks);
  return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The saved file: header, table of blocks, text, blocks. Everything is
 * little-endian, except the elements: the header gives their byte order.
 *
 *   offset  bytes
 *        0      8  0x89 "ggraph" 0x0a
 *        8      4  format version
 *       12      4  order of the elements' bytes: 1 little-endian, 2 big-endian
 *       16      8  bytes of the text, t
 *       24      8  number of blocks, n
 *       32      8  XXH64 of table and text
 *       40      8  XXH64 of bytes 0 to 39
 *       48    24 n table: for each block offset, bytes, XXH64 of these bytes
 *   48+24n      t  text
 *
 * Blocks follow in the order of the table, each at the next multiple of 64; the
 * bytes between are 0. The file ends with the last block. */
#ifndef TEXT_SAVED_H
#define TEXT_SAVED_H

#include <stdint.h>

enum {
  GG_SAVED_VERSION = 3, /* the latest; a file has the lowest that suffices */
  GG_SAVED_LITTLE = 1,
  GG_SAVED_BIG = 2,
  GG_SAVED_ALIGN = 64, /* alignment of a block, in bytes */

  GG_AT_VERSION = 8,
  GG_AT_ORDER = 12,
  GG_AT_TEXT = 16,
  GG_AT_BLOCKS = 24,
  GG_AT_SUM = 32,
  GG_AT_HEADER_SUM = 40,
  GG_HEADER_BYTES = 48,
  GG_ENTRY_BYTES = 24
};

#define GG_SAVED_MAGIC "\x89ggraph\n"

static inline uint64_t gg__saved_align(uint64_t at) {
  return (at + GG_SAVED_ALIGN - 1) / GG_SAVED_ALIGN * GG_SAVED_ALIGN;
}

static inline int gg__saved_host_order(void) {
  const uint16_t one = 1;

  return *(const unsigned char *)&one == 1 ? GG_SAVED_LITTLE : GG_SAVED_BIG;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Completing PTX with instructions that the driver's OpenCL compiler refuses.
 *
 * NVIDIA's compiler targets the generic form of an architecture (sm_90), and
 * then its assembler refuses instructions of the specific form (sm_90a), such
 * as wgmma. But the binary of a program is PTX, comments in inline assembly are
 * copied into it with their operands filled in, and the driver accepts PTX for
 * sm_90a as a binary. So a kernel has such an instruction as a comment that
 * starts with GA_PTX_MARK, and after the build these comments are turned into
 * instructions here. */
#include "ocl/kernel/ptx.h"

#include <string.h>

#include "base/alloc.h"

/* The position after ".target " and `base` ("sm_90"), or NULL if the PTX has
 * another target. */
static const char *after_target(const char *ptx, const char *base) {
  static const char word[] = "\n.target ";
  const char *at = strstr(ptx, word);

  if (at == NULL)
    return NULL;
  at += sizeof word - 1;
  if (strncmp(at, base, strlen(base)) != 0)
    return NULL;
  at += strlen(base);
  return *at == '\n' || *at == '\r' || *at == ',' || *at == ' ' ? at : NULL;
}

int ga__ptx_complete(ga__strb *out, const char *ptx, const char *target) {
  char base[16];
  const size_t n = strlen(target) - 1; /* without the letter */
  const char *next;

  if (n >= sizeof base)
    return ga__fail(GA_VALUE_ERROR, "PTX target %s: too long", target);
  memcpy(base, target, n);
  base[n] = '\0';
  const char *from = after_target(ptx, base);
  if (from == NULL)
    return ga__fail(GA_DEVSUP_ERROR, "the program is not PTX for %s", base);
  ga__strb_append_n(out, ptx, (size_t)(from - ptx));
  ga__strb_append_n(out, target + n, 1);
  while ((next = strstr(from, GA_PTX_MARK)) != NULL) {
    ga__strb_append_n(out, from, (size_t)(next - from));
    from = next + strlen(GA_PTX_MARK);
  }
  ga__strb_append(out, from);
  return out->err;
}

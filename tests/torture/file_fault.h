/* SPDX-License-Identifier: BSD-2-Clause */
/* File operations that fail: open, close, read, write, rename and others of a
 * program that is linked with --wrap for each (tests.cmake). Those of shared
 * libraries, drivers among them, are not seen.
 */
#ifndef TORTURE_FILE_FAULT_H
#define TORTURE_FILE_FAULT_H

/* What happens instead of an errno. */
enum {
  FILE_SHORT = -1,      /* half of a read or a write, at least a byte */
  FILE_END = -2,        /* a read finds the end of the file */
  FILE_KILL = -3,       /* the process dies before the operation */
  FILE_KILL_AFTER = -4, /* or after it */
  /* Power is lost before the operation, which ends the process, too: bytes that
   * were not synced are lost, and with NAMES also the names that files got in
   * folders that were not synced since. */
  FILE_POWER_BYTES = -5,
  FILE_POWER_NAMES = -6,
};

/* The nth operation from now ends with `how`, and all after it when `always`;
 * with nth 0 they are only counted. */
void file_fault_arm(long nth, int how, int always);
/* Returns the number of operations since; *struck those that were harmed. */
long file_fault_disarm(long *struck);
/* Lose power now: FILE_POWER_*. Does not return. */
void file_fault_power(int how);
/* Files that the program has open. */
long file_fault_open(void);
/* The names that files got by rename while nth was 0: NULL after the last. */
const char *file_fault_renamed(int i);

#endif

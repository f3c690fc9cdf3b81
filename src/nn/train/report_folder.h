/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in the folder of a training. */
#ifndef NN_TRAIN_REPORT_FOLDER_H
#define NN_TRAIN_REPORT_FOLDER_H

#include <stdio.h>

#include "base/strb.h"

/* Append "folder/name"; returns the code of `b`. */
int gg__folder_path(ga__strb *b, const char *folder, const char *name);
/* Replace a file by a text, or append it to the file: all of it or nothing. */
int gg__folder_put(const char *folder, const char *name, const char *text,
                   size_t n, int appends);
/* Replace a file by what `put` writes. */
int gg__folder_write(const char *folder, const char *name,
                     int (*put)(const void *arg, FILE *out), const void *arg);

#endif

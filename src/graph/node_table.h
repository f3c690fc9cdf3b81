/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes of a graph, found by op, properties and inputs. A node contains
 * its key, so an entry is a hash and a pointer. */
#ifndef GRAPH_NODE_TABLE_H
#define GRAPH_NODE_TABLE_H

#include <gpugraph/op.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gg__node_entry gg__node_entry;

typedef struct gg__node_table {
  gg__node_entry *entries;
  size_t n, cap; /* entries in use; all entries (a power of two) */
} gg__node_table;

/* The key of a node; `hash` is gg__node_hash of the rest. */
typedef struct gg__node_key {
  const gg_op *op;
  const void *props; /* op->props_bytes bytes */
  unsigned int n_in;
  gg_var *const *in; /* all of one graph */
  uint64_t hash;
} gg__node_key;

uint64_t gg__node_hash(const gg__node_key *k);
/* The node that has this key, or NULL. */
gg_apply *gg__node_find(const gg__node_table *t, const gg__node_key *k);
/* Add a node with this key that is not in the table. */
int gg__node_add(gg__node_table *t, const gg__node_key *k, gg_apply *a);
/* Remove the node that has this key, if any. The table is not empty. */
void gg__node_remove(gg__node_table *t, const gg__node_key *k);
void gg__node_table_clear(gg__node_table *t); /* nodes belong to the graph */

#endif

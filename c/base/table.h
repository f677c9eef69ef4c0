/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table from names to records: readers take no lock and never wait. Open addressing with
 * stored hashes. A writer (callers serialise writers) fills a slot and then publishes its record
 * with a release store. The array of slots is replaced when it is full, or to drop records. Readers
 * may still be searching the old one, so it lives until the caller knows that nobody does.
 */
#ifndef TVMFFI_BASE_TABLE_H_
#define TVMFFI_BASE_TABLE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First member of every record. */
typedef struct {
  const char *data; /* NUL-terminated */
  size_t size;
  uint64_t hash; /* tvmffi_hash_bytes of the name */
} tvmffi_table_key;

typedef struct {
  uint64_t hash;
  tvmffi_table_key *record;
} tvmffi_table_slot;

typedef struct tvmffi_table_slots {
  struct tvmffi_table_slots *replaced; /* by these; then those that they replaced */
  size_t mask;                         /* slots - 1 */
  tvmffi_table_slot slots[];
} tvmffi_table_slots;

typedef struct {
  tvmffi_table_slots *current; /* NULL while empty */
  size_t num_records;
} tvmffi_table;

/* The record of that name, or NULL. Any thread. */
tvmffi_table_key *tvmffi_table_find(const tvmffi_table *table, const char *name, size_t size);

/* The same, for callers that have computed the hash already. */
tvmffi_table_key *tvmffi_table_find_hashed(const tvmffi_table *table, const char *name, size_t size,
                                           uint64_t hash);

/*
 * A record of size bytes with this name, a copy of which follows it; all but the key is 0. alloc is
 * tvmffi_alloc or tvmffi_alloc_until_shutdown. NULL if out of memory.
 */
tvmffi_table_key *tvmffi_table_new_record(size_t size, const char *name, size_t name_size,
                                          uint64_t hash, void *(*alloc)(size_t bytes));

/* Makes room for num_more records: so many inserts cannot fail. 0, or -1 if out of memory. */
int tvmffi_table_reserve(tvmffi_table *table, size_t num_more);

/*
 * Inserts a record, which must be complete and whose name must not be in the table. 0, or -1 if out
 * of memory, and then nothing has changed.
 */
int tvmffi_table_insert(tvmffi_table *table, tvmffi_table_key *record);

/*
 * Leaves out all records but those that are kept. Searches that began before may still find the
 * others. 0, or -1 if out of memory, and then nothing has changed.
 */
int tvmffi_table_keep(tvmffi_table *table, bool (*is_kept)(const tvmffi_table_key *record));

/* Frees the slots that were replaced. No search that began before that may still go on. */
void tvmffi_table_free_replaced(tvmffi_table *table);

/* Empties the table and frees its memory, but no record. Nobody may be reading it. */
void tvmffi_table_fini(tvmffi_table *table);

#endif /* TVMFFI_BASE_TABLE_H_ */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of names, c/base/table.c: one writer (writers hold a lock) inserts records, replaces
 * its slots when they are half full, and readers look names up without a lock. All names have the
 * same hash, so that every look-up goes past every record that came before.
 *
 * What a reader finds is complete; what was in the table before it began is found; no slots that
 * were freed are read. A step that is left out or wrong (-D BROKEN_...) must break an assertion.
 *
 * Spin's memory is sequentially consistent: the model shows which store has to come before which.
 * That release and acquire keep them in that order is left to tests/race/test_race_table.c with
 * ThreadSanitizer.
 */
#define NAMES 3
#define READERS 2
#define GENERATIONS 3 /* 0: the empty table */
#define SLOTS 5 /* one more than needed, so that a search ends */

/* record of slot i of a generation: slot[generation * SLOTS + i]; 0 is a free slot */
byte slot[GENERATIONS * SLOTS];
bool is_hash_set[GENERATIONS * SLOTS];
bool is_freed[GENERATIONS];
bool is_complete[NAMES + 1]; /* the key of a record */
byte current;
byte num_inserted; /* names whose insertion has returned */

inline place(generation, record) { /* place */
  i = 0;
  do
  :: slot[(generation) * SLOTS + i] != 0 -> i++
  :: else -> break
  od;
#ifdef BROKEN_RECORD_BEFORE_HASH
  slot[(generation) * SLOTS + i] = record;
  is_hash_set[(generation) * SLOTS + i] = true
#else
  is_hash_set[(generation) * SLOTS + i] = true;
  slot[(generation) * SLOTS + i] = record
#endif
}

inline grow() { /* tvmffi_table_reserve */
  old = current;
#ifdef BROKEN_SLOTS_BEFORE_CONTENTS
  current = old + 1;
#endif
  k = 0;
  do
  :: k < SLOTS ->
     if
     :: slot[old * SLOTS + k] != 0 -> place(old + 1, slot[old * SLOTS + k])
     :: else
     fi;
     k++
  :: else -> break
  od;
#ifndef BROKEN_SLOTS_BEFORE_CONTENTS
  current = old + 1;
#endif
#ifdef BROKEN_OLD_SLOTS_ARE_FREED
  is_freed[old] = true
#endif
}

active proctype writer() {
  byte i, k, old, name = 1;
  do
  :: name <= NAMES ->
     if
     :: name == 1 || name == 3 -> grow()
     :: else
     fi;
#ifndef BROKEN_RECORD_BEFORE_KEY
     is_complete[name] = true;
#endif
     place(current, name); /* tvmffi_table_insert */
#ifdef BROKEN_RECORD_BEFORE_KEY
     is_complete[name] = true;
#endif
     num_inserted = name;
     name++
  :: else -> break
  od
}

active [READERS] proctype reader() { /* tvmffi_table_find_hashed */
  byte wanted, before, generation, i, record;
  bool is_found;
  select(wanted : 1 .. NAMES);
  before = num_inserted;
  generation = current;
  do
  :: generation == 0 -> break /* NULL: nothing was inserted */
  :: generation != 0 && i < SLOTS ->
     atomic {
       assert(!is_freed[generation]);
       record = slot[generation * SLOTS + i]
     }
     if
     :: record == 0 -> break
     :: else ->
        assert(is_hash_set[generation * SLOTS + i]);
        assert(is_complete[record]);
        if
        :: record == wanted -> is_found = true; break
        :: else -> i++
        fi
     fi
  od;
  assert(is_found || wanted > before)
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function of one global name, c/core/global.c: readers find its record in the table and take a
 * reference without a lock, while writers replace or remove the function, and free the record once
 * its name is absent. Also the list of thread records, c/core/thread_state.c, in which readers say
 * that they read.
 *
 * No reader reads a record that was freed or takes a reference to a function that was destroyed,
 * and at the end each function has the references that there are. A step that is left out or wrong
 * (-D BROKEN_...) must break an assertion.
 *
 * Spin's memory is sequentially consistent, as are the number of a thread, the table's slots and
 * the function in the sources: these need it. The other orders (the contents of a function are
 * visible to who fetches it) are left to tests/race/test_race_global.c with ThreadSanitizer. A
 * writer here waits as long as it takes; the sources give up at some time and leak what they took
 * out.
 */
#define READERS 2
#define WRITERS 2
#define NONE 0
#define FUNCTIONS 2
#define RECORDS 4 /* as many as the writers can need */

byte references[FUNCTIONS + 1]; /* of function 1 and 2; none: destroyed */
byte held[FUNCTIONS + 1];       /* references that readers took; of 0: that found nothing */
byte found_record = 1;          /* what a search of the table finds */
byte function[RECORDS + 1];     /* of a record; owned */
bool is_freed[RECORDS + 1];
byte num_records = 1;
byte num_reads[READERS];        /* by thread record */
bool is_listed[READERS];        /* the record is in the list that writers walk */
bool is_locked;

inline lock() { atomic { !is_locked -> is_locked = true } }
inline unlock() { is_locked = false }

/* A reference is taken while another one keeps the function alive. */
inline retain(f) {
  if
  :: f != NONE -> atomic { assert(references[f] > 0); references[f]++ }
  :: else
  fi
}
inline release(f) { atomic { assert(references[f] > 0); references[f]-- } }

proctype reader(byte self) {
  byte record, f;
#ifndef BROKEN_LISTED_LATE
  is_listed[self] = true; /* tvmffi_thread_record_ensure: claim_record */
#endif
#if !defined(BROKEN_NO_NUMBER) && !defined(BROKEN_NUMBER_AFTER_SEARCH)
  num_reads[self]++; /* begin_read */
#endif
  record = found_record;
#ifdef BROKEN_NUMBER_AFTER_SEARCH
  num_reads[self]++;
#endif
  if
  :: record != NONE -> atomic { assert(!is_freed[record]); f = function[record] }
  :: else
  fi;
#ifdef BROKEN_LISTED_LATE
  is_listed[self] = true;
#endif
#ifdef BROKEN_ENDED_EARLY
  num_reads[self]++;
#endif
  retain(f);
  held[f]++;
#if !defined(BROKEN_NO_NUMBER) && !defined(BROKEN_ENDED_EARLY)
  num_reads[self]++ /* end_read */
#endif
}

inline wait_for_readers() {
  i = 0;
  do
  :: i < READERS ->
     if
     :: is_listed[i] ->
        number = num_reads[i];
        if
        :: number % 2 != 0 -> num_reads[i] != number
        :: else
        fi
     :: else
     fi;
     i++
  :: else -> break
  od
}

inline release_replaced() {
  if
  :: old != NONE ->
#ifndef BROKEN_NO_WAIT
     wait_for_readers();
#endif
     release(old)
  :: else
  fi
}

inline set(mine) { /* set_function */
  lock();
  if
  :: found_record == NONE -> num_records++; found_record = num_records /* ensure_global */
  :: else
  fi;
#ifndef BROKEN_RETAINED_WITHOUT_LOCK
  retain(mine);
#endif
  atomic { old = function[found_record]; function[found_record] = mine };
  unlock();
#ifdef BROKEN_RETAINED_WITHOUT_LOCK
  retain(mine);
#endif
  release_replaced()
}

inline remove() { /* tvmffi_global_remove */
  lock();
  old = NONE;
  if
  :: found_record != NONE ->
     atomic { old = function[found_record]; function[found_record] = NONE };
     if
     :: true -> /* drop_absent: tvmffi_table_keep, free_global */
        dropped = found_record;
        found_record = NONE;
#ifndef BROKEN_FREED_AT_ONCE
        wait_for_readers();
#endif
        is_freed[dropped] = true
     :: true
     fi
  :: else
  fi;
  unlock();
  release_replaced()
}

/* Makes a function of its own, sets it twice with a removal in between, and lets go of it. */
proctype writer(byte mine) {
  byte old, i, number, dropped;
  set(mine);
  if
  :: true -> remove(); set(mine)
  :: true
  fi;
  release(mine)
}

init {
  byte i;
  atomic {
    /* Function 1 is in the record, and its writer has a reference; function 2 is its writer's
     * only. */
    function[1] = 1;
    references[1] = 2;
    references[2] = 1;
    for (i : 1 .. READERS) { run reader(i - 1) }
    for (i : 1 .. WRITERS) { run writer(i) }
  }
  _nr_pr == 1;
  for (i : 1 .. FUNCTIONS) {
    assert(references[i] ==
      held[i] + (found_record != NONE && function[found_record] == i -> 1 : 0))
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function of one global name, c/core/global.c: readers take a reference without a lock while
 * writers replace or remove it. Also the list of thread records, c/core/thread_state.c, in which
 * readers announce what they are about to take.
 *
 * No reader takes a reference to a function that was destroyed, and at the end each function has
 * the references that there are. A step that is left out or wrong (-D BROKEN_...) must break an assertion.
 *
 * Spin's memory is sequentially consistent, as are the announcement, the second read and the
 * exchange in the sources: these need it. The other orders (the contents of a function are visible
 * to who fetches it) are left to tests/race/test_race_global.c with ThreadSanitizer. A writer here waits as
 * long as it takes; the sources give up at some time and leak the function.
 */
#define READERS 2
#define WRITERS 2
#define NO_FUNCTION 0
#define FUNCTIONS 2

byte references[FUNCTIONS + 1]; /* of function 1 and 2; none: destroyed */
byte held[FUNCTIONS + 1];       /* references that readers took; of 0: that found nothing */
byte function = 1;              /* of the record; owned */
byte announced[READERS];        /* by thread record */
bool is_listed[READERS];        /* the record is in the list that writers walk */
bool is_locked;

inline lock() { atomic { !is_locked -> is_locked = true } }
inline unlock() { is_locked = false }

/* A reference is taken while another one keeps the function alive. */
inline retain(f) { atomic { assert(references[f] > 0); references[f]++ } }
inline retain_function(f) {
  if
  :: f != NO_FUNCTION -> retain(f)
  :: else
  fi
}
inline release(f) { atomic { assert(references[f] > 0); references[f]-- } }

proctype reader(byte self) {
  byte found;
#ifndef BROKEN_LISTED_LATE
  is_listed[self] = true; /* tvmffi_thread_record_ensure: claim_record */
#endif
  do /* fetch_function */
  :: found = function;
     if
     :: found == NO_FUNCTION -> break
     :: else
     fi;
#ifdef BROKEN_NO_ANNOUNCEMENT
     break
#else
     announced[self] = found;
#ifdef BROKEN_NO_SECOND_READ
     break
#else
     if
     :: function == found -> break
     :: else
     fi
#endif
#endif
  od;
#ifdef BROKEN_LISTED_LATE
  is_listed[self] = true;
#endif
#ifdef BROKEN_CLEARED_EARLY
  announced[self] = NO_FUNCTION;
#endif
  retain_function(found);
  held[found]++;
  announced[self] = NO_FUNCTION
}

/* set_function (to is a function) and tvmffi_global_remove (NO_FUNCTION). */
inline replace(to) {
  lock();
#ifndef BROKEN_RETAINED_WITHOUT_LOCK
  retain_function(to);
#endif
  atomic { old = function; function = to }; /* tvmffi_atomic_exchange_seq_cst_ptr */
  unlock();
#ifdef BROKEN_RETAINED_WITHOUT_LOCK
  retain_function(to);
#endif
  if
  :: old != NO_FUNCTION -> /* release_replaced */
#ifndef BROKEN_NO_WAIT
     i = 0;
     do
     :: i < READERS ->
        if
        :: is_listed[i] -> announced[i] != old
        :: else
        fi;
        i++
     :: else -> break
     od;
#endif
     release(old)
  :: else
  fi
}

/* Makes a function of its own, sets it twice with a removal in between, and lets go of it. */
proctype writer(byte mine) {
  byte old, i;
  replace(mine);
  if
  :: true -> replace(NO_FUNCTION); replace(mine)
  :: true
  fi;
  release(mine)
}

init {
  byte i;
  atomic {
    /* Function 1 is in the record, and its writer has a reference; function 2 is its writer's only. */
    references[1] = 2;
    references[2] = 1;
    for (i : 1 .. READERS) { run reader(i - 1) }
    for (i : 1 .. WRITERS) { run writer(i) }
  }
  _nr_pr == 1;
  for (i : 1 .. FUNCTIONS) {
    assert(references[i] == held[i] + (function == i -> 1 : 0))
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strong and the weak count of one object: c/core/object.c, and weak references as clients
 * count them (tests/support/weak.h, cpp/tvm/ffi/object_ptr.h). Each step of a process is one atomic
 * operation of the function that its comment names.
 *
 * The contents are destroyed once, while no thread reads them; the memory is freed once, after
 * that, and nobody touches it then. A step that is left out or wrong (-D BROKEN_...) must break an
 * assertion.
 *
 * Spin's memory is sequentially consistent. That the contents which others wrote are visible to the
 * destructor (release and acquire order) is left to tests/race with ThreadSanitizer.
 */
#define OWNERS 2 /* threads with a strong reference each */
#define LOCKERS 2 /* threads with a weak reference each */

byte strong = OWNERS;
byte weak = LOCKERS + 1; /* one that all strong references hold together */
byte readers;            /* threads that use the contents now */
bool destroyed, freed;

/* Every access to the counts. */
#define TOUCH assert(!freed)

inline destroy() { /* kTVMFFIObjectDeleterFlagBitMaskStrong */
  assert(!destroyed && !freed && readers == 0);
  destroyed = true
}

inline free_block() { /* tvmffi_object_free */
  assert(destroyed && !freed);
  freed = true
}

/*
 * tvmffi_object_delete_nested with flag Strong, which destroys at once, or push_waiting: then the
 * list holds a weak reference, and the same thread destroys later.
 */
inline delete_strong() {
  if
  :: destroy()
  :: atomic { /* push_waiting */
       TOUCH;
#ifndef BROKEN_NO_REFERENCE_OF_LIST
       weak++;
#endif
       is_waiting = true
     }
  fi
}

inline release_weak_count() { /* sub WEAK_ONE; last if it was the only count */
  atomic {
    TOUCH;
    assert(weak > 0);
    is_last = (strong == 0 && weak == 1);
    weak--
  }
}

/* pop_waiting, and the deleter with kDestroyNow. */
inline destroy_waiting() {
  if
  :: is_waiting ->
     is_waiting = false;
     destroy();
     release_weak_count(); /* release_waiting */
     if
     :: is_last -> free_block()
     :: else
     fi
  :: else
  fi
}

/* tvmffi_object_release_inline. */
inline release() {
  atomic { /* the load: is this the only reference? */
    TOUCH;
#ifdef BROKEN_SHORTCUT_IGNORES_WEAK
    is_only = (strong == 1)
#else
    is_only = (strong == 1 && weak == 1)
#endif
  }
  if
  :: is_only -> /* the deleter with both flags; no write to the count */
     if
     :: destroy(); free_block()
     :: atomic { TOUCH; strong = 0; weak = 1; is_waiting = true } /* push_waiting */
     fi
  :: else ->
     atomic { /* sub STRONG_ONE */
       TOUCH;
       assert(strong > 0);
       was_last = (strong == 1);
       was_only = (strong == 1 && weak == 1);
       strong--
     }
     if
     :: was_only -> /* tvmffi_object_release_last: old_count is TVMFFI_BOTH_ONE */
        if
        :: destroy(); free_block()
        :: atomic { TOUCH; weak = 1; is_waiting = true }
        fi
     :: was_last && !was_only -> /* tvmffi_object_release_last: weak references are left */
#ifdef BROKEN_WEAK_BEFORE_STRONG
        release_weak_count();
        delete_strong();
#else
        delete_strong();
        release_weak_count();
#endif
        if
        :: is_last -> free_block()
        :: else
        fi
     :: else
     fi
  fi;
  destroy_waiting()
}

inline use_contents() {
  atomic { assert(!destroyed && !freed); readers++ }
  atomic { assert(!destroyed && !freed); readers-- }
}

proctype owner() {
  bool is_only, was_last, was_only, is_last, is_waiting;
  use_contents();
  release()
}

/* weak_promote: a compare-and-swap, tried until it succeeds or there is no strong reference. */
proctype locker() {
  bool is_only, was_last, was_only, is_last, is_waiting, has_strong;
  byte old_strong, old_weak;
  atomic { TOUCH; old_strong = strong; old_weak = weak }
  do
#ifdef BROKEN_LOCK_OF_DEAD
  :: true ->
#else
  :: old_strong == 0 -> break
  :: old_strong != 0 ->
#endif
     atomic {
       TOUCH;
       if
#ifdef BROKEN_LOCK_WITHOUT_COMPARE
       :: true -> strong++; has_strong = true
#else
       :: strong == old_strong && weak == old_weak -> strong++; has_strong = true
       :: else -> old_strong = strong; old_weak = weak
#endif
       fi
     }
     if
     :: has_strong -> break
     :: else
     fi
  od;
  if
  :: has_strong -> use_contents(); release()
  :: else
  fi;
  release_weak_count(); /* weak_release */
  if
  :: is_last -> free_block()
  :: else
  fi
}

init {
  byte i;
  atomic {
    for (i : 1 .. OWNERS) { run owner() }
    for (i : 1 .. LOCKERS) { run locker() }
  }
  _nr_pr == 1;
  assert(destroyed && freed) /* nothing is leaked */
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What host and helper want of a system beyond POSIX: Linux and macOS. What only the helper wants
 * is in helper_system.h.
 */
#ifndef TVM_FFI_ISOLATED_SYSTEM_H_
#define TVM_FFI_ISOLATED_SYSTEM_H_

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

/* Without this flag, the sockets of socket_pair have the option SO_NOSIGPIPE. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

/* ---- Memory ---- */

/*
 * A file of this size in memory, which the other process cannot shrink or grow: a page that is not
 * there would end the host by SIGBUS. Closed by exec. -1 with errno set.
 */
int memory_file(const char *name, uint64_t size);
/*
 * The same, but where the system can do that it is empty, and memory_reserve makes it grow: the
 * other process cannot take memory of it that this one has not asked for.
 */
int memory_growing_file(const char *name, uint64_t size);
/*
 * Gives a part of the file memory, so that writing to it cannot fail; does nothing where the system
 * promises memory that it may not have. -1 with errno set.
 */
int memory_reserve(int file, size_t offset, size_t size);
/*
 * Gives the memory of whole pages of a mapped file back; their contents are lost. -1: the system
 * keeps it.
 */
int memory_give_back(void *begin, size_t size);
/* Leaves a mapping out of files of memory that the system writes after a crash. */
void memory_hide(void *begin, size_t size);
/* A child by fork does not get these pages. Where the system cannot do that, nothing happens. */
void memory_keep_from_children(void *begin, size_t size);
/*
 * Whether whole pages can be read, or written, by any thread of this process; their contents stay.
 * True where the system does not tell.
 */
bool memory_can_access(void *begin, size_t size, bool writes);
/*
 * Whether whole pages that could be accessed once are still mapped: on Linux, this takes no longer
 * than any call of the system, however many there are.
 */
bool memory_is_mapped(void *begin, size_t size);
size_t memory_page_size(void);

/* ---- Files ---- */

/* Two sockets that are connected. They are closed by exec. -1 with errno set. */
int socket_pair(int out[2]);
/* poll() with a time-out as precise as the system has it; NULL: none. */
int poll_files(struct pollfd *files, nfds_t count, const struct timespec *timeout);

/* ---- Sleeping, for less time than poll() and a socket take ---- */

/*
 * Sleeps until futex_wake() of the other process, unless the word has another value. -1 with errno
 * set: EAGAIN if it has another value, EINTR after a signal, ENOSYS where the system has none.
 */
int futex_wait(uint32_t *word, uint32_t value);
int futex_wake(uint32_t *word);
/* A file by which the helper wakes the host; closed by exec. -1: the system has none. */
int bell_make(void);
/* -1 with errno set. It may block once it was rung some 2^64 times. */
int bell_ring(int bell);
/* A file for epoll_sleep(); closed by exec. -1: the system has none, or not one of the others. */
int epoll_make(int bell, int process, int timer);
/*
 * A file that ends a sleep once, some time after timer_set(): a timer that is set now and then
 * costs less than a limit of each sleep. Closed by exec. -1: the system has none.
 */
int timer_make(void);
/* -1 with errno set. */
int timer_set(int timer, int milliseconds);
/*
 * Sleeps until something happens, or so many milliseconds have passed; -1: without end. The bell is
 * not read: a helper that reads it first could block the host.
 */
typedef enum { kEpollFailed, kEpollTime, kEpollRing, kEpollTimer, kEpollEnd } epoll_event_kind;
epoll_event_kind epoll_sleep(int epoll, int milliseconds);

/* ---- Processes ---- */

/* Whether this process may use more than one processor. */
bool can_use_processors(void);
/* The variables of this process. */
char **get_environment(void);
/* A file that can be read as soon as a process has ended; -1: the system has none. */
int process_file(pid_t process);
/* As far as the system tells. */
bool process_is_child_of(pid_t process, pid_t parent);
/* Whether only other threads of a child of that process run on, as far as the system tells. */
bool process_has_no_first_thread(pid_t process, pid_t parent);
/* Kills by such a file. False: it did not. */
bool process_file_kill(int file);

#endif /* TVM_FFI_ISOLATED_SYSTEM_H_ */

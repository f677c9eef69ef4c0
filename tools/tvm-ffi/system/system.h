/* SPDX-License-Identifier: Apache-2.0 */
/* What the tool needs of a system: a port implements these functions. posix.c and posix_*.c have
 * them for Linux, macOS and other systems with POSIX, windows.c for Windows; Meson compiles those
 * of one. Paths are UTF-8. */
#ifndef TVM_FFI_TOOL_SYSTEM_H_
#define TVM_FFI_TOOL_SYSTEM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- The clock ---- */

/* It never goes back. */
uint64_t clock_nanoseconds(void);

static inline double clock_seconds(void) {
  return (double)clock_nanoseconds() * 1e-9;
}

/* ---- What the system calls itself ---- */

/* Writes name, release and processor, "Linux 6.1.0 x86_64", cut to `out_size` bytes. False if the
 * system does not tell. */
bool description_write(char *out, size_t out_size);

/* The name of this machine in its network; empty if the system does not tell. */
void host_name_write(char *out, size_t out_size);

/* A number that other processes, on this machine or another, do not get. */
uint64_t random_number(void);

/* ---- Paths, libraries, folders and compilers ---- */

/* A folder below the one that a variable of the environment names. */
typedef struct {
  const char *variable, *folder;
} named_folder;

typedef struct {
  const char *path_separators; /* each of them ends a folder in a path; the first is preferred */
  bool has_drives;             /* a path may begin with a drive, "C:" */
  const char *runtime_library; /* the file name of libtvm_ffi */
  const char *library_suffix;  /* of libraries that are loaded */
  const char *cuda_driver;     /* the library of CUDA's driver */
  const char *libc;            /* as `check` calls it: "glibc", "musl"; NULL: not told */

  named_folder caches[2]; /* where files are kept that can be made again; the first one that is set
                             to an absolute path */

  const char *c_compiler, *cxx_compiler;
  const char *library_flags, *cuda_library_flags; /* of compilers, for code of a library */
  const char *archive_flags[2]; /* of compilers, before and after an archive of which all is linked;
                                   NULL: none */
  bool links_runtime; /* whether libraries must be linked with the runtime that they call */
} system_traits;

extern const system_traits kSystem;

/* ---- Places of files ---- */

/* Writes the absolute path of the program, with slashes. Symbolic links are followed, but not on
 * Windows, which looks for the libraries of the program beside the link. False if the system does
 * not tell, or it takes more than `out_size` bytes. */
bool own_program_find(char *out, size_t out_size);

/* Writes the path of the library that contains an address, as the loader found it. It is relative,
 * to the folder in which the process was started, if LD_LIBRARY_PATH has such folders. False if the
 * system does not tell, or it takes more than `out_size` bytes. */
bool loaded_path_find(const void *address, char *out, size_t out_size);

/* The folder of temporary files; lent until the next call. */
const char *temporary_folder(void);

/* ---- Files and folders: false or NULL leaves the reason in errno ---- */

typedef struct {
  bool is_regular, is_folder;
  bool is_characters;      /* a terminal, or a device such as /dev/null */
  uint64_t device, number; /* no two files that exist have the same */
  uint64_t size;
  int64_t written; /* when its contents were last written, in nanoseconds of file_clock() */
} file_status;

/* The file that a path leads to, through links. */
bool file_status_get(const char *path, file_status *out);
bool file_status_get_open(FILE *file, file_status *out);

/* Whether both are the same file. A pipe may be taken for another one. */
bool file_status_is_same(const file_status *a, const file_status *b);

/* The time now, as the system stamps files with it. */
int64_t file_clock(void);

bool file_exists(const char *path);
bool file_can_read(const char *path);
bool file_can_write(const char *path);
/* Whether files can be made in the folder. */
bool folder_can_write(const char *path);

/* Writes where a symbolic link leads to: a path that is absolute, or begins in the folder of the
 * link. False for all else, and if it is longer than `out_size` - 1 bytes. */
bool file_read_link(const char *path, char *out, size_t out_size);

/* The absolute path of a file that exists, without links; release with free(). */
char *file_resolve(const char *path);

/* Which symbolic links are followed to a file. */
typedef enum {
  kLinksFollowed,
  kLinksInFolder, /* those of the path to its folder: it is none itself */
  kLinksAbove     /* the folder is none either */
} file_links;

/* Opens a regular file for reading, and does not wait at a FIFO that may have its name by now.
 * ESPIPE: it is another kind of file. ELOOP: it or its folder is a symbolic link that is not
 * followed. */
FILE *file_open_regular(const char *path, file_links links);

/* Creates a file for writing; EEXIST if there is one. It gets the mode of the file `old`, and the
 * owner if the system allows it; NULL: those of any new file. */
FILE *file_create(const char *path, const char *old);

/* Gives a file another name, in the same folder. A file that has that name already is replaced at
 * once: others see the old file or the new one, and never none. */
bool file_rename(const char *path, const char *name);

/* Says that the file is in use: sets its times to now. Nothing happens if that is not allowed. */
void file_touch(const char *path);

/* Closes a file to other users, where files have modes. */
bool file_make_private(const char *path);

/* Makes a folder; EEXIST if there is one. A private one is closed to other users, where folders
 * have modes. */
bool folder_make(const char *path, bool is_private);
/* Whether nobody but this user, or its group, can make files in the folder. */
bool folder_is_own(const char *path);
/* Removes an empty folder. */
bool folder_remove(const char *path);

enum { kMemoryFilePath = 32 };

/* Creates a file in memory, and writes its path. It disappears with the processes that have it
 * open: this one, and copies of it. False if that does not work. */
bool memory_file_create(const void *bytes, size_t size, char out_path[kMemoryFilePath]);

/* ---- Memory ---- */

/* Functions return NULL or false, and set errno, when there is no memory left. */

/* Access is allowed or refused for whole pages of this size. */
size_t pages_size(void);

/* Pages that nobody may access; release with pages_release(). */
void *pages_reserve(size_t size);
/* Lets some of them be read and written. They are zeros the first time. */
bool pages_open(void *begin, size_t size);
/* Lets pages that were opened only be read, or not be accessed. They keep what they have. */
bool pages_open_read(void *begin, size_t size);
bool pages_close(void *begin, size_t size);
/* The same, and their memory goes back to the system: what they had is lost. */
bool pages_discard(void *begin, size_t size);
void pages_release(void *begin, size_t size);

/* Zeros that this process has in common with copies of it, where there can be copies; release with
 * pages_release(). */
void *pages_share(size_t size);

/* A block for a tensor; release with aligned_free(). */
void *aligned_block(size_t size, size_t alignment);
void aligned_free(void *block);

/* ---- Descriptors of open files ---- */

/* Those from 0 to 2 are stdin, stdout and stderr, of this program and of those that it starts. */

enum { kDescriptorInput, kDescriptorOutput, kDescriptorErrors };

/* Call it first in the program. No file opened later gets the number of a standard stream that the
 * caller closed, and with it the tool's output. Bytes are read and written as they are, also at the
 * ends of lines. */
void descriptors_prepare(void);

/* Duplicates a descriptor to a high number, which code that closes every low one is unlikely to
 * hit. Programs that are started do not inherit it. -1 on failure. */
int descriptor_copy(int descriptor);
/* A stream that writes to such a copy; NULL on failure. */
FILE *descriptor_copy_stream(int descriptor);

/* Makes `target` another number for what `source` stands for. */
void descriptor_replace(int target, int source);
/* Whoever reads stdin from now on finds its end. */
void descriptor_end_input(void);

/* These are for POSIX only. A pipe whose other end is closed, to write to or to read from; -1 if
 * there is none. Unlike /dev/null, every root has it. */
int descriptor_half_pipe(bool is_to_write);
/* What is written to stdout and stderr from now on is dropped. */
void descriptors_silence(void);
/* Reads to the end of what others write into a pipe. */
void descriptor_wait_for_end(int reader);

void descriptor_close(int descriptor);

/* Whether it is a terminal that obeys escape sequences. */
bool descriptor_is_terminal(int descriptor);

/* ---- Signals that end the program ---- */

/* By which others end it, and what is cleaned up before. On Windows: Ctrl-C, and a console window
 * that is closed. */

/* Calls `clean` before such a signal ends the program, as it would without. It may do only what is
 * safe in a signal handler. On Windows the program goes on meanwhile. There are up to kMaxCleans at
 * a time, of which the last is called first. */
enum { kMaxCleans = 4 };
void signals_catch(void (*clean)(void));
/* Undoes the last signals_catch(). */
void signals_restore(void);
/* Undoes all, in a copy of the process that cleans nothing up; not on Windows, which has none. */
void signals_restore_all(void);

/* Lets these signals wait until signals_unblock(), so that `clean` does not see what is half
 * done. */
void signals_block(void);
void signals_unblock(void);

/* Makes writing fail beyond a limit of the file size, instead of ending the program; with_pipes:
 * also to a pipe whose reader has gone. */
void signals_ignore_writes(bool with_pipes);
void signals_restore_writes(void);

/* ---- Accesses to memory that must not be accessed ---- */

/* Calls `look` with the address of such an access, which then ends the program as it would without.
 * It may do only what is safe in a signal handler. Call it once. */
void faults_watch(void (*look)(const void *address));

/* The next two are for POSIX only. */

/* While faults_watch() is on: an access to these pages, which nobody may access, calls `meet` in
 * its thread, and then takes place: `meet` opens the pages. NULL: no longer. `meet` may do only
 * what is safe in a signal handler, such as nap_in_handler(), which waits a millisecond. */
void faults_hold(const void *begin, size_t size, void (*meet)(void));
void nap_in_handler(void);

/* ---- Other programs ---- */

/* The file of the program that `name` runs, as the system finds it in PATH; release with free().
 * NULL if there is none. */
char *launch_find(const char *name);

typedef struct {
  int code;       /* the exit code, unless it was ended */
  char ended[64]; /* by what the program was ended: "signal 6"; empty: by itself */
} launch_end;

/* Runs a program to its end: the words of its command line, then NULL. It reads nothing, and all
 * that it prints goes to stderr. False with errno set if it cannot be run. */
bool launch_run(char *const *words, launch_end *out);

/* A program beside this one, which ends when nobody can ask it any more; for POSIX only. */
typedef struct {
  long process;
  int channel; /* its standard input and output */
} companion;

/* Starts it, and lets children of this process share its channel. What it prints to stderr is not
 * shown. False with errno set if it cannot be run. */
bool companion_start(char *const *words, companion *out);
/* Ends it; nothing if it was not started. */
void companion_end(companion *c);
/* False if it has ended. */
bool companion_write(const companion *c, const void *bytes, size_t size);
bool companion_read(const companion *c, void *out, size_t size);
/* Whether it has written something, or ended, within so many seconds. */
bool companion_wait(const companion *c, int seconds);

/* ---- The child process ---- */

/* Foreign code runs in it. There is one at a time. It does not outlive this process, nor do the
 * processes that it started, as far as the system can do that. */

/* Whether it is a copy of this process, or runs this program again. */
#ifdef _WIN32
#define PROCESSES_ARE_COPIED 0
#else
#define PROCESSES_ARE_COPIED 1
#endif

/* ---- The child process: what its parent calls ---- */

/* kChildHarmed: it has sent its parent a signal, or keeps that from answering. That is a process
 * between the two, which may have ended or stand still. */
typedef enum { kChildRuns, kChildStopped, kChildExited, kChildCrashed, kChildHarmed } child_state;

/* How it is with the child. *out_code is its exit code, or the number of its crash, or of the
 * signal to its parent, 0 if that got none. Once it has ended, or harmed that, do not look again.
 */
child_state child_look(int *out_code);
/* Waits until the child ends or prints, but not longer than that. */
void child_nap(int milliseconds);
/* Kills it, with the processes that it started; nothing if there is none. Safe in a
 * handler of signals_catch(). */
void child_kill(void);
/* After its end: kills it, if it is there still, and the processes of its group. */
void child_forget(void);
/* After that: ends the processes that it left behind, and shows what it had printed until then. */
void child_end_output(void);

/* What a crash is in words: "Segmentation fault"; lent until the next call. */
const char *child_crash_name(int code);
/* Ends this process in the same way if that was no crash: nobody reads the output any more, or
 * Ctrl-C was pressed. */
void child_end_alike(int code);

/* ---- The child process: what it calls itself ---- */

/* Ends a copy of the child that foreign code made: it returns from that code as well, and must not
 * go on. */
void child_end_strays(int exit_code);
/* Ends this process at once, without the destructors of libraries. */
void child_exit(int exit_code);

/* ---- The child process: a copy of this one, for POSIX only ---- */

/* Before child_fork(): a signal of the child to all processes of the user, by kill(-1, ...), calls
 * `look` and ends the child instead, where the system can do that; NULL: no longer. `look` may do
 * only what is safe in a signal handler. */
void child_guard_others(void (*look)(void));

typedef enum { kForkFailed, kForkParent, kForkChild } fork_side;

/* A child of this process that was there before, and is no orphan of a child. */
void child_spare(long process);

/* Copies this process; kForkFailed sets errno. While Ctrl-Z or the shell stops this process, the
 * child is stopped, too, and that time is added to *out_time_still, in nanoseconds, until
 * child_forget(). Call it between signals_block() and signals_unblock(), so that child_kill() never
 * misses it. A child that is one of many copies the process as it was at the first of them, which
 * is quicker, until child_end_keeper(), or another one. */
fork_side child_fork(volatile uint64_t *out_time_still, bool is_one_of_many);
/* Nothing if there were none of many. */
void child_end_keeper(void);

/* Before child_fork(): the first `most` bytes that the child prints after child_enter_output() are
 * shown on stderr, the others dropped. *out_showing, which the child can read, is not 0 meanwhile.
 * False with errno set if there is no pipe. */
bool child_cap_output(size_t most, volatile int *out_showing);
/* In the child; with_stdout: what goes to stdout is meant, too, and not only stderr. */
void child_enter_output(bool with_stdout);
/* In the child, after that: until what it has printed is shown, but not longer than some tenths of
 * a second in all. */
void child_wait_for_output(void);

/* ---- The child process: this program, run again, in windows.c only ---- */

/* Starts the child with the same command line and standard streams. Returns zeros that both
 * processes share until they end; NULL with the reason as text. */
void *child_restart(size_t shared_size, char *out_reason, size_t reason_size);

/* In such a child, the memory that it shares with its parent; NULL in other processes. Call it
 * once. From then on a crash shows no windows, and abort() ends the process as a crash does. */
void *child_find_shared(size_t shared_size);

/* ---- This program on another runtime ---- */

/* Starts this program again, with the same command line, in place of this process, so that all that
 * it links to libtvm_ffi is found in the library. Returns only if that does not work, with the
 * reason as text. */
void program_replace_runtime(const char *library, char *out_reason, size_t reason_size);
/* Whether the program was started so; programs that it starts are not. */
bool program_has_replaced_runtime(const char *library);

/* ---- Another program with a library preloaded ---- */

/* Runs a program: the words of its command line, then NULL. The library is loaded before others.
 * `variables` of the environment are names, each followed by its value, then NULL. Signals that are
 * sent to this process go to the program, which ends if this process is killed (on Linux). False
 * with the reason as text if it was not started; on macOS also if it ran without the library. */
bool program_run_preloaded(char *const *words, const char *library, const char *const *variables,
                           int *out_status, char *out_reason, size_t reason_size);
/* Ends this process as the program ended. */
void program_end_like(int status);
bool program_has_failed(int status);

/* ---- Texts of Windows: windows_text.c, which tests compile on all systems ---- */

/* A program of Windows gets its command line as one text, and takes it apart itself. This is the
 * text that CommandLineToArgvW and the C libraries take apart into these words, which end with
 * NULL. The first one, the program, has no ". Release with free(); NULL if memory runs out. */
char *command_line_write(char *const *words);

/* Whether a process with this exit code was ended by an exception, which takes the place of
 * signals. */
bool exception_is_code(uint32_t code);
/* "access violation"; lent until the next call. */
const char *exception_name(uint32_t code);

#endif /* TVM_FFI_TOOL_SYSTEM_H_ */

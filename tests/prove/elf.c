/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What reads ELF files: before they are loaded (c/platform/elf_checks.c), where each read of the
 * file may answer anything, and in memory (c/platform/elf_image.c).
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "prove.h"

#include <link.h>

static const char *promised_mapped(const ElfW(Phdr) * part);
#define check_mapped(file, part) promised_mapped(part)

#include "platform/elf_checks.c"

static const char *promised_mapped(const ElfW(Phdr) * part) {
  PROVE(is_part(part));
  return choose_bool() ? kCutOff : NULL;
}

/* ---- Files ---- */

static ElfW(Phdr) segments[3];

static size_t num_read;

/* What a segment is may differ from one read to the next: the file is written meanwhile. */
ssize_t pread(int descriptor, void *out, size_t size, off_t offset) {
  const size_t i = choose_up_to(2);
  (void)descriptor, (void)offset;
  if (choose_bool()) return (ssize_t)choose_up_to(size) - 1;
  if (size == sizeof segments[0]) *(ElfW(Phdr) *)out = segments[i];
  ++num_read;
  return (ssize_t)size;
}

static void choose_segments(void) {
  size_t i;
  for (i = 0; i < 3; ++i) {
    segments[i].p_type = (ElfW(Word))choose_u64();
    segments[i].p_flags = (ElfW(Word))choose_u64();
    segments[i].p_offset = choose_u64();
    segments[i].p_vaddr = choose_u64();
    segments[i].p_filesz = choose_u64();
    segments[i].p_memsz = choose_u64();
    segments[i].p_align = choose_u64();
  }
}

static elf_file choose_file(void) {
  elf_file file;
  memset(&file, 0, sizeof file);
  choose_segments();
  file.size = choose_u64();
  file.header.e_phoff = choose_u64();
  file.header.e_phnum = (ElfW(Half))choose_up_to(3);
  return file;
}

/* A segment lies in the file, behind the one before it, and does not wrap around. */
void prove_elf_check_loaded(void) {
  elf_file file = choose_file();
  const uint64_t before = choose_u64();
  uint64_t end = before;
  if (check_loaded(&file, &segments[0], &end) != NULL) {
    PROVE(end == before);
    return;
  }
  PROVE(segments[0].p_offset <= file.size &&
        segments[0].p_filesz <= file.size - segments[0].p_offset);
  PROVE(segments[0].p_vaddr >= before && end - segments[0].p_vaddr == segments[0].p_memsz);
  PROVE(end >= segments[0].p_vaddr && segments[0].p_filesz <= segments[0].p_memsz);
}

void prove_elf_check_mapped(void) {
  elf_file file = choose_file();
  ElfW(Phdr) part = segments[0];
  ASSUME(is_part(&part) && part.p_type != PT_GNU_RELRO);
  if (check_mapped_itself(&file, &part) == NULL) {
    PROVE(file.header.e_phnum > 0);
    PROVE(part.p_type != PT_PHDR || part.p_offset == file.header.e_phoff);
  }
}

/* As many segments as the header says, each of them as it was read. */
void prove_elf_check_segments(void) {
  elf_file file = choose_file();
  num_read = 0;
  if (check_segments(&file) == NULL) PROVE(num_read == 2 * (size_t)file.header.e_phnum);
}

void prove_elf_read_segment(void) {
  elf_file file = choose_file();
  ElfW(Phdr) segment;
  segment.p_type = 77;
  if (read_segment(&file, (unsigned)choose_up_to(UINT16_MAX), &segment) == NULL) {
    PROVE(file.header.e_phoff <= file.size);
  }
}

/* ---- Images ---- */

#include "platform/elf_image.c"

/* All bytes that are told lie in a segment that can be read. */
void prove_elf_bytes_at(void) {
  tvmffi_elf_image file;
  const uintptr_t address = (uintptr_t)choose_u64();
  size_t size;
  choose_segments();
  memset(&file, 0, sizeof file);
  file.base = (uintptr_t)choose_u64();
  file.segments = segments;
  file.num_segments = choose_up_to(3);
  size = tvmffi_elf_bytes_at(&file, address);
  if (size != 0) {
    const ElfW(Phdr) *segment = tvmffi_elf_find_segment(&file, address);
    PROVE(segment->p_type == PT_LOAD && (segment->p_flags & PF_R) != 0);
    PROVE(address - file.base - segment->p_vaddr + size == segment->p_memsz);
  }
}

/* Nothing outside the table is read, whatever it says. */
void prove_elf_gnu_hash(void) {
  uint32_t words[10];
  const size_t size = choose_up_to(10);
  size_t i, count;
  for (i = 0; i < 10; ++i) words[i] = (uint32_t)choose_up_to(UINT32_MAX);
  count = count_in_gnu_hash(words + 10 - size, size);
  if (size < 4) PROVE(count == 0);
  if (count != 0) PROVE(count > words[10 - size + 1]);
}

void prove_elf_name_at(void) {
  tvmffi_elf_symbols table;
  const size_t offset = choose_size();
  table.strings = "abc";
  table.strings_size = choose_up_to(4);
  PROVE(tvmffi_elf_name_at(&table, offset)[0] != 7);
}

# SPDX-License-Identifier: Apache-2.0
"""Each option of each command has an example in docs/reference/examples.md, which prints what is
shown there.

test_examples.py TVM-FFI PAGE BUILD MESON LIBSCALE SOURCE.c...

A chapter is a command, or the options that all commands have; a title in it names the options of
the example. One whose text says that it is not run, and why, is only checked to have commands."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
from tool import FILES, ISOLATED, good, install, run_tests, work_folder  # noqa: E402
from tutorials import INDENT, make_pattern, read_commands  # noqa: E402

PAGE, BUILD, MESON, *USED = FILES
NOT_RUN = re.compile(r"^Not run by the test: \S", re.MULTILINE)
COMMON = "Options of every command"


def split(text, level):
    """{title: text below it}, for headings of a level."""
    parts = re.split(rf"^{'#' * level} (.*)\n", text, flags=re.MULTILINE)
    assert len(set(parts[1::2])) == len(parts) // 2, f"a title is there twice: {parts[1::2]}"
    return dict(zip(parts[1::2], parts[2::2]))


def options_of_help():
    """{command: {option: its letter, or ""}}; options that all commands have are under COMMON."""
    options = {}
    for command in re.findall(r"^  (\S+) +\S", good("--help"), re.MULTILINE):
        found = re.findall(r"^ +(?:-(\S), )?--([\w-]+)(?:\[?=\S+)?(?=\s)", good(command, "--help"),
                           re.MULTILINE)
        options[command] = {name: letter for letter, name in found}
    common = set.intersection(*map(set, options.values()))
    options[COMMON] = {name: letter for name, letter in options["list"].items() if name in common}
    for command in options.keys() - {COMMON}:
        options[command] = {
            name: letter for name, letter in options[command].items() if name not in common
        }
    return {command: names for command, names in options.items() if names}


def uses(words, name, letter):
    return re.search(
        rf"\s--{re.escape(name)}(?=[\s=;)]|$)" + (rf"|\s-{letter}\s" if letter else ""), words)


def check_names(command, options, examples):
    """Examples are of options that exist, and use them; none is missing."""
    named = [name for title in examples for name in title.split(", ")]
    missing = [f"--{name}" for name in options if f"--{name}" not in named]
    assert not missing, f"{PAGE}: {command} has no example of {', '.join(missing)}"
    for title, text in examples.items():
        commands = [words for words, _ in read_commands(text.splitlines()) if "tvm-ffi " in words]
        for name in title.split(", "):
            assert name.removeprefix("--") in options, f"{PAGE}: {command} has no option {name}"
            letter = options[name.removeprefix("--")]
            assert any(uses(words, name.removeprefix("--"), letter) for words in commands), \
                f"{PAGE}: {command}: no command of the example uses {name}"


def run_chapter(command, chapter, environment):
    """Runs the commands in a new folder; returns how many there were."""
    folder, count = work_folder(), 0
    for path in USED:
        shutil.copy(path, folder)
    for title, text in split(chapter, 3).items():
        if NOT_RUN.search(text) or (title == "--isolated" and not ISOLATED):
            continue
        for words, expected in read_commands(text.splitlines()):
            done = subprocess.run(["sh", "-c", words], cwd=folder, text=True, check=False,
                                  env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            shown = "".join(f"{INDENT}{line}\n" for line in done.stdout.splitlines())
            assert done.returncode == 0, (f"{command} {title}: {words} ends with {done.returncode} "
                                          f"and prints\n{shown}")
            assert make_pattern(expected).fullmatch(done.stdout), \
                f"{command} {title}: {words} prints\n{shown}not what {PAGE} shows"
            count += 1
    return count


OPTIONS = options_of_help()
CHAPTERS = split(pathlib.Path(PAGE).read_text(encoding="utf-8"), 2)


class Examples(unittest.TestCase):
    def test_chapters(self):
        """There is one for each command, and one for the options that all have."""
        assert set(CHAPTERS) == set(
            OPTIONS), f"{PAGE} has the chapters {sorted(CHAPTERS)}, not {sorted(OPTIONS)}"

    def test_each_option_has_an_example(self):
        for command, chapter in CHAPTERS.items():
            with self.subTest(command):
                check_names(command, OPTIONS[command], split(chapter, 3))

    def test_what_is_printed(self):
        prefix, built = install(MESON, BUILD, work_folder().resolve())
        environment = {
            name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"
        }
        environment["PATH"] = f"{prefix / built['bindir']}:{environment['PATH']}"
        environment["XDG_CACHE_HOME"] = str(work_folder())
        count = 0
        for command, chapter in CHAPTERS.items():
            with self.subTest(command):
                count += run_chapter(command, chapter, environment)
        print(f"{count} commands of {sum(map(len, OPTIONS.values()))} options")


run_tests()

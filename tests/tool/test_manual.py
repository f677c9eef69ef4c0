# SPDX-License-Identifier: Apache-2.0
"""The man page and the shell completions have every command and option of the help.

test_manual.py TVM-FFI LIBSCALE"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from elf import Library
from tool import FILES, TOOL, USAGE, WINDOWS, bad, good, run_tests, work_folder

COMMANDS = re.findall(r"^  (\S+) +\S", good("--help"), re.MULTILINE)
OPTIONS = {
    command: re.findall(r"^ +(?:-(\S), )?--([\w-]+)(\[?=\S+)?(?=\s)", good(command, "--help"),
                        re.MULTILINE) for command in COMMANDS
}
assert "config" in COMMANDS and ("l", "lib", "=FILE") in OPTIONS["types"], OPTIONS
PAGE, BASH, ZSH, FISH = (good(f"--manual={form}") for form in ("man", "bash", "zsh", "fish"))


def parts(text, pattern):
    """{group of a match: text from that match to the next}"""
    pieces = re.split(pattern, text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2]))


CHOICES = [(command, letter, name, value[1:].split("|")) for command, options in OPTIONS.items()
           for letter, name, value in options if "|" in value]


def check(program, arguments, text):
    """The output of a program that checks a text; the program must succeed."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".1") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([program, *arguments, file.name], capture_output=True, text=True,
                              check=False,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
    assert done.returncode == 0 and done.stderr == "", (program, done)
    return done.stdout


SCALE = os.path.abspath(*FILES)
WORK = work_folder()
# A library may give functions any name; a shell must not run it.
ODD = Library().function("__tvm_ffi_$(touch ran)").function("__tvm_ffi_plain").write(WORK /
                                                                                     "odd name.so")


def run_shell(shell, *args):
    done = subprocess.run([shell, *args], capture_output=True, text=True, check=False, cwd=WORK,
                          env={**os.environ, "HOME": str(WORK)})
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout.split("\n")[:-1]


def complete(*words):
    """What bash offers for the last word."""
    script = BASH + f"""
complete -p {words[0].rpartition('/')[2]} > /dev/null || exit 9
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tvm_ffi
[[ ${{#COMPREPLY[@]}} -eq 0 ]] || printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    return run_shell("bash", "-c", script, "bash", *words)


class Manual(unittest.TestCase):
    def test_letters(self):
        """A letter stands for the same option in all commands that have it."""
        meant = {(letter, name)
                 for options in OPTIONS.values()
                 for letter, name, _ in options if letter}
        assert len(meant) == len({letter for letter, _ in meant}), sorted(meant)

    def test_forms(self):
        assert PAGE == good("--manual") == good("--manual", "man")
        bad(USAGE, '--manual must be man, markdown, bash, zsh or fish, not "pdf"', "--manual=pdf")

    def test_everything_in_the_help(self):
        """It is in the outputs."""
        page = parts(PAGE.split("\n.SH OPTIONS OF EVERY COMMAND\n")[0], r"^\.SS (\S+)$")
        common = PAGE.split("\n.SH OPTIONS OF EVERY COMMAND\n")[1].split("\n.SH ")[0]
        bash, zsh = parts(BASH, r"^    (\S+)\) options="), parts(ZSH, r"^    ([\w-]+)\)$")
        for commands in page, bash, zsh:
            assert list(commands)[:len(COMMANDS)] == COMMANDS, (list(commands), COMMANDS)
        for command, options in OPTIONS.items():
            assert (f"-a {command} -d" in FISH and re.search(rf"[' ]{command} ", BASH)
                    and f"'{command}[" in ZSH), command
            for letter, name, value in options:
                words = bash[command].split("'")[1].split()
                # --name[=VALUE] may stand alone, and its value is in the same word.
                is_optional = value.startswith("[")
                follows = "=" if value and not is_optional else ""
                assert (f"--{name}{follows}" in words
                        and (not letter or f"-{letter}" in words)), (command, name)
                assert f"--{name}{'=-' if is_optional else follows}[" in zsh[command], (command,
                                                                                        name)
                assert not is_optional or f"]::{name}: '" in zsh[command], (command, name)
                assert ("|" not in value
                        or f":{name}:({value[1:].replace('|', ' ')})'" in zsh[command]), (command,
                                                                                          name)
                assert not letter or f"-{letter}{'+' if value else ''}[" in zsh[command], (command,
                                                                                           name)
                short = f" -s {letter}" if letter else ""
                rest = " -r" if follows else ""
                if "|" in value:
                    rest = f" -x -a '{value[1:].replace('|', ' ')}'"
                rest = " -x -a '(__tvm_ffi_functions)'" if name == "function" else rest
                assert f"seen_subcommand_from {command}'{short} -l {name}{rest} -d" in FISH, (
                    command, name)
                man_name = "\\-\\-" + name.replace("-", "\\-") + "\\fR"
                shown = f"{follows}\\f{'B' if '|' in value else 'I'}{value[len(follows):]}"
                assert man_name + (shown if value else "") in page[command] + common, (command,
                                                                                       name)

    def test_markdown(self):
        """So it is in Markdown."""
        markdown = good("--manual=markdown")
        chapters = parts(markdown.split("\n## Options of every command\n")[0], r"^## (\S+)$")
        common = markdown.split("\n## Options of every command\n")[1]
        assert list(chapters) == COMMANDS, list(chapters)
        for command, options in OPTIONS.items():
            for letter, name, value in options:
                short = f"`-{letter}`, " if letter else ""
                row = f"| {short}`--{name}{value.replace('|', chr(92) + '|')}` | "
                assert row in chapters[command] + common, (command, row)
        for title in "Exit status", "Environment", "Files", "Examples":
            assert f"\n## {title}\n" in common and f"\n.SH {title.upper()}\n" in PAGE, title

    def test_choices_of_words(self):
        """They are checked."""
        assert {("list", "", "sort", ("name", "size")), ("run", "", "guard", ("end", "start")),
                ("embed", "", "format", ("c", "string", "c23", "incbin", "obj", "elf", "coff",
                                         "macho", "raw")),
                ("info", "", "color", ("auto", "always", "never")),
                ("stub", "", "lang", ("c", "c++", "python", "rust"))} <= {(*c[:3], tuple(c[3]))
                                                                          for c in CHOICES}, CHOICES
        for command, letter, name, words in CHOICES:
            said = f'--{name} must be {", ".join(words[:-1])} or {words[-1]}, not "{words[0]}-"'
            bad(USAGE, said, command, f"--{name}={words[0]}-")
            bad(USAGE, said, command, "--" + name, words[0] + "-")
            bad(USAGE, f"--{name} needs a value: {'|'.join(words)}", command, "--" + name)

    def test_usage_lines(self):
        assert good("info", "--help").startswith("usage: tvm-ffi info [OPTION...]\n")
        assert good("list", "--help").startswith("usage: tvm-ffi list [OPTION...] LIB...\n")
        assert not re.search(r"[ \t]$", "".join(good(command, "--help")
                                                for command in COMMANDS), re.MULTILINE)

    def test_names_of_options(self):
        """In these, - and _ are equivalent."""
        for command, given in (("bench", "--min_time=1"), ("bench",
                                                           "--min-time=1"), ("run", "--leak-check"),
                               ("run", "--leak_check"), ("run", "--output-max_element-count=1")):
            # The option is recognised if the error is about something else.
            bad(USAGE, "say which library", command, given)
        bad(USAGE, "--min+time is not an option of bench; did you mean --min_time?", "bench",
            "--min+time=1")

    def test_sections(self):
        for section in ("NAME", "SYNOPSIS", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES",
                        "EXAMPLES"):
            assert f"\n.SH {section}\n" in PAGE, section

    def test_programs_that_read_the_page(self):
        if shutil.which("man") and shutil.which("groff"):
            shown = " ".join(check("man", ["--warnings", "-l"], PAGE).split())
            assert ("tvm-ffi stub [OPTION...] LIB" in shown
                    and "$(tvm-ffi-config --cxxflags)" in shown), shown
            print("man shows the page")
        if shutil.which("mandoc"):
            # The page has no date, so that builds are reproducible; mandoc wants one, any will do.
            lint = check("mandoc", ["-Tlint", "-Wwarning"],
                         PAGE.replace(' 1 "" ', " 1 2026-01-01 "))
            assert lint == "", lint
            print("mandoc has nothing to say")
        for shell, text in (("zsh", ZSH), ("fish", FISH)):
            if shutil.which(shell):
                check(shell, ["-n"], text)
                print(shell, "parses it")

    def test_functions_of_a_library(self):
        assert good("list", "--names", SCALE) == "count\nscale\n"
        assert good("list", "--names", "--match=s*", SCALE, SCALE) == "scale\nscale\n"
        for other in "--json", "--load", "--undefined", "--bin":
            bad(USAGE, f"--names and {other} cannot be combined", "list", "--names", other, SCALE)

    def test_zsh(self):
        """It completes functions."""
        if shutil.which("zsh") and not WINDOWS:
            # The functions that are called for an operand, with what they call replaced.
            defined = ZSH.replace('\n_tvm_ffi "$@"\n', "")

            def complete_zsh(command, *given):
                script = f"""{defined}
compadd() {{ printf '%s\\n' "${{names[@]}}" }}
_files() {{ print FILES }}
program=$1 words=("${{@:2}}") CURRENT=$(( $# - 1 ))
_tvm_ffi_operands"""
                return run_shell("zsh", "-f", "-c", script, "zsh", TOOL, command, *given, "")

            assert complete_zsh("run", SCALE) == ["count", "scale"]
            assert complete_zsh("run", f"--module={SCALE}") == ["count", "scale"]
            assert complete_zsh("bench", SCALE) == ["count", "scale", "FILES"]
            assert complete_zsh("run") == complete_zsh("run", "missing.so") == ["FILES"]
            assert complete_zsh("run", "~/odd\\ name.so") == ["$(touch ran)", "plain"]
            print("zsh completes functions")

    def test_fish(self):
        """It completes functions."""
        if shutil.which("fish") and not WINDOWS:
            (WORK / "completion.fish").write_text(FISH, encoding="utf-8")

            def complete_fish(line):
                script = 'set PATH $argv[2] $PATH; source completion.fish; complete -C $argv[1]'
                return run_shell("fish", "--no-config", "-c", script, line, os.path.dirname(TOOL))

            assert {"count", "scale"} <= set(complete_fish(f"tvm-ffi run {SCALE} "))
            assert complete_fish(f"tvm-ffi bench {SCALE} s") == ["scale"]
            assert [line.split("\t")[0]
                    for line in complete_fish(f"tvm-ffi run {SCALE} -f ")] == ["count", "scale"]
            assert "scale" not in complete_fish(f"tvm-ffi stub {SCALE} ") + complete_fish(
                "tvm-ffi run ")
            print("fish completes functions")
        if WINDOWS or not shutil.which("bash"):
            self.skipTest("bash would run the tool by its name")

    def test_bash(self):
        assert complete("tvm-ffi", "") == [*COMMANDS, "--help", "--version"]
        assert complete("tvm-ffi", "re") == [name for name in COMMANDS if name.startswith("re")]
        assert complete("tvm-ffi", "types", "--m") == ["--match="]
        assert complete("/usr/bin/tvm-ffi", "types", "-l", "--lib") == ["--lib="]
        for command, options in OPTIONS.items():
            offered = complete("tvm-ffi", command, "-")
            assert {f"--{name}{value[:1].replace('[', '')}"
                    for _, name, value in options} <= set(offered), (command, offered)
        for command, letter, name, words in CHOICES:
            for given in ["--" + name], ["-" + letter]:
                if given != ["-"]:
                    assert complete("tvm-ffi", command, *given, "") == words, (command, given)
            assert complete("tvm-ffi", command, "--" + name, "=") == words, (command, name)
            assert complete("tvm-ffi", command, "--" + name, "=",
                            words[1]) == [w for w in words if w.startswith(words[1])]
        assert complete("tvm-ffi-config", "--color", "=", "a") == ["auto", "always"]
        assert complete("tvm-ffi-config", "--cm") == ["--cmakedir"]
        assert complete("tvm-ffi", "nonsense", "-") == []
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a file.so", "other.so"):
                with open(f"{folder}/{name}", "w", encoding="utf-8"):
                    pass
            assert complete("tvm-ffi", "stub", f"{folder}/a") == [f"{folder}/a file.so"]
            assert complete("tvm-ffi", "types", "--lib", "=",
                            f"{folder}/o") == [f"{folder}/other.so"]

    def test_functions_in_bash(self):
        if WINDOWS or not shutil.which("bash"):
            self.skipTest("bash would run the tool by its name")
        assert complete(TOOL, "run", SCALE, "") == complete(
            TOOL, "run", SCALE, "--print_statistics", "") == ["count", "scale"]
        assert complete(TOOL, "run", SCALE, "s") == complete(TOOL, "run", SCALE, "'s") == ["scale"]
        assert complete(TOOL, "run", "--module", "=", SCALE, "-f", "c") == ["count"]
        assert complete(TOOL, "bench", SCALE, "--function", "=", "") == ["count", "scale"]
        assert sorted(complete(TOOL, "bench", SCALE,
                               "")) == sorted(["count", "scale", *os.listdir(WORK)])
        assert complete(TOOL, "run", SCALE, "nothing") == complete(TOOL, "stub", SCALE,
                                                                   "nothing") == []
        for before in "-i", "--output":
            assert "scale" not in complete(TOOL, "run", SCALE, before, ""), before
        assert complete(TOOL, "run", "~/odd\\ name.so", "") == complete(
            TOOL, "run", '"odd name.so"', "") == ["plain"]
        assert "ran" not in os.listdir(WORK)
        print("bash completes")


run_tests()

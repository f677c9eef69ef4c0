#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prove up to a bound, by CBMC, what prove.txt lists, and that each proof refuses its mutant.

    prove.py [NAME...] [--jobs N] [--seconds N] [--record] [--mutants-of N]
    prove.py --native NAME [--mutant]

Without a name all are tried. A line is printed for each, and the counterexample if it fails.
--mutants-of leaves out the mutants of proofs whose files none of the last N commits has changed: a
mutant shows that the proof still looks at them.
--record writes the table of docs/robustness.md. --native finds a counterexample and runs it as a
program by clang's sanitizers; with --mutant, that of the proof's mutant.

Exit codes: 0: all holds; 1: something does not; 77: there is no CBMC here (the reason is printed).
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
WORK = ROOT / "build-prove"
PAGE = ROOT / "docs/robustness.md"
SECONDS = [60]  # of a processor that one proof may take, several times what the longest takes

INCLUDED = ["", "c", "include", "isolated", "tools/tvm-ffi", "tests", "tests/prove",
            "subprojects/dlpack/include"]
DEFINED = ["TVMFFI_PROFILE_FULL", *(f"TVM_FFI_{name}=1" for name in (
    "THREADS", "LOADING", "ELF_TABLES", "LOCAL_RUNTIME", "STACK_BOUNDS", "BACKTRACE"))]
# CBMC 6 checks bounds, pointers, divisions and signed arithmetic by default, and that each loop
# ends within its bound.
CHECKS = ["--drop-unused-functions", "--object-bits", "10", "--signed-overflow-check",
          "--undefined-shift-check", "--pointer-overflow-check", "--memory-leak-check"]
LOOPS = 12  # that a function may have, counting macros as TVM_FFI_C_TRY
KEYS = ("says", "up to", "unwind", "flags", "mutant", "left")
TITLE = "| proof | what holds | for |\n|---|---|---|\n"


class Wrong(Exception):
    """prove.txt, or what it names, is not as it should be."""


class Proof:
    def __init__(self, name, source, replaced):
        self.name, self.source, self.replaced, self.words = name, source, replaced, {}

    def __getattr__(self, key):
        return self.words.get(key.replace("_", " "), "")


def read_proofs():
    """The proofs of prove.txt, in its order."""
    proofs, source, replaced = [], None, []
    for line in (FOLDER / "prove.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("    "):
            words[key] += " " + line.strip()
        elif line.startswith("  "):
            key = next((key for key in KEYS if line.strip().startswith(key + " ")), None)
            if key is None or not proofs:
                raise Wrong(f"prove.txt: expected one of {', '.join(KEYS)}: {line}")
            words = proofs[-1].words
            words[key] = (words.get(key, "") + " " + line.strip()[len(key):].strip()).strip()
        elif line.endswith(".c"):
            source, replaced = line, []
        elif line.startswith("replace "):
            replaced.append(line[len("replace "):])
        else:
            proofs.append(Proof(line, source, replaced))
    for proof in proofs:
        lacking = [key for key in (("says",) if proof.left else ("says", "up to", "mutant"))
                   if not proof.words.get(key)]
        if lacking:
            raise Wrong(f"prove.txt: {proof.name} does not say: {', '.join(lacking)}")
    written = re.findall(r"^void prove_(\w+)\(void\) \{", "".join(
        path.read_text(encoding="utf-8") for path in FOLDER.glob("*.c")), re.M)
    listed = [proof.name for proof in proofs if not proof.left]
    if sorted(listed) != sorted(written):
        raise Wrong("only in prove.txt, or only in the sources: "
                    + " ".join(sorted(set(listed) ^ set(written))))
    return proofs


def find_cbmc():
    """CBMC 6 of this machine, or of a newer Debian, which is fetched once."""
    def version(program):
        done = subprocess.run([program, "--version"], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        found = re.match(r"(\d+)\.", done.stdout)
        return int(found[1]) if found else 0

    program = shutil.which("cbmc")
    if program and version(program) >= 6:
        return program
    fetched = WORK / "cbmc/cbmc"
    if fetched.exists() and version(str(fetched)) >= 6:
        return str(fetched)
    if not shutil.which("apt-get"):
        print("CBMC 6 is not installed, and there is no apt-get to fetch it")
        sys.exit(77)
    WORK.mkdir(exist_ok=True)
    done = subprocess.run([ROOT / "tools/ci/fetch_cbmc.sh", fetched.parent], text=True,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 0:
        return str(fetched)
    print(f"CBMC 6 is not installed, and cannot be fetched: {last_line(done.stdout)}")
    sys.exit(77)


def last_line(text):
    return text.strip().rpartition("\n")[2]


def changed_once(text, old, new, where):
    if text.count(old) != 1:
        raise Wrong(f"prove.txt: {where} has `{old}` {text.count(old)} times, not once")
    return text.replace(old, new)


def make_sources(proof, mutated):
    """The folder with the sources that a proof changes, as in the folder of the project; None: it
    changes none."""
    texts = {}
    for line in proof.replaced:
        path, _, names = line.partition(": ")
        text = texts.get(path) or (ROOT / path).read_text(encoding="utf-8")
        for name in names.split():
            # In parentheses, a name is no macro of the proof.
            text, count = re.subn(rf"^([\w *]*\b){name}(\([^;{{}}]*\)) \{{$",
                                  rf"\1({name})\2;\n\1{name}_itself\2 {{", text, flags=re.M)
            if count != 1:
                raise Wrong(f"prove.txt: {path} defines {name} {count} times, not once")
        texts[path] = text
    if mutated:
        found = re.fullmatch(r"(\S+): (.+?) =>(?: (.*))?", proof.mutant)
        if not found:
            raise Wrong(f"prove.txt: the mutant of {proof.name} is not FILE: OLD => NEW")
        path, old, new = ((group or "").replace("\\n", "\n") for group in found.groups())
        text = texts.get(path) or (ROOT / path).read_text(encoding="utf-8")
        texts[path] = changed_once(text, old, new, path)
    folder = WORK / ("mutants" if mutated else "sources") / proof.name
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder if texts else None


def compiler_words(changed):
    """What a compiler needs to know."""
    folders = [base / name for base in ([changed] if changed else []) + [ROOT] for name in INCLUDED]
    return [*(f"-I{folder}" for folder in folders), *(f"-D{name}" for name in DEFINED)]


def run_cbmc(cbmc, proof, changed, *more):
    """Whether a proof holds (None: it is not known), what CBMC says, and the seconds it took."""
    loops = ",".join(f"{function}.{number}:{rounds}" for function, _, rounds in (
        word.partition(":") for word in proof.unwind.split()) for number in range(LOOPS))
    command = [cbmc, FOLDER / proof.source, "--function", f"prove_{proof.name}", *CHECKS,
               *compiler_words(changed), *(["--unwindset", loops] if loops else []),
               *proof.flags.split(), *more]
    limit = SECONDS[0]

    def limit_processor():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          preexec_fn=limit_processor) as process:
        text = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = used.ru_utime + used.ru_stime
    if process.returncode < 0:
        text += f"it takes more than {limit} s\n"
    ends = {0: True, 10: False}
    return ends.get(process.returncode), text, seconds


def recently_changed(num_commits):
    """The files that the last commits and what is not committed changed; None without a history."""
    found = set()
    for command in (["log", f"-{num_commits}", "--name-only", "--format="],
                    ["diff", "--name-only", "HEAD"]):
        done = subprocess.run(["git", "-C", ROOT, *command], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            return None
        found.update(done.stdout.split())
    return found


def is_changed(proof, changed):
    """Whether a proof's source, or a file that it or its mutant replaces, is among those that
    changed (None: all did)."""
    files = {line.partition(":")[0] for line in [proof.mutant, *proof.replaced]}
    files.add(str((FOLDER / proof.source).relative_to(ROOT)))
    return changed is None or not files.isdisjoint(changed)


def try_proof(cbmc, proof, with_mutant):
    """None, or why a proof or its mutant is not as it should be; and a line that says what is."""
    holds, text, seconds = run_cbmc(cbmc, proof, make_sources(proof, False))
    if holds is None:
        lines = [line for line in text.splitlines() if not line.startswith("loop identifier")]
        return "\n".join(lines[-15:]), ""
    if not holds:
        failed = [line for line in text.splitlines() if line.endswith(": FAILURE")]
        return f"{len(failed)} checks fail\n" + "\n".join(failed), ""
    checks = re.search(r"\*\* 0 of (\d+) failed", text)
    if not with_mutant:
        return None, f"{checks[1]} checks in {seconds:.1f} s"
    # Of a loop that the mutant makes longer, the first rounds are enough.
    refuted, text, more = run_cbmc(cbmc, proof, make_sources(proof, True),
                                   "--no-unwinding-assertions", "--stop-on-fail")
    if refuted is not False:
        return f"it does not refuse its mutant: {proof.mutant}\n" + "\n".join(
            text.splitlines()[-5:]), ""
    found = re.search(r"Violated property:\n(?:.*\n){1,2}  (.+)", text)
    return None, (f"{checks[1]} checks in {seconds:.1f} s; its mutant in {more:.1f} s: "
                  f"{found[1] if found else 'refused'}")


def run_native(cbmc, proof, mutated):
    """Run the counterexample of a proof, or of its mutant, by clang's sanitizers."""
    folder = make_sources(proof, mutated)
    holds, text, _ = run_cbmc(cbmc, proof, folder, "--trace", "--stop-on-fail")
    if holds is not False:
        print(f"{proof.name}: there is no counterexample")
        return 1
    print("\n".join(text.splitlines()[-8:]))
    choices = re.findall(r"^  prove_chosen=(\d+)", text, re.M)
    program = WORK / f"native-{proof.name}"
    main = program.with_suffix(".c")
    main.write_text(f'#include "{proof.source}"\nint main(void) {{\n  prove_{proof.name}();\n'
                    "  return 0;\n}\n", encoding="utf-8")
    subprocess.run(["clang", "-g", "-O0", "-w", "-fsanitize=address,undefined",
                    "-fno-sanitize-recover=all", "-ffunction-sections", "-Wl,--gc-sections",
                    *compiler_words(folder), main, "-o", program], check=True)
    print(f"{len(choices)} choices: {' '.join(choices)}")
    done = subprocess.run([program], input="\n".join(choices), text=True, check=False)
    print(f"exit code {done.returncode}")
    return done.returncode


def make_table(proofs):
    rows = []
    for proof in proofs:
        bound = f"not proved: {proof.left}" if proof.left else proof.up_to
        rows.append(f"| `{proof.source[:-2]}` `{proof.name}` | {proof.says} | {bound} |\n")
    return TITLE + "".join(rows)


def find_table(text):
    start = text.index(TITLE)
    return start, start + len(TITLE) + re.match(r"(?:\|.*\n)*", text[start + len(TITLE):]).end()


def main():
    parser = argparse.ArgumentParser(description="prove what prove.txt lists")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--native", action="store_true")
    parser.add_argument("--mutant", action="store_true")
    parser.add_argument("--seconds", type=int, default=SECONDS[0])
    parser.add_argument("--mutants-of", type=int, metavar="N")
    asked = parser.parse_args()
    SECONDS[0] = asked.seconds
    proofs = read_proofs()
    text = PAGE.read_text(encoding="utf-8")
    start, end = find_table(text)
    if asked.record:
        PAGE.write_text(text[:start] + make_table(proofs) + text[end:], encoding="utf-8")
        return 0
    unknown = set(asked.names) - {proof.name for proof in proofs}
    if unknown:
        raise Wrong(f"there is no proof named {' '.join(sorted(unknown))}")
    chosen = [proof for proof in proofs if not asked.names or proof.name in asked.names]
    cbmc = find_cbmc()
    if asked.native:
        return max([run_native(cbmc, proof, asked.mutant) for proof in chosen], default=0)
    changed = recently_changed(asked.mutants_of) if asked.mutants_of else None
    num_failed = 0
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        tried = [(proof, pool.submit(try_proof, cbmc, proof, is_changed(proof, changed)))
                 for proof in chosen if not proof.left]
        for proof, result in tried:
            why, said = result.result()
            num_failed += why is not None
            print(f"{'ok' if why is None else 'FAILED'} {proof.name}: "
                  + (said or why).replace("\n", "\n  "), flush=True)
    if not asked.names:
        same = text[start:end] == make_table(proofs)
        num_failed += not same
        print(f"{'ok' if same else 'FAILED'} table: docs/robustness.md has {len(proofs)} rows"
              + ("" if same else ", and others than prove.txt (--record writes them)"))
    print(f"{len(tried)} proofs, {num_failed} failed")
    return int(num_failed > 0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as error:
        sys.exit(f"{error}")

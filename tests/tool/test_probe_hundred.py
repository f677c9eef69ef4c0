# SPDX-License-Identifier: Apache-2.0
"""The score of probe: of 180 kernels with one fault each it finds nearly all, in the row that
is for it, and it has nothing against fifty right ones.

test_probe_hundred.py TVM-FFI KERNELS"""
import json
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from tool import CHECK, COMMAND, FILES, OK, not_sanitized, patience, run_tests

KERNELS, = FILES
FORM = "NAME(4x3xf32=rand, 2.5, &4x3xf32)"
AGAINST = f"--against={KERNELS}:right_scale"

# For each fault the row that finds it; with another call or a reference, these.
FAULTS = {
    "no_contiguous": "strided", "no_dtype": "dtype", "compares_dtypes": "dtype",
    "compares_devices": "device", "no_device": "device", "compares_dims": "more-dims",
    "no_data": "null", "no_shape": "unequal", "no_count": "extra", "only_bits": "dtype",
    "only_code": "dtype", "no_lanes": "dtype", "only_not_cuda": "device",
    "at_least_two_dims": "more-dims", "skips_pinned": "pinned", "skips_managed": "managed",
    "skips_views": "view", "no_type": "type", 
    "does_nothing_without_y": "missing", "does_not_name": "named", "no_offset": "offset",
    "no_offset_of_output": "offset", "rounds_addresses": "misaligned",
    "needs_alignment": "misaligned", "leading_dimension": "transposed",
    "unsigned_strides": "negative", "stride_0_is_packed": "broadcast", "uses_stride_of_1": "unit",
    "reads_behind": "page-end", "reads_before": "page-begin", "reads_vectors": "page-end",
    "writes_input_back": "read-only", "writes_behind": "page-end", "divides_by_extent": "extent-0",
    "do_while": "extent-0", "begins_at_1": "extent-1", "int_extent": "huge", "int_product": "huge",
    "short_extent": "huge", "counts": "repeat", "reads_stack": "repeat", "reads_heap": "repeat",
    "static_buffer": "threads", "static_sum": "threads", "unchecked_tensor": "allocator",
    "unchecked_text": "allocator", "leaks_text": "objects", "leaks_tensor": "objects",
    "leaks_error": "objects", "leaks_reference": "objects", "releases_argument": "objects",
    "leaks_descriptor": "descriptors", "leaks_malloc": "memory", "leaks_large_malloc": "memory",
    "leaks_mapping": "mappings", "leaks_malloc_on_error": "refusals",
    "leaks_descriptor_on_error": "refusals", "leaks_mapping_on_error": "refusals",
    "leaks_object_on_error": "refusals", "keeps_lock_on_error": "refusals",
    "writes_before_refusal": "refusals", "keeps_first_size": "sequence",
    "keeps_largest": "sequence", "keeps_first_value": "sequence", "sets_rounding": "rounding",
    "flushes_to_zero": "rounding", "enables_traps": "rounding", "sets_locale": "locale",
    "sets_handler": "signals", "blocks_signals": "signals", "changes_folder": "environment",
    "sets_variable": "environment", "sets_umask": "environment", "pins_thread": "environment",
    "starts_timer": "environment", "leaves_child": "processes", "leaves_daemon": "processes",
    "prints_text": "prints", "closes_input": "descriptors", "closes_all": "descriptors",
    "exits_on_small": "extent-1", "fails_without_error": "extent-1", "changes_input": "extent-1",
    "changes_input_always": "mutates", "hangs_on_empty": "extent-0", "adds": "dirty",
    "leaves_last": "dirty", "takes_maximum": "dirty", "times_beta": "dirty",
    "skips_zeros": "dirty", "rest_of_4": "lengths", "rest_of_32": "lengths",
    "at_most_1000": "lengths", "wraps_at_32768": "lengths", "swaps_for_wide": "lengths",
    "nan_is_0": "values", "clamps": "values", "squares_overflow": "values",
    "wrong_from_the_start": "given", "divides_by_0": "scalars", "int_parameter": "scalars",
    "reads_float_bits": "scalars", "index_too_low": "indices", "index_too_high": "indices",
    "reverses_in_place": "alias", "shifts_in_place": "alias", "wrong_float64": "dtypes",
    "remembers_pointer": "sequence", "caches_by_address": "sequence",
    "caches_by_shape": "sequence", "needs_errno_0": "repeat", "needs_no_flags": "repeat",
    "main_thread_only": "threads", "leaves_thread": "processes", "lowers_priority": "environment",
    "leaves_file": "environment", "frees_twice_on_error": "none", "needs_dims": "fewer-dims",
    "half_contiguous": "broadcast", "product_contiguous": "strided", "stack_array": "huge",
    "leaves_small": "lengths", "endless_on_inf": "values", "flushes_tiny": "values",
    "signed_index": "indices", "cuts_text": "texts", "needs_text": "texts",
    "copies_text": "texts", "short_shape": "lists", "result_in_static": "sequence",
    "array_size": "lists", "array_type": "none", "array_offset": "offset",
    "array_dtype": "dtype", "keeps_array": "objects", "map_type": "dtype", "map_offset": "offset",
    "map_adds": "dirty", "map_rest": "lengths", "rounds_on_error": "unequal",
    "blocks_if_empty": "extent-0", "sets_plain_locale": "locale", "moves_stdout": "environment",
    "clears_strides": "given", "changes_extent": "extent-1", "array_unretained": "lists",
    "view_unheld": "given", "caches_largest": "sequence", "caches_factor": "sequence",
    "caches_text": "sequence", "row_too_low": "scalars", "prints_by_text": "texts",
    "four_extents": "lists", "inner_array": "lists", "map_key": "lists",
    "softmax_of_half": "values", "double_by_float": "dtypes", "peels_head": "misaligned",
    "needs_strides": "view", "compares_addresses": "alias", "four_dims": "more-dims",
    "pool_odd": "lengths", "each_16th": "repeat", "takes_no_output": "none",
    "keeps_short_file": "refusals", "warns_of_nan": "prints", "prints_refusal": "prints",
    "item_kept": "objects", "item_kept_on_error": "refusals", "element_kept": "objects",
    "keeps_lock_on_number": "refusals:1:-1", "leaks_malloc_on_number": "refusals",
    "keeps_lock_on_text": "refusals:0:empty", "caches_by_count": "sequence",
    "caches_by_rows": "sequence", "caches_type": "sequence", "unsigned_product": "huge",
    "unsigned_plane": "huge", "short_blocks": "huge", "copies_by_order": "order",
    "flushes_halves": "values", "plain_softmax": "values",
    "sums_rows": "fewer-dims", "sums_by_double": "values", "loses_last": "lengths",
    "nan_only_first": "values", "bias_of_any_dims": "more-dims",
    "caches_by_ends": "sequence", "zeros_if_threads_fail": "allocator",
    "needs_bias": "optional", "returns_argument": "scalars", "int_as_float": "lists",
}  # yapf: disable
INDEXED = "NAME(4x3xf32=rand, 3xi32=5 1 2, &3xf32)"
PAIR = "NAME(4x3xf32=rand, &4x3xf32)"
POOL = "NAME(4x3xf32=rand, &2x3xf32)"
ARRAY = "NAME([4x3xf32=rand, f32=5])"
MAP = "NAME({x: 4x3xf32=rand, y: &4x3xf32})"
NAMED = 'NAME({name: "a text that is too long to be stored in the value"}, 2.5)'
BOOLS = "NAME(4xbool=1 0 1 1)"
HALVES = "NAME(5xf16=0.5 1 -2 3.25 100, &5xf32)"
LARGEST = "NAME(4x3xf32=rand, &4xf32)"
TURNED = "NAME(4x3xf32=rand, &3x4xf32)"
BIAS = "NAME(4x3xf32=rand, 3xf32=rand, &4x3xf32)"
NUMBERS = "NAME([1.5, 2.5])"
PLANES = "NAME(2x4x3xf32=rand, &2x4x3xf32)"
CALLS = {
    "divides_by_0": "NAME(7, 2)", "right_divide": "NAME(7, 2)", "int_parameter": "NAME(5)",
    "reads_float_bits": "NAME(1.5)", "index_too_low": INDEXED, "index_too_high": INDEXED,
    "right_gather": INDEXED, "wrong_float64": PAIR, "right_double": PAIR,
    "right_matmul": "NAME(4x3xf32=rand, 3x5xf32=rand, &4x5xf32)", "right_softmax": PAIR,
    "right_in_place": "NAME(&4x3xf32=rand, 2.5)", "right_text": 'NAME(s:"text")',
    "right_new": "NAME(4x3xf32=rand)", "result_in_static": "NAME(4x3xf32=rand)",
    "loses_last": "NAME(4x3xf32=rand)", "nan_only_first": LARGEST, "right_largest": LARGEST,
    "right_over": TURNED, "right_transpose": TURNED, "bias_of_any_dims": BIAS,
    "needs_bias": BIAS, "right_bias": BIAS, "returns_argument": "NAME(4x3xf32=rand, 2.5)",
    "int_as_float": NUMBERS, "right_numbers": NUMBERS, "right_mode": 'NAME(2.5, "sum")',
    "right_first_two": NUMBERS,
    "signed_index": "NAME(3xu8=5 1 2, 12xu8=rand)", "cuts_text": 'NAME(s:"text")',
    "needs_text": 'NAME(s:"text")', "copies_text": 'NAME(s:"text")',
    "short_shape": "NAME(shape:[2, 3])", "array_size": ARRAY, "array_type": ARRAY,
    "array_offset": ARRAY, "array_dtype": ARRAY, "keeps_array": ARRAY, "right_array": ARRAY,
    "right_given": ARRAY,
    "array_unretained": ARRAY, "view_unheld": "NAME(4x3xf32=rand)",
    "caches_text": 'NAME("a longer text")', "row_too_low": "NAME(4x3xf32=rand, 2)",
    "prints_by_text": 'NAME(s:"text")', "four_extents": "NAME(shape:[2, 3])",
    "inner_array": "NAME([[1, 2], [3]])", "map_key": MAP, "softmax_of_half": PAIR,
    "double_by_float": PAIR, "pool_odd": POOL, "right_pool": POOL,
    "right_until_negative": "NAME(4x3xf32=1 2 3 4 5 6 7 8 9 10 11 12, 2.5, &4x3xf32)",
    "keeps_short_file": 'NAME("/dev/zero")',
    "item_kept": NAMED, "item_kept_on_error": NAMED, "right_item": NAMED, "element_kept": ARRAY,
    "keeps_lock_on_text": 'NAME(s:"text")', "caches_type": PAIR, "right_types": PAIR,
    "unsigned_plane": PLANES, "right_planes": PLANES, "flushes_halves": HALVES,
    "right_halves": HALVES, "right_wide_mean": "NAME(4x3xf32=rand)",
    "sums_rows": "NAME(4x3xf32=rand, &4xf32)", "sums_by_double": "NAME(6xi64=1 2 3 4 5 6)",
    "right_integers": "NAME(6xi64=1 2 3 4 5 6)",
    "right_sign_of_zero": PAIR, "right_bytes": BOOLS, "right_bools": BOOLS, "plain_softmax": PAIR,
    "map_type": MAP, "map_offset": MAP, "map_adds": MAP, "map_rest": MAP, "right_map": MAP,
}  # yapf: disable
# Others than right_scale, and right_map for those with a map.
REFERENCES = {"wrong_float64": "right_double", "double_by_float": "right_double",
              "softmax_of_half": "right_softmax", "pool_odd": "right_pool",
              "flushes_halves": "right_halves", "plain_softmax": "right_softmax",
              "sums_by_double": "right_integers", "loses_last": "right_new",
              "nan_only_first": "right_largest"}
TYPES = {"abs64": "f64", "exp64": "f64", "copy64": "f64", "sin64": "f64", "increment": "i32",
         "parity": "i32", "shift64": "i64", "invert": "u8", "min64": "f64", "sum64": "f64",
         "any": "u8"}  # yapf: disable
MAPS = ("relu abs copy negate square sqrt exp constant sigmoid clamp abs64 exp64 copy64 sin64 "
        "increment parity shift64 invert").split()
REDUCED = "sum mean norm max min64 sum64 any".split()
# That no row finds: files are not looked for; a reference may flush tiny numbers as well; and a
# small array has room, in which the elements that are missing are None.
MISSED = {"leaves_file", "flushes_tiny", "array_size"}
# Those with x, s and y.
SCALED = ("scale threads strided lock buffer file cache tensor rounding child log positive table "
          "product even").split()


def right_calls():
    """All calls of right kernels: fifty."""
    calls = {f"right_{name}": FORM for name in SCALED}
    for name in MAPS + REDUCED:
        dtype = TYPES.get(name, "f32")
        values = "rand" if dtype[0] == "f" else "1 0 3 4 7 5 6 2 9 8 11 12"
        output = f", &4x3x{dtype}" if name in MAPS else ""
        calls[f"right_{name}"] = f"NAME(4x3x{dtype}={values}{output})"
    calls.update({name: form for name, form in CALLS.items() if name.startswith("right")})
    # The same with another number of dimensions, or other values.
    for name, form in list(calls.items()):
        if name.removeprefix("right_") in MAPS[:8]:
            calls[name + " "] = form.replace("4x3x", "7x")
    return calls


def probe(name, form, *options):
    """What failed; None if the system cannot judge it, as without counts of malloc."""
    done = subprocess.run(
        [*COMMAND, "probe", KERNELS, form.replace("NAME", name.strip()), "--json",
         *options], capture_output=True, text=True, check=False)
    assert done.returncode in (OK, CHECK), (name, done)
    found = json.loads(done.stdout)
    if "error" in found: # of the call as it was given
        return {"": found["error"]}
    if found["left_out"] > 0 and found["passed"] + found["failed"] == 0:
        return None
    return {call["name"]: call["detail"] for call in found["calls"] if call["verdict"] == "failed"}


COUNTS_HEAP = probe("right_scale", FORM, "--only=memory") is not None


def run_all(jobs):
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(jobs, pool.map(lambda job: probe(job, *jobs[job]), jobs)))


def names_of_faults():
    listed = subprocess.run([*COMMAND, "list", "--names", KERNELS], capture_output=True, text=True,
                            check=True).stdout.split()
    return [name for name in listed if not name.startswith("right_")]


class Hundred(unittest.TestCase):
    def test_faults(self):
        """At least 98 of a hundred, each in its row."""
        jobs = {}
        for name in set(names_of_faults()) - MISSED:
            row, reference = FAULTS[name], AGAINST
            if name.startswith("map") or name in REFERENCES:
                reference = f"--against={KERNELS}:{REFERENCES.get(name, 'right_map')}"
            options = [f"--only={row}", f"--timeout={patience(2)}"]
            options += [reference] if row in ("given", "lengths", "values", "dtypes") else []
            jobs[name] = (CALLS.get(name, FORM), *options)
        judged = {name: wrong for name, wrong in run_all(jobs).items() if wrong is not None}
        missed = [name for name, wrong in judged.items() if not wrong]
        print(f"found {len(judged) - len(missed)} of {len(judged)}; missed {missed}")
        if not COUNTS_HEAP:  # a sanitizer's malloc, or another C library's
            missed = [name for name in missed if FAULTS[name] not in ("refusals", "repeat")]
        assert len(judged) >= 125 and len(missed) * 100 <= 2 * len(judged), missed

    def test_tensors_inside_arguments(self):
        """They are changed like arguments, and a smaller call is written with them."""
        form = CALLS["map_rest"].replace("NAME", "map_rest")
        done = subprocess.run(
            [*COMMAND, "probe", KERNELS, form, "--json", "--only=lengths:4:33",
             f"--against={KERNELS}:right_map"], capture_output=True, text=True, check=False)
        failed, = json.loads(done.stdout)["calls"]
        assert failed["detail"] == "argument 0.1: element [6][2] is 0, expected 2", failed
        smaller = failed["command"].split("'")[1]
        ones = 7 * "[1 1 1]"
        assert smaller == f'map_rest({{"x": 7x3xf32={ones}, "y": &7x3xf32}})', smaller
        again = probe("map_rest", smaller, "--only=given", f"--against={KERNELS}:right_map")
        assert again == {"given": failed["detail"]}, again
        wrong = probe("array_offset", ARRAY, "--only=offset")
        assert set(wrong) == {"offset:0.0", "offset:0.1", "offset:all"}, wrong
        layout = [*COMMAND, "probe", KERNELS, "right_array([4x3xf32.T=rand, f32=5])"]
        done = subprocess.run(layout, capture_output=True, text=True, check=False)
        assert "give the tensors inside argument 0 without layouts" in done.stderr, done

    def test_large_results(self):
        """They are compared by their numbers, also with the call that was given."""
        assert probe("right_new", "NAME(40x30xf32=rand)") == {}
        wrong = probe("loses_last", "NAME(4x3xf32=rand)", "--only=lengths",
                      f"--against={KERNELS}:right_new")
        assert wrong["lengths:4:2048"].startswith("the result: element [2047][2] is 0, "), wrong

    def test_failures_that_are_not_printed(self):
        """Only the first three of a row are made smaller."""
        done = subprocess.run(
            [*COMMAND, "probe", KERNELS, FORM.replace("NAME", "rest_of_4"), "--json",
             "--skip=extents", AGAINST], capture_output=True, text=True, check=False)
        failed = [call["command"].split("=")[-1] for call in json.loads(done.stdout)["calls"]
                  if call["verdict"] == "failed"]
        assert failed[:3] == ["given"] * 3 and failed[3].startswith("lengths:"), failed

    def test_two_right_ones(self):
        """What one of two implementations may do otherwise is told, and is no failure."""
        for name, form, reference, row, told in (
                ("right_mean", "NAME(4x3xf32=rand)", "right_wide_mean", "values", None),
                ("right_wide_mean", "NAME(4x3xf32=rand)", "right_mean", "values", None),
                ("right_sign_of_zero", PAIR, "right_abs", "values",
                 "note values:0:-0: zeros have other signs than the reference's: 3; the same of 1 "
                 "other calls of values"),
                ("right_bools", BOOLS, "right_bools", "bools", None),
                ("right_bytes", BOOLS, "right_bytes", "bools",
                 "note bools:0: with bytes 2 and 255 for true: the result is 512, expected 3"),
                ("right_even", FORM, "right_scale", "lengths",
                 "note lengths:4:1: it refuses what the reference takes: ValueError: argument 0 or "
                 "argument 2: the number of rows is odd; the same of 38 other calls of lengths"),
                ("right_scale", FORM, "right_even", "lengths",
                 "note lengths:4:1: it takes the call, and the reference refuses it: ValueError: "
                 "argument 0 or argument 2: the number of rows is odd; the same of 38 other calls "
                 "of lengths")):
            done = subprocess.run(
                [*COMMAND, "probe", KERNELS, form.replace("NAME", name), f"--only={row}",
                 f"--against={KERNELS}:{reference}"], capture_output=True, text=True, check=False)
            notes = [line for line in done.stdout.splitlines() if line.startswith("note ")]
            assert done.returncode == OK and notes == [told] * (told is not None), (notes, done)

    def test_an_input_in_an_output_of_another_shape(self):
        """Few functions look whether a bias is in their output: that is told."""
        for form, told in (
                (BIAS.replace("NAME", "right_bias"),
                 "note alias:1:2:begin: with argument 1 in the memory of argument 2: "),
                (TURNED.replace("NAME", "right_over"),
                 "note alias:0:1: with argument 0 in the memory of argument 1: ")):
            done = subprocess.run([*COMMAND, "probe", KERNELS, form, "--only=alias"],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == OK and told in done.stdout, done

    def test_more_elements(self):
        """Those that make no difference are told."""
        for name in ("right_first_two", "right_numbers"):
            done = subprocess.run([*COMMAND, "probe", KERNELS, NUMBERS.replace("NAME", name),
                                   "--only=lists"], capture_output=True, text=True, check=False)
            told = "note lists:0:longer: elements of argument 0 behind those " in done.stdout
            assert done.returncode == OK and told == (name == "right_first_two"), done

    def test_any_text(self):
        """What is taken for a mode although nobody knows it is told."""
        done = subprocess.run([*COMMAND, "probe", KERNELS, 'right_mode(2.5, "sum")',
                               "--only=texts"], capture_output=True, text=True, check=False)
        assert done.returncode == OK, done
        assert "note texts:1:unknown: argument 1 may be any text: " in done.stdout, done

    def test_an_element_that_is_refused(self):
        """What was written before it is told, and is no failure."""
        form = CALLS["right_until_negative"].replace("NAME", "right_until_negative")
        done = subprocess.run([*COMMAND, "probe", KERNELS, form, "--only=refusals"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == OK, done
        assert ("note refusals:0:negative: it changed argument 2 before it met the element and "
                "refused the call") in done.stdout, done

    def test_calls_that_end_when_they_are_asked_for(self):
        """The keeper's answer on one is not taken for the begin of the next."""
        chosen = [f"--skip={group}" for group in ("state", "host", "calls")]
        wrong = run_all({f"right_rest{i * ' '}": ("NAME(5)", *chosen) for i in range(4)})
        assert not any(wrong.values()), wrong

    @not_sanitized
    def test_right_kernels(self):
        """No row fails, in five runs; four are of the rows that could depend on chance."""
        calls = right_calls() | {"right_map  ": "NAME({y: &3x4x2xf32, x: 3x4x2xf32=rand})"}
        assert len(calls) >= 50, len(calls)
        wrong = {name: found for name, found in
                 run_all({name: (form,) for name, form in calls.items()}).items() if found}
        assert wrong == {}, wrong
        for _ in range(4):
            wrong = run_all({name: (FORM, "--only=state") for name in
                             ("right_scale", "right_lock", "right_cache")})
            assert not any(wrong.values()), wrong


run_tests()

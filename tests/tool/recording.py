# SPDX-License-Identifier: Apache-2.0
"""Reads a recording, and holds it to docs/guide/record_format.md: whatever is not as the page has
it is an AssertionError. Reads the page that `tvm-ffi show --html` makes of one, too."""
import base64
import hashlib
import html.parser
import json
import pathlib
import re
import struct
import xml.etree.ElementTree

MASK = (1 << 64) - 1
TEXT_INT = re.compile(r"-?\d+")
ADDRESS = re.compile(r"0x[0-9a-f]+")
HASH = re.compile(r"[0-9a-f]{32}")
ADDRESSED = (1, 2, 3, 10, 11, 13, 14)  # devices whose data is an address


def murmur(data):
    """MurmurHash3, x64, 128 bits, seed 0, in hexadecimal digits."""
    def rotate(x, bits):
        return (x << bits | x >> (64 - bits)) & MASK

    def mix1(k):
        return rotate(k * 0x87c37b91114253d5 & MASK, 31) * 0x4cf5ad432745937f & MASK

    def mix2(k):
        return rotate(k * 0x4cf5ad432745937f & MASK, 33) * 0x87c37b91114253d5 & MASK

    def finish(k):
        k = (k ^ k >> 33) * 0xff51afd7ed558ccd & MASK
        k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53 & MASK
        return k ^ k >> 33

    h1 = h2 = 0
    whole = len(data) // 16 * 16
    for k1, k2 in struct.iter_unpack("<QQ", data[:whole]):
        h1 = ((rotate(h1 ^ mix1(k1), 27) + h2) * 5 + 0x52dce729) & MASK
        h2 = ((rotate(h2 ^ mix2(k2), 31) + h1) * 5 + 0x38495ab5) & MASK
    if whole != len(data):
        k1, k2 = struct.unpack("<QQ", data[whole:].ljust(16, b"\0"))
        h2 ^= mix2(k2)
        h1 ^= mix1(k1)
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & MASK
    h2 = (h2 + h1) & MASK
    h1, h2 = finish(h1), finish(h2)
    h1 = (h1 + h2) & MASK
    h2 = (h2 + h1) & MASK
    return struct.pack("<QQ", h1, h2).hex()


assert murmur(b"") == "0" * 32
assert murmur(b"hello") == "029bbd41b3a7d8cb191dae486a901e5b"


# Where the name of a function comes from that is no symbol.
KINDS = "registry", "module", "type"


def is_int(value):
    if isinstance(value, str):
        return TEXT_INT.fullmatch(value) is not None and abs(int(value)) >= 1 << 53
    return type(value) is int and abs(value) < 1 << 53


def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), keys
    return dict(pairs)


class Process:
    """The events of one file."""

    def __init__(self, recording, path):
        text = path.read_bytes()
        self.num_zeros = len(text) - len(text.rstrip(b"\0"))
        text = text.rstrip(b"\0")
        assert text.endswith(b"\n"), path
        self.path, self.recording = path, recording
        self.events = [json.loads(line, object_pairs_hook=unique)
                       for line in text.decode().splitlines()]
        assert self.events[0]["event"] == "process", path
        self.process = self.events[0]
        assert self.process["format"] == 1 and is_int(self.process["unix_ns"])
        assert self.process["byte_order"] in ("little", "big")
        assert self.process["pointer_bytes"] in (4, 8)
        self.libraries, self.calls, self.ends, self.stop, self.notes = [], {}, {}, None, []
        self.counts = []  # of each function: its event with calls, errors and recorded
        self.num_repeated = 0  # events that are like another
        self.open = {}  # by thread: the calls that have not ended
        for event in self.events[1:]:
            getattr(self, "check_" + event["event"])(event)
        self.read_counts()

    def read_counts(self):
        """The counts of functions, which are there whatever became of the process."""
        path = self.path.with_suffix(".counts")
        data = path.read_bytes() if path.exists() else b""
        if self.stop is None and not data:  # the disk was full
            return
        assert len(data) >= 32 * len(self.counts) and not data[32 * len(self.counts):].strip(b"\0")
        for i, count in enumerate(self.counts):
            numbers = struct.unpack_from("=QQQQ", data, 32 * i)
            count.update(zip(("calls", "errors", "recorded"), numbers))
            assert numbers[0] >= max(numbers[1:3]) and numbers[3] <= (i == 0), count
        if self.stop is not None:
            assert sum(count["recorded"] for count in self.counts) == len(self.calls), self.path

    def check_function(self, event):
        assert event["number"] == len(self.counts) and event["function"], event
        assert event["library"] < len(self.libraries), event
        assert event.get("of", "registry") in KINDS, event
        key = {name: event[name] for name in ("library", "function", "of") if name in event}
        assert not [count for count in self.counts if count == key], event
        self.counts.append(key)

    def check_library(self, event):
        assert event["library"] == len(self.libraries), event
        assert event["path"].startswith("/"), event
        assert event["build_id"] is None or re.fullmatch("[0-9a-f]+", event["build_id"]), event
        self.libraries.append(event)

    def repeat(self, event, earlier, own):
        """The event with all keys, if it is like one of those."""
        if "like" not in event:
            return event
        assert set(event) - {"of"} == own, event
        whole = earlier[event["like"]]
        assert "like" not in whole, event
        self.num_repeated += 1
        return {**whole, **event}

    def check_call(self, event):
        assert is_int(event["call"]) and event["call"] not in self.calls, event
        event = self.repeat(event, self.calls,
                            {"event", "call", "thread", "time", "function", "like"})
        assert event["function"] and event["library"] < len(self.libraries), event
        assert event.get("of", "registry") in KINDS, event
        assert is_int(event["time"]), event
        for storage in event["storages"]:
            self.check_storage(storage, True)
        self.check_values(event["args"], event["storages"])
        opened = self.open.setdefault(event["thread"], [])
        assert not opened or opened[-1] < event["call"], event
        opened.append(event["call"])
        self.calls[event["call"]] = event

    def check_end(self, event):
        call = self.calls[event["call"]]
        assert "like" not in event or event["like"] == call["like"], event
        assert self.open[event["thread"]].pop() == event["call"], event
        assert event["thread"] == call["thread"] and event["time"] >= call["time"], event
        known = len(call["storages"])
        for before, storage in zip(call["storages"], event["storages"]):
            self.check_storage(storage, False, before["bytes"])
        for storage in event["storages"][known:]:
            self.check_storage(storage, True)
        for before, after in zip(call["storages"], event["storages"]):
            if "data" in after:
                assert len(self.recording.data(after["data"])) == before["bytes"], event
        self.ends[event["call"]] = event

    def check_return(self, event):
        event = self.repeat(event, self.ends, {"event", "call", "thread", "time", "like"})
        self.check_end(event)
        storages = self.calls[event["call"]]["storages"]
        storages = storages + event["storages"][len(storages):]
        self.check_values([event["result"]], storages)

    def check_error(self, event):
        self.check_end(event)
        assert event["code"] != 0 and len(event["storages"]) == len(
            self.calls[event["call"]]["storages"]), event
        if event["error"] is not None:
            self.check_texts(event["error"])

    def check_note(self, event):
        assert is_int(event["time"]) and event["text"], event
        self.notes.append(event["text"])

    def check_unseen(self, event):
        assert is_int(event["time"]) and event["text"] and not self.calls, event

    def check_stop(self, event):
        assert event["why"] and is_int(event["time"]) and self.num_zeros == 0, event
        self.stop = event

    def read_small(self, storage, size):
        """Memory in the file of the process."""
        with open(self.path.with_suffix(".memory"), "rb") as file:
            file.seek(storage["at"])
            data = file.read(size)
        assert len(data) == size <= 65536 and murmur(data) == storage["data"], storage
        assert storage["at"] % 8 == 0, storage
        self.recording.known[storage["data"]] = data

    def check_storage(self, storage, is_whole, size=0):
        kinds = {"data", "left_out"} & set(storage)
        assert len(kinds) == 1 and storage[kinds.pop()], storage
        keys = set(storage) - {"data", "left_out", "at", "output"}
        assert keys - {"handle"} == (
            {"device", "address", "bytes"} if is_whole else set()), storage
        if is_whole:
            assert ("handle" in keys) == (storage["device"][0] not in ADDRESSED), storage
            assert ADDRESS.fullmatch(storage["address"]) and is_int(storage["bytes"]), storage
        assert "at" not in storage or "data" in storage, storage
        if "output" in storage:
            assert is_whole and storage["left_out"] == "an output", storage
        if "at" in storage:
            self.read_small(storage, storage["bytes"] if is_whole else size)
        if "data" in storage:
            data = self.recording.data(storage["data"])
            assert not is_whole or len(data) == storage["bytes"], storage

    def check_texts(self, error):
        assert set(error) - {"cause"} == {"kind", "message", "backtrace"}, error
        if "cause" in error:
            self.check_texts(error["cause"])

    def check_values(self, values, storages):
        self.ids = 0
        for value in values:
            self.check_value(value, storages)

    def take_id(self, value):
        assert value["id"] == self.ids, (value, self.ids)
        self.ids += 1

    def check_value(self, value, storages):
        if value is None or isinstance(value, (bool, str)):
            return
        if not isinstance(value, dict):
            assert is_int(value) and not isinstance(value, str), value
            return
        forms = {"int", "float", "str", "raw_str", "bytes", "raw_bytes", "dtype", "device", "shape",
                 "pointer", "tensor", "dltensor", "array", "list", "map", "dict", "function",
                 "error", "bigint", "object", "rvalue", "unchanged", "ref", "unknown", "left_out"}
        kinds = forms & set(value)
        assert len(kinds) == 1, value
        kind = kinds.pop()
        more = set(value) - {kind}
        if kind == "object":
            assert more in ({"fields", "id"}, {"address", "id"}), value
        elif kind == "function":
            assert more == {"symbol", "id"}, value
        else:
            assert more == ({"id"} if kind in ("shape", "array", "list", "map", "dict", "error",
                                               "bigint") else set()), value
        inside = value[kind]
        if "id" in value:
            self.take_id(value)
        if kind == "ref":
            assert inside < self.ids, value
        elif kind == "int":
            assert isinstance(inside, str) and is_int(inside), value
        elif kind == "float":
            assert inside.startswith("nan:0x") or repr(float(inside)), value
        elif kind in ("str", "bytes", "raw_bytes", "bigint"):
            bytes.fromhex(inside)
        elif kind in ("tensor", "dltensor"):
            if kind == "tensor":
                self.take_id(inside)
            self.check_tensor(inside, storages)
        elif kind in ("array", "list"):
            for item in inside:
                self.check_value(item, storages)
        elif kind in ("map", "dict"):
            for pair in inside:
                for item in pair:
                    self.check_value(item, storages)
        elif kind == "object":
            for item in value.get("fields", {}).values():
                self.check_value(item, storages)
        elif kind == "error":
            self.check_texts(inside)
        elif kind in ("rvalue", "raw_str"):
            self.check_value(inside, storages)
        elif kind == "shape":
            assert all(map(is_int, inside)), value

    def check_tensor(self, tensor, storages):
        assert len(tensor["dtype"]) == 3 and len(tensor["device"]) == 2, tensor
        assert tensor["strides"] is None or len(tensor["strides"]) == len(tensor["shape"]), tensor
        if tensor["storage"] is None:
            assert ADDRESS.fullmatch(tensor["address"]) and "offset" not in tensor, tensor
            return
        storage = storages[tensor["storage"]]
        assert storage["device"] == tensor["device"] and "left_out" not in tensor, tensor
        assert 0 <= tensor["offset"] < storage["bytes"], tensor


class Recording:
    """All of a folder. `processes` are those of its files, the first of calls.jsonl."""

    def __init__(self, folder):
        self.folder, self.known = pathlib.Path(folder), {}
        assert (self.folder / "version").read_text() == "tvm-ffi recording 1\n"
        names = sorted(self.folder.glob("calls*.jsonl"), key=lambda path: len(path.name))
        # A process whose first event could not be written leaves an empty file.
        self.processes = [Process(self, path) for path in names if path.stat().st_size > 0]
        self.calls, self.ends = {}, {}
        for process in self.processes:
            assert not set(self.calls) & set(process.calls)
            self.calls.update(process.calls)
            self.ends.update(process.ends)

    def data(self, name):
        """The bytes of a file of memory."""
        if name not in self.known:
            assert HASH.fullmatch(name), name
            text = (self.folder / "tensors" / f"{name}.npy").read_bytes()
            size = int(re.search(rb"'shape': \((\d+),\)", text[:128])[1])
            assert text[:10] == b"\x93NUMPY\x01\x00\x76\x00" and text[127:128] == b"\n", text[:128]
            assert b"'descr': '|u1', 'fortran_order': False" in text[:128], text[:128]
            data = text[128:]
            assert len(data) == size and murmur(data) == name, (name, len(data), size)
            self.known[name] = data
        return self.known[name]


class Page(html.parser.HTMLParser):
    """A page of a recording: its elements are closed in order, its drawings are XML, it refers to
    nothing outside, and its script is the one that its policy allows."""
    VOID = {"meta", "img", "br", "input"}
    ATTRIBUTES = {"a": {"href", "tabindex"}, "img": {"src", "alt", "width", "height"}}

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path = pathlib.Path(path)
        self.source = self.path.read_bytes().decode()
        self.stack, self.counts, self.ids, self.links, self.images = [], {}, set(), [], []
        self.texts, self.policy, self.script, self.titles = [], None, "", []
        self.feed(self.source)
        self.close()
        assert not self.stack, self.stack
        digest = base64.b64encode(hashlib.sha256(self.script.encode()).digest()).decode()
        assert f"script-src 'sha256-{digest}'" in self.policy, self.policy
        assert self.counts["script"] == self.counts["style"] == 1, self.counts
        assert all(link[0] == "#" and link[1:] in self.ids for link in self.links), self.links
        self.drawings = [xml.etree.ElementTree.fromstring(svg) for svg in re.findall(
            r"<svg xmlns.*?</svg>(?!</g>)", self.source, re.DOTALL)]
        self.text = " ".join(" ".join(self.texts).split()).replace(" ,", ",")

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, attrs)
        assert not any(name.startswith("on") or name == "style" for name in names), (tag, attrs)
        attributes = dict(attrs)
        if "id" in attributes:
            assert attributes["id"] not in self.ids, attributes
            self.ids.add(attributes["id"])
        if tag == "meta" and "http-equiv" in attributes:
            self.policy = attributes["content"]
        if tag in self.ATTRIBUTES:
            assert set(names) - {"class"} <= self.ATTRIBUTES[tag], (tag, attrs)
        else:
            assert not {"src", "href"} & set(names), (tag, attrs)
        if tag == "a":
            self.links.append(attributes["href"])
        if tag == "img":
            self.images.append(base64.b64decode(
                attributes["src"].removeprefix("data:image/bmp;base64,"), validate=True))
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop() == tag, (tag, self.getpos(), self.stack)

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "script":
            self.script += data
        elif self.stack and self.stack[-1] != "style":
            self.texts.append(data)

    def count_bars(self, role):
        """Bars of the timeline whose class that is; None: of any."""
        return sum(part.get("class") == role or role is None for drawing in self.drawings
                   if drawing.get("class") == "lanes" for group in drawing.iter()
                   if group.get("class") == "b" for part in group.findall("{*}rect"))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""main.py EXTENSION KERNEL: a kernel as an SQL function, in the SQLite of Python."""
import resource
import sqlite3
import struct
import sys

SKIP = 77
database = sqlite3.connect(":memory:")
if not hasattr(database, "enable_load_extension"):
    print("skipped: the SQLite of this Python loads no extensions")
    sys.exit(SKIP)
database.enable_load_extension(True)
database.load_extension(sys.argv[1])
database.execute("SELECT tvmffi_load(?, 'scale')", (sys.argv[2],))


def show(statement, *values):
    try:
        for row in database.execute(statement, values):
            print(*(struct.unpack(f"{len(x) // 4}f", x) if isinstance(x, bytes) else x
                    for x in row))
    except sqlite3.Error as error:
        print(f"{type(error).__name__}: {error}")


vector = struct.pack("3f", 1, 2, 3)
show("SELECT scale(?, 2.5)", vector)

# The constant is the same in each row: the kernel gets copies.
show("WITH three(n) AS (VALUES (1), (2), (3)) SELECT n, scale(x'0000803F', n) FROM three")

# Columns, at whatever address SQLite has them.
database.execute("CREATE TABLE signals (name TEXT, samples BLOB)")
database.executemany("INSERT INTO signals VALUES (?, ?)",
                     [("x" * n, struct.pack("2f", n, n + 0.5)) for n in range(1, 5)])
show("SELECT length(name), scale(samples, 10) FROM signals WHERE name > 'x'")
show("UPDATE signals SET samples = scale(samples, -1) RETURNING samples")

# Errors of the kernel end the statement.
show("SELECT scale(?, ?)", vector, vector)
show("SELECT scale(1, 2)")
show("SELECT scale()")
show("SELECT scale(x'00', 2)")
show("SELECT scale(?, 'two')", vector)
show("SELECT scale(?, NULL)", vector)
show("SELECT tvmffi_load(?, 'rotate')", sys.argv[2])


# Nothing is left of calls and errors.
def use():
    database.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
                     "SELECT sum(length(scale(?, i))) FROM n", (100000, vector)).fetchone()
    for _ in range(20000):
        try:
            database.execute("SELECT scale(?, ?)", (vector, vector)).fetchone()
        except sqlite3.OperationalError:
            pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


print("grown", use() + 1024 < use())

# SPDX-License-Identifier: Apache-2.0
"""The type of schedule.cc as a Python class, with the apache-tvm-ffi package."""
import copy
import sys

import tvm_ffi

kernels = tvm_ffi.load_module(sys.argv[1])  # first: the class asks the type table for its fields


@tvm_ffi.register_object("my_kernels.Schedule")
class Schedule(tvm_ffi.Object):
    """Fields and methods come from C++; more may be added here."""

    def decays(self):
        return len(self.milestones) > 0


schedule = Schedule("steps", 0.5, [10, 20])
print(schedule)
print("fields:", schedule.name, schedule.base, list(schedule.milestones))
print("rates:", *(schedule.rate(step) for step in (0, 10)), schedule.decays())

schedule.base = 2
print("total:", kernels.total(schedule, 15))
for change in (lambda: setattr(schedule, "base", "much"), lambda: setattr(schedule, "name", "x"),
               lambda: Schedule("none", -1.0, [])):
    try:
        change()
    except AttributeError:
        print("AttributeError")  # versions of Python say it differently
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")

constant = Schedule.constant(3)
print(type(constant).__name__, constant.base, constant.decays())
print("a copy:", copy.deepcopy(schedule))
loaded = tvm_ffi.serialization.from_json_graph_str(
    tvm_ffi.serialization.to_json_graph_str(schedule))
print("saved and loaded:", loaded, tvm_ffi.structural_equal(schedule, loaded))

-- SPDX-License-Identifier: Apache-2.0
-- lua5.4 main.lua SCALE-KERNEL MAP-KERNEL: calls kernels, gives one a function of Lua, and survives
-- errors of both sides.
local tvmffi = require "tvmffi"
local scale = tvmffi.load(arg[1], "scale")
local map = tvmffi.load(arg[2], "map")

local x, y = tvmffi.tensor {1, 2, 3}, tvmffi.tensor {0, 0, 0}
scale(y, x, 2.5)
print("scaled", table.unpack(y, 1, #y))

-- Errors of a kernel are errors of Lua.
print(pcall(scale, y, x, "two"))
print(pcall(scale, y, tvmffi.tensor {1}, 2))
print(pcall(scale, y, {}, 2))
print(pcall(scale, y, "zero \0", 2))
print(getmetatable(scale))
print(pcall(tvmffi.load, "./missing.so", "scale") == false)

-- A callback is any function.
map(y, function(value) return value * 2 + 1 end)
print("mapped", table.unpack(y, 1, #y))
map(y, math.sqrt)

-- Its errors pass through the kernel, which stops there, and may be caught on the way.
print(pcall(map, y, function(value) error("no more", 0) end))
print(pcall(map, y, function(value) return nil end))
map(y, function(value)
  local good, message = pcall(map, y, function() error("inside", 0) end)
  return good and 0 or #message
end)
print("in a callback", table.unpack(y, 1, #y))

-- Coroutines call kernels; a callback cannot yield through one.
print(coroutine.wrap(function() return pcall(map, y, coroutine.yield) end)())
coroutine.wrap(function() map(y, function() return 7 end) end)()
print("by a coroutine", table.unpack(y, 1, #y))

-- Nothing is left of calls and errors, in the memory of Lua or outside of it.
local function use()
  for i = 1, 20000 do
    scale(y, x, i)
    pcall(scale, y, x, "two")
    pcall(map, y, function() error("no more") end)
  end
  collectgarbage()
  collectgarbage()
  local _, pages = io.open("/proc/self/statm"):read("n", "n")
  return collectgarbage "count", pages
end
local kilobytes, pages = use()
local kilobytes_later, pages_later = use()
print("grown", kilobytes_later - kilobytes > 64, pages_later - pages > 256)

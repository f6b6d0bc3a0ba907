-- Sets ms, the lifetime of the key, if that has to be set again, which costs as much
-- as reading the state: left is the instant at which the state is as if never used,
-- and the key ends a second and spare ticks after it. What moves left with every unit
-- has something to spare, so as not to set it again for each. 1,115 years stand for
-- never.
local ms
if left >= ends then
  ms, ends = (left + spare - now) * tick / 1000 + 1001, left + spare + 1000000 / tick
  ms = testing and 3600000 or ms < 35184372088832 and ms - ms % 1 or 35184372088832
end

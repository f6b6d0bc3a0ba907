-- Sets ms, the lifetime of the key, if that has to be set again: left is the instant
-- at which the state is as if never used, and the key ends a second after it. 1,115
-- years stand for never.
local ms
if left >= ends then
  ms, ends = (left - now) * tick / 1000 + 1001, left + 1000000 / tick
  ms = testing and 3600000 or ms < 35184372088832 and ms - ms % 1 or 35184372088832
end

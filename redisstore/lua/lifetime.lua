-- Sets ms, the lifetime of the key, if that has to be set again, which costs as much
-- as reading the state: left is the instant at which the state is as if never used,
-- and the key ends a second and a sixteenth of the lifetime after it, so that it is
-- not set again for every unit. 1,115 years stand for never.
local ms
if left >= ends then
  local life = (left - now) * 1.0625
  ms, ends = life * tick / 1000 + 1001, now + life + 1000000 / tick
  ms = testing and 3600000 or ms < 35184372088832 and ms - ms % 1 or 35184372088832
end

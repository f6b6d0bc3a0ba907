-- Two algorithms count in windows that are aligned to the Unix epoch: see window.go.
-- Their numbers are
--
--   a  ticks in a period
--   b  the capacity
--   c  of sliding_window_counter: the largest count that can be weighed exactly
--
-- This turns the counts, of the window and of the one before, to the effective
-- instant dated, in the window that begins at start.
local start = now - now % a -- exact below 2^52: until the year 2112 in microseconds
local dated, count, prev = now, 0, 0
if at == start or at - now > a then
  if value then
    count, prev = used, third
  end
elseif at > now then
  start, dated, count, prev = at, at, used, third
elseif at == start - a then
  prev = used
end

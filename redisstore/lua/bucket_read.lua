-- token_bucket and leaky_bucket keep the level of what has been used and has not
-- drained yet: see bucket.go. Stored are '<Bddd': the mark, the instant of last use,
-- the level, and the end of the key. Their numbers are
--
--   a  what drains in a tick
--   b  the level of one unit
--   c  the level of a full bucket
--   d  in how many ticks that drains
--
-- Level is what is left of it, at the effective instant dated.
local value, ends, mark = call('GET', key), 0
if value and #value == 25 then
  mark, at, used, ends = unpack('<Bddd', value)
end
if mark ~= 161 then
  value, at, used, ends = nil, 0, 0, 0
end
local level, dated = used, at
if at < now then
  level, dated = used - (now - at) * a, now
  if level < 0 then
    level = 0
  end
elseif at - now > d then
  dated = now
end

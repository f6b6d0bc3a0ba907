-- Several limits: all count, or none does. So all are asked before any counts. Each
-- rule is a function here.
--
-- The answer is '<ddd': whether they all fit, and the instant in seconds and
-- microseconds; and '<ddd' of each: the state before.
local states, all = {}, true
local function each(writes)
  local next = 57
  for i, key in ipairs(KEYS) do
    kind, tick, a, b, c, d, next = unpack('<dddddd', ARGV[1], next)
    local fits, at, used, third = rules[kind](key, writes)
    all = all and fits
    if not writes then
      states[i] = pack('<ddd', at, used, third)
    end
  end
end
each(false)
if all and op ~= 2 and units > 0 then
  each(true)
end
return pack('<ddd', all and 1 or 0, now_s, now_us) .. table.concat(states)

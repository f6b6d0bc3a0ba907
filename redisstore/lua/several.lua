-- Several limits: all count, or none does. So all are asked before any counts.
--
-- The answer is '<ddd': whether they all fit, and the instant in seconds and
-- microseconds; and '<ddd' of each: the state before.
local rules = {bucket, bucket, fixed_window, sliding_window_log, sliding_window_counter}
local states, all = {}, true
for write = 0, 1 do
  local next = limits
  for i, key in ipairs(KEYS) do
    local kind, tick, a, b, c, d
    kind, tick, a, b, c, d, next = unpack('<dddddd', ARGV[1], next)
    if op == RESET then
      call('DEL', key)
    else
      local fits, at, used, third = rules[kind](key, ticks(now_s, now_us, tick), tick, a, b, c, d, write == 1, kind == 2)
      if write == 0 then
        all, states[i] = all and fits, pack('<ddd', at, used, third)
      end
    end
  end
  if not all or op == PEEK or units == 0 then
    break
  end
end
return pack('<ddd', all and 1 or 0, now_s, now_us) .. table.concat(states)

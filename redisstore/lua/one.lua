-- One limit: what fits is counted at once.
--
-- The answer is '<dddddd': whether it fits, the instant in seconds and microseconds,
-- and the state before.
local kind, tick, a, b, c, d = unpack('<dddddd', ARGV[1], limits)
local fits, at, used, third = 0, 0, 0, 0
if op == RESET then
  call('DEL', KEYS[1])
else
  fits, at, used, third = rule(KEYS[1], ticks(now_s, now_us, tick), tick, a, b, c, d, op ~= PEEK and units > 0, kind == 2)
end
return pack('<dddddd', fits and 1 or 0, now_s, now_us, at, used, third)

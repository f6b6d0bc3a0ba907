-- What every script begins with: the call and its first limit, as Go has packed
-- them.
--
--   KEYS     one for each limit
--   ARGV[1]  little endian doubles: of the call
--              op units more
--            of each limit
--              kind tick a b c d
--            and, if more is not 0, which few calls need,
--              at_s at_us prompt seconds micros
--
-- The rules are made of parts, which Go puts together: one reads what is stored and
-- turns it to the effective instant, one takes or changes, one writes. They use
--
--   key kind tick a b c d   the limit
--   now                     in ticks
--   writes                  whether what fits is to be written
--   op units at_s at_us prompt
--   at used third           0, of which the state before becomes what it has
--
-- and set
--
--   fits                    whether it fits
--   value                   the state before as it is stored, nil if there is none
--
-- All numbers are integers below 2^53, which doubles hold exactly. What is larger is
-- rounded, but never to below 2^53, and is only compared with what is smaller.
--
-- Every state ends when it is as if never used, and its key soon after: see
-- lifetime.lua. The end of the key is kept with the state, so that it is set again
-- only when it has to be.
--
-- A state begins with the mark, a byte that no text begins with. What does not is
-- none, and gives way.
local call, unpack, pack = redis.call, struct.unpack, struct.pack
local op, units, more, kind, tick, a, b, c, d = unpack('<ddddddddd', ARGV[1])
local at_s, at_us, prompt, seconds, micros = 0, 0, 0, 0, 0
if more ~= 0 then
  at_s, at_us, prompt, seconds, micros = unpack('<ddddd', ARGV[1], #ARGV[1] - 39)
end
local testing = seconds ~= 0 -- with a clock that is not the one by which keys end
if not testing then
  local time = call('TIME')
  seconds, micros = time[1], time[2]
end
local now_s, now_us = seconds + 0, micros + 0
if at_s ~= 0 and op < 3 and (at_s < now_s or at_s == now_s and at_us < now_us) then
  now_s, now_us, seconds, micros = at_s, at_us, at_s, at_us
end

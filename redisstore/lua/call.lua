-- What every script begins with: the call and its first limit, as Go has packed
-- them.
--
--   KEYS     one for each limit
--   ARGV[1]  little endian doubles: of the call
--              op units at_s at_us prompt now_s now_us
--            and of each limit
--              kind tick a b c d
--
-- The rules are made of parts, which Go puts together: one reads what is stored and
-- turns it to the effective instant, one takes or changes, one writes. They use
--
--   key kind tick a b c d   the limit
--   now                     in ticks
--   writes                  whether what fits is to be written
--   op units at_s at_us prompt
--
-- and set
--
--   fits                    whether it fits
--   at used third           the state before, as it is stored
--
-- All numbers are integers below 2^53, which doubles hold exactly. What is larger is
-- rounded, but never to below 2^53, and is only compared with what is smaller.
--
-- Every state ends when it is as if never used, and its key a second later at the
-- most; the end of the key is kept with the state, so that it is set again only when
-- it has to be.
--
-- A state begins with the mark, a byte that no text begins with. What does not is
-- none, and gives way.
local call, unpack, pack = redis.call, struct.unpack, struct.pack
local op, units, at_s, at_us, prompt, now_s, now_us, kind, tick, a, b, c, d = unpack('<ddddddddddddd', ARGV[1])
local testing = now_s ~= 0 -- with a clock that is not the one by which keys end
if not testing then
  local time = call('TIME')
  now_s, now_us = time[1] + 0, time[2] + 0
end
if at_s ~= 0 and op < 3 and (at_s < now_s or at_s == now_s and at_us < now_us) then
  now_s, now_us = at_s, at_us
end

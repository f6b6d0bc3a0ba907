-- What every script begins with: the call and its limits, as Go has packed them.
--
--   KEYS     one for each limit
--   ARGV[1]  little endian doubles: of the call
--              op units at_s at_us prompt now_s now_us
--            and of each limit
--              kind tick a b c d
--
-- A kind is one of the rules: a function that counts or gives back units of one
-- key, at an instant in ticks, and returns
--
--   whether they fit; and the state before: its instant, what is used, and a third
--
-- All numbers are integers below 2^53, which doubles hold exactly. What is larger
-- is rounded, but never to below 2^53, and is only compared with what is smaller.
local call, pcall = redis.call, redis.pcall
local pack, unpack = struct.pack, struct.unpack
local floor, ceil, fmod = math.floor, math.ceil, math.fmod
local TAKE, PEEK, CHARGE, REFUND, UNDO, RESET = 1, 2, 3, 4, 5, 6
local EXACT = 9007199254740992 -- 2^53

local op, units, at_s, at_us, prompt, now_s, now_us, limits = unpack('<ddddddd', ARGV[1])
local testing = now_s ~= 0
if not testing then
  local time = call('TIME')
  now_s, now_us = time[1] + 0, time[2] + 0
end
if at_s ~= 0 and op <= PEEK and (at_s < now_s or at_s == now_s and at_us < now_us) then
  now_s, now_us = at_s, at_us
end

-- ticks floors an instant to a limit's tick.
local function ticks(s, us, tick)
  if tick == 1 then
    return s * 1000000 + us
  elseif tick == 1000 then
    return s * 1000 + floor(us / 1000)
  end
  return s
end

-- lifetime is how long a state is kept that lasts so many ticks, in whole
-- milliseconds. For never it is 1,115 years. The clock of a test is not the one by
-- which keys expire.
local function lifetime(left, tick)
  local ms = floor(left * tick / 1000) + 1
  if testing and ms < 600000 then
    return 600000
  elseif ms > 35184372088832 then
    return 35184372088832
  end
  return ms
end

-- whole tells whether all are integers that are held exactly. Not all that lies
-- under a key has been put there by these scripts.
local function whole(a, b, c, d)
  return a >= 0 and a < EXACT and a % 1 == 0 and b >= 0 and b < EXACT and b % 1 == 0
    and c >= 0 and c < EXACT and c % 1 == 0 and (not d or d >= 0 and d < EXACT and d % 1 == 0)
end

-- numbers reads a state of so many of them, if that is what is there.
local function numbers(key, format, size)
  local value = pcall('GET', key)
  if type(value) == 'string' and #value == size then
    local a, b, c = unpack(format, value)
    if whole(a, b, c) then
      return a, b, c
    end
  end
end

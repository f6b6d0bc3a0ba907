-- The states of keys, which are not changed.
--
-- The answer is '<dd', the instant in seconds and microseconds; and of each limit
-- '<d', how many numbers follow, and these: the state, or, of a log, the instant
-- and the units of each entry.
local function log_entries(key, width)
  local list = pcall('LRANGE', key, 0, -1)
  local numbers = {}
  if list.err or #list < 2 or #list[1] ~= 32 then
    return numbers
  end
  local newest, _, _, total = unpack('<dddd', list[1])
  local wrap, format = 2 ^ (8 * width), '<I' .. width .. 'I7'
  for i = 2, #list do
    local at, to = unpack(format, list[i])
    numbers[#numbers + 1] = pack('<dd', newest - fmod(newest - at + wrap, wrap), minus(to, total))
    total = to
  end
  return numbers
end

local next, answer = limits, {pack('<dd', now_s, now_us)}
for _, key in ipairs(KEYS) do
  local kind, tick, period, capacity, width, _
  kind, tick, period, capacity, width, _, next = unpack('<dddddd', ARGV[1], next)
  local state
  if kind == 4 then
    state = table.concat(log_entries(key, width))
  else
    local format, size = '<dd', 16
    if kind == 5 then
      format, size = '<ddd', 24
    end
    local at, used, last = numbers(key, format, size)
    state = at and pack(format, at, used, last) or ''
  end
  answer[#answer + 1] = pack('<d', floor(#state / 8))
  answer[#answer + 1] = state
end
return table.concat(answer)

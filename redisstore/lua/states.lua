-- The states of keys, which are not changed.
--
-- The answer is '<dd', the instant in seconds and microseconds; and of each limit
-- '<d', how many numbers follow, and these: what is stored, or, of a log, the instant
-- and the units of each entry.
local function log_entries(key)
  local list = call('LRANGE', key, 0, -1)
  local entries = {}
  if #list < 2 or #list[1] ~= 41 then
    return entries
  end
  local mark, newest, _, _, total = unpack('<Bddddd', list[1])
  if mark ~= 161 then
    return entries
  end
  for i = 2, #list do
    local at, to = unpack('<I' .. c .. 'I7', list[i])
    local behind = math.fmod(newest, 256 ^ c) - at
    if behind < 0 then
      behind = behind + 256 ^ c
    end
    entries[#entries + 1] = pack('<dd', newest - behind, minus(to, total))
    total = to
  end
  return entries
end

local next, answer = 25, {pack('<dd', now_s, now_us)}
for _, key in ipairs(KEYS) do
  kind, tick, a, b, c, d, next = unpack('<dddddd', ARGV[1], next)
  local state
  if kind == 4 then
    state = table.concat(log_entries(key))
  else
    state = call('GET', key) or ''
    state = #state % 8 == 1 and state:byte() == 161 and state:sub(2) or ''
  end
  answer[#answer + 1] = pack('<d', math.floor(#state / 8))
  answer[#answer + 1] = state
end
return table.concat(answer)

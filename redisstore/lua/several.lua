-- Several limits: all count, or none does. So all are asked before any counts. Each
-- rule is a function here, which returns what counts.
--
-- The answer is that of one limit, with the state before of each.
local states, counts, all, next = {}, {}, true, 25
for i, key in ipairs(KEYS) do
  kind, tick, a, b, c, d, next = unpack('<dddddd', ARGV[1], next)
  local fits, value, count = rules[kind](key, tick, a, b, c, d)
  all = all and fits
  states[i], counts[i] = value or '-', count
end
if all then
  for i = 1, #counts do
    counts[i]()
  end
end
return (all and '1' or '0') .. seconds .. ' ' .. micros .. ' ' .. table.concat(states)

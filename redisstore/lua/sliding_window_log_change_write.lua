-- refund gives back units of the newest entries, fewer than all that count.
local function refund()
  local left = sum - units
  local last = search(1, function(_, to) return minus(to, before) >= left end)
  newest, total = entry(last), plus(before, left)
  call('LTRIM', key, 0, last)
  call('LSET', key, last, packed(newest, total))
  finish(true)
end

-- undo gives back units of the entry of an instant, which lowers its total and those
-- of all that follow.
local function undo()
  local taken = ticks(tick, at_s, at_us)
  local i = search(1, function(at) return at >= taken end)
  local at, to = entry(i)
  if at ~= taken then
    return finish(true)
  end
  local from = before
  if i > 1 then
    at, from = entry(i - 1)
  end
  local own = minus(to, from)
  local back = units < own and units or own
  if back == sum then
    return call('DEL', key)
  end
  local tail = call('LRANGE', key, i, -1)
  call('LTRIM', key, 0, i - 1)
  for n, value in ipairs(tail) do
    at, to = unpack('<I' .. c .. 'I7', value)
    if n > 1 or back < own then
      call('RPUSH', key, pack('<I' .. c .. 'I7', at, minus(to, back)))
    end
  end
  total, oldest = minus(total, back), entry(1)
  newest = entry(-1)
  finish(true)
end

if op == 3 then
  if fits and writes then
    count()
  end
elseif head and writes then
  if not newest or op == 4 and units >= sum then
    return call('DEL', key)
  end
  if not trim() then
    call('LPUSH', key, head)
  end
  if op == 4 then
    refund()
  else
    undo()
  end
end

local function packed(at, to)
  return pack('<I' .. c .. 'I7', math.fmod(at, 256 ^ c), to)
end

-- trim leaves the entries that count, and tells whether the head is still there.
local function trim()
  if newest and not moved then
    if first > 1 then
      call('LTRIM', key, first, -1)
    end
    return first == 1
  end
  if head then
    call('DEL', key)
    ends = 0
  end
  total, before, oldest = sum, 0, dated
  if newest then
    newest = now
    call('RPUSH', key, packed(now, sum))
  end
  return false
end

-- finish writes the head.
local function finish(headed)
  local left = newest + a
  local spare = a / 16
  -- include lifetime
  local value = pack('<Bddddd', 161, newest, total, oldest, before, ends)
  if headed then
    call('LSET', key, 0, value)
  else
    call('LPUSH', key, value)
  end
  if ms then
    call('PEXPIRE', key, ms)
  end
end

-- count appends units.
local function count()
  local headed = trim()
  total = plus(total, units)
  if newest == dated then
    call('LSET', key, -1, packed(dated, total))
  else
    call('RPUSH', key, packed(dated, total))
  end
  newest = dated
  finish(headed)
end

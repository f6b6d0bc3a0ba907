-- sliding_window_log keeps a list: a head, and an entry for each instant at which
-- units were admitted, oldest first.
--
--   head   '<dddd'   the newest entry's instant and total, the instant of the oldest
--                    that counted when this was written, and the total before it
--   entry  '<I?I7'   its instant and total, each as far as it tells entries apart
--
-- Totals are the units that were ever admitted, modulo 2^53, so that what lies
-- between two entries is their difference and is found by halving, without reading
-- the log. An instant is kept in as many bytes as a period needs: no two entries
-- are farther apart.
local function sliding_window_log(key, now, tick, period, capacity, width, _, write)
  local head = pcall('LINDEX', key, 0)
  local newest, total, oldest, before
  if type(head) == 'string' and #head == 32 then
    newest, total, oldest, before = unpack('<dddd', head)
    if not whole(newest, total, oldest, before) then
      newest = nil
    end
  end
  if not newest and op >= REFUND then
    return true, 0, 0, 0
  end
  local wrap, format = 2 ^ (8 * width), '<I' .. width .. 'I7'

  local function entry(i)
    local at, sum = unpack(format, call('LINDEX', key, i))
    return newest - fmod(newest - at + wrap, wrap), sum
  end
  local function since(to)
    return minus(to, before)
  end
  -- search is the first entry from i on for which a condition holds that then
  -- holds for all that follow. It holds for the last.
  local function search(i, holds)
    local step, last = 1, call('LLEN', key) - 1
    local low = i - 1 -- it does not hold here
    while i < last and not holds(entry(i)) do
      low, i, step = i, i + step, step * 2
    end
    local high = i < last and i or last
    while high - low > 1 do
      local middle = floor((low + high) / 2)
      if holds(entry(middle)) then
        high = middle
      else
        low = middle
      end
    end
    return high
  end

  -- What counts at the effective instant: the later of now and the newest entry,
  -- unless that is more than a period ahead, and all of them become now.
  local dated, first, sum = now, 1, 0
  local moved = false
  if newest then
    if newest - now > period then
      moved = true
    elseif newest > now then
      dated = newest
    end
    if dated - newest >= period then
      newest = nil
    else
      if dated - oldest >= period then
        first = search(2, function(at) return dated - at < period end)
        local _, left = entry(first - 1)
        oldest, before = entry(first), left
      end
      sum = since(total)
    end
  end
  local was, used, freed = newest or 0, sum, 0

  local fits = true
  if op <= PEEK then
    fits = units <= capacity - sum
    if not fits and units <= capacity then
      local need = sum + units - capacity
      freed = entry(search(first, function(_, to) return since(to) >= need end))
    end
  elseif op == CHARGE then
    fits = units < EXACT - sum
  end
  if not fits or not write then
    return fits, was, used, freed
  end

  local function packed(at, to)
    return pack(format, fmod(at, wrap), to)
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
    end
    total, before, oldest = sum, 0, dated
    if newest then
      newest = now
      call('RPUSH', key, packed(now, sum))
    end
  end
  local function finish(headed)
    local value = pack('<dddd', newest, total, oldest, before)
    if headed then
      call('LSET', key, 0, value)
    else
      call('LPUSH', key, value)
    end
    call('PEXPIRE', key, lifetime(newest + period - now, tick))
  end

  -- undo takes back what the entry of one instant has, from its total and those of
  -- all that follow.
  local function undo()
    local taken = ticks(at_s, at_us, tick)
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
    local tail = call('LRANGE', key, i, -1)
    call('LTRIM', key, 0, i - 1)
    for n, value in ipairs(tail) do
      at, to = unpack(format, value)
      if n > 1 or back < own then
        call('RPUSH', key, pack(format, at, minus(to, back)))
      end
    end
    if back == sum then
      return call('DEL', key)
    end
    total, oldest = minus(total, back), entry(1)
    newest = entry(-1)
    finish(true)
  end

  if op <= CHARGE then
    local headed = trim()
    total = plus(total, units)
    if newest == dated then
      call('LSET', key, -1, packed(dated, total))
    else
      call('RPUSH', key, packed(dated, total))
    end
    newest = dated
    finish(headed)
  elseif not newest or op == REFUND and units >= sum then
    call('DEL', key)
  else
    if not trim() then
      call('LPUSH', key, head)
    end
    if op == REFUND then
      local left = sum - units
      local last = search(1, function(_, to) return since(to) >= left end)
      newest, total = entry(last), plus(before, left)
      call('LTRIM', key, 0, last)
      call('LSET', key, last, packed(newest, total))
      finish(true)
    else
      undo()
    end
  end
  return fits, was, used, freed
end

-- sliding_window_counter keeps '<ddd': the start of the window, its count, and that
-- of the window before. Most is the largest count that may still be weighed exactly.
local function sliding_window_counter(key, now, tick, period, capacity, most, _, write)
  local at, used, last = numbers(key, '<ddd', 24)
  if not at then
    if op >= REFUND then
      return true, 0, 0, 0
    end
    at, used, last = 0, 0, 0
  end
  local start, dated, count, prev = window(at, used, last, now, period)
  local fits = true
  if op <= PEEK then
    local room = capacity - count - units
    fits = room >= 0 and prev * (start + period - dated) <= room * period
    count = count + units
  elseif op == CHARGE then
    fits = units <= most - count
    count = count + units
  else
    local back, previous = units, units
    if op == REFUND then
      previous = units - count
    else
      local taken = window(0, 0, 0, ticks(at_s, at_us, tick), period)
      if taken ~= start then
        back = 0
      end
      if taken ~= start - period then
        previous = 0
      end
    end
    count = count - back
    if count < 0 then
      count = 0
    end
    if previous > 0 then
      prev = prev - previous
    end
    if prev < 0 then
      prev = 0
    end
  end
  if fits and write then
    local left = 0
    if count > 0 then
      left = start + 2 * period - now
    elseif prev > 0 then
      left = start + period - now
    end
    call('SET', key, pack('<ddd', start, count, prev), 'PX', lifetime(left, tick))
  end
  return fits, at, used, last
end

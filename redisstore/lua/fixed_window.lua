-- fixed_window keeps '<dd': the start of the window, and its count.
local function fixed_window(key, now, tick, period, capacity, _, _, write)
  local at, used = numbers(key, '<dd', 16)
  if not at then
    if op >= REFUND then
      return true, 0, 0, 0
    end
    at, used = 0, 0
  end
  local start, _, count = window(at, used, 0, now, period)
  local fits = true
  if op <= PEEK then
    fits = units <= capacity - count
    count = count + units
  elseif op == CHARGE then
    fits = units < EXACT - count
    count = count + units
  elseif op == REFUND or start == window(0, 0, 0, ticks(at_s, at_us, tick), period) then
    count = count - units
    if count < 0 then
      count = 0
    end
  end
  if fits and write then
    local left = 0
    if count > 0 then
      left = start + period - now
    end
    call('SET', key, pack('<dd', start, count), 'PX', lifetime(left, tick))
  end
  return fits, at, used, 0
end

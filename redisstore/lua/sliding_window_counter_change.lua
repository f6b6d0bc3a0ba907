if op == 3 then
  fits = units <= c - count
  count = count + units
else
  local back, before = units, units - count
  if op == 5 then
    local taken = ticks(tick, at_s, at_us)
    taken = taken - taken % a
    back = taken == start and units or 0
    before = taken == start - a and units or 0
  end
  count = count > back and count - back or 0
  if before > 0 then
    prev = prev > before and prev - before or 0
  end
end
writes = writes and (op == 3 or value)

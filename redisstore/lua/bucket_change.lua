local change = units * b
if op == 3 then
  fits = change < EXACT - level
  level = level + change
elseif op == 4 then
  level = level > change and level - change or 0
else
  -- Nothing is given back of what can have drained since it was taken.
  if change >= EXACT then
    change = EXACT - 1 - math.fmod(EXACT - 1, b)
  end
  local gone = dated - ticks(tick, at_s, at_us)
  if gone > 0 then
    change = change - gone * a
  end
  if change < 0 then
    writes = false
  end
  level = level > change and level - change or 0
end
if op > 3 and not value then
  writes = false
end

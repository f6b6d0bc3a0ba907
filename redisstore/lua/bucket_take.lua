level = level + units * b
fits = level <= c
if prompt ~= 0 and kind == 2 and units > 0 then
  -- Who waits outside of a leaky bucket enters it when it is empty; or, if due, one
  -- tick before, while the last of a tick drains.
  local left = 0
  if at < now then
    left = used - (now - 1 - at) * a
  elseif at - now + 1 > d then
    left = used
  end
  if at_s ~= 0 and left > 0 and left <= a and left + units * b <= c then
    level, dated, fits = left + units * b, now - 1, true
  else
    fits = fits and level == units * b
  end
end

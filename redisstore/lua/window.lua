-- Two algorithms count in windows that are aligned to the Unix epoch: see
-- window.go. This turns what is stored to the effective instant of now: the start
-- of its window, the instant itself, the counts of the window and of the one before.
local function window(at, used, prev, now, period)
  local start = now - fmod(now, period)
  local ahead = at - now
  if used == 0 and prev == 0 and at == 0 then
    return start, now, 0, 0
  elseif at == start or ahead > period then
    return start, now, used, prev
  elseif ahead > 0 then
    return at, at, used, prev
  elseif at == start - period then
    return start, now, 0, used
  end
  return start, now, 0, 0
end

-- token_bucket and leaky_bucket keep the level of what has been used and has not
-- drained yet: see bucket.go. What is stored is '<dd': the instant of last use, and
-- the level.

-- level_at is what is left of it at the effective instant of now, and that instant.
local function level_at(at, used, now, drain, fill)
  if at > now then
    if at - now > fill then
      return used, now
    end
    return used, at
  end
  local level = used - (now - at) * drain
  if level > 0 then
    return level, now
  end
  return 0, now
end

local function bucket(key, now, tick, drain, unit, full, fill, write, leaky)
  local at, used = numbers(key, '<dd', 16)
  if not at then
    if op >= REFUND then
      return true, 0, 0, 0
    end
    at, used = 0, 0
  end
  local level, dated = level_at(at, used, now, drain, fill)
  local after, fits = level + units * unit
  if op <= PEEK then
    fits = after <= full
    if leaky and prompt ~= 0 and units > 0 then
      local due, from = level_at(at, used, now - 1, drain, fill)
      local enters = due + units * unit
      if at_s ~= 0 and due > 0 and from - now + ceil(due / drain) == 0 and enters <= full then
        after, dated, fits = enters, from, true -- while the last of a tick drains
      else
        fits = fits and level == 0
      end
    end
  elseif op == CHARGE then
    fits = units * unit < EXACT - level
  elseif op == REFUND then
    fits, after = true, 0
    if units * unit <= level then
      after = level - units * unit
    end
  else
    local back, gone = units * unit, dated - ticks(at_s, at_us, tick)
    if back >= EXACT then
      back = EXACT - 1 - fmod(EXACT - 1, unit)
    end
    if gone < 0 then
      gone = 0
    end
    if gone * drain > back then
      return true, at, used, 0
    end
    fits, after = true, level - (back - gone * drain)
    if after < 0 then
      after = 0
    end
  end
  if fits and write then
    local left = EXACT
    if after == 0 then
      left = 0
    elseif drain > 0 then
      left = dated - now + ceil(after / drain)
    end
    call('SET', key, pack('<dd', dated, after), 'PX', lifetime(left, tick))
  end
  return fits, at, used, 0
end

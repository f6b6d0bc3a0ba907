-- What changes a key without asking whether it fits: 3 charges, 4 refunds, 5 undoes
-- what was taken at an instant. All can hold a charge, or none is charged.
local EXACT = 9007199254740992 -- 2^53

local function ticks(tick, s, us)
  if tick == 1 then
    return s * 1000000 + us
  elseif tick == 1000 then
    return s * 1000 + math.floor(us / 1000)
  end
  return s
end

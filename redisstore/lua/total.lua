-- The totals of a log go round at 2^53.
local function plus(total, units)
  if units < 9007199254740992 - total then
    return total + units
  end
  return units - (9007199254740992 - total)
end

local function minus(total, units)
  if units <= total then
    return total - units
  end
  return 9007199254740992 - (units - total)
end

-- A log's totals go round at 2^53.
local function plus(a, b)
  if b < EXACT - a then
    return a + b
  end
  return b - (EXACT - a)
end

local function minus(a, b)
  if b <= a then
    return a - b
  end
  return EXACT - (b - a)
end

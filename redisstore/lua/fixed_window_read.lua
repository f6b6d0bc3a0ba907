-- fixed_window keeps '<ddd': the start of the window, its count, and the end of the
-- key.
local value, ends = call('GET', key), 0
if value and #value == 24 then
  at, used, ends = unpack('<ddd', value)
end

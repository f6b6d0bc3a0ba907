-- fixed_window keeps '<Bddd': the mark, the start of the window, its count, and the end of the
-- key.
local value, ends, mark = call('GET', key), 0
if value and #value == 25 then
  mark, at, used, ends = unpack('<Bddd', value)
end
if mark ~= 161 then
  value, at, used, ends = nil, 0, 0, 0
end

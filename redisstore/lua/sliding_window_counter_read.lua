-- sliding_window_counter keeps '<Bdddd': the mark, the start of the window, its count, that of
-- the window before, and the end of the key.
local value, ends, mark = call('GET', key), 0
if value and #value == 33 then
  mark, at, used, third, ends = unpack('<Bdddd', value)
end
if mark ~= 161 then
  value, at, used, third, ends = nil, 0, 0, 0, 0
end

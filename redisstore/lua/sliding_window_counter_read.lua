-- sliding_window_counter keeps '<dddd': the start of the window, its count, that of
-- the window before, and the end of the key.
local value, ends = call('GET', key), 0
if value and #value == 32 then
  at, used, third, ends = unpack('<dddd', value)
end

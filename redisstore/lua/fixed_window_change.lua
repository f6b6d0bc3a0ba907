if op == 3 then
  fits = units < EXACT - count
  count = count + units
elseif op == 4 or window_start(ticks(at_s, at_us)) == start then
  count = count > units and count - units or 0
end
writes = writes and (op == 3 or value)

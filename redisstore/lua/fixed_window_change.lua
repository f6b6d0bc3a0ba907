local taken = ticks(tick, at_s, at_us)
if op == 3 then
  fits = units < EXACT - count
  count = count + units
elseif op == 4 or taken - taken % a == start then
  count = count > units and count - units or 0
end
writes = writes and (op == 3 or value)

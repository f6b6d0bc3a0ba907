if op == 3 then
  fits = units < EXACT - sum
end

fits = units <= b - sum
if not fits and units <= b then -- third is when so much has gone that they fit
  local need = sum + units - b
  third = entry(search(first, function(_, to) return minus(to, before) >= need end))
end

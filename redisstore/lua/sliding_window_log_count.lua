if fits and writes then
  count()
end

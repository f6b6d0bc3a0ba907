if fits and writes then
  local left = count > 0 and start + 2 * a or start + a
  local spare = 0
  -- include lifetime
  if ms then
    call('SET', key, pack('<Bdddd', 161, start, count, prev, ends), 'PX', ms)
  else
    call('SET', key, pack('<Bdddd', 161, start, count, prev, ends), 'KEEPTTL')
  end
end

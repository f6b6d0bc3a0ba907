if fits and writes then
  local left = start + a
  local spare = 0
  -- include lifetime
  if ms then
    call('SET', key, pack('<Bddd', 161, start, count, ends), 'PX', ms)
  else
    call('SET', key, pack('<Bddd', 161, start, count, ends), 'KEEPTTL')
  end
end

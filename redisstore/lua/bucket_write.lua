if fits and writes then
  local left = level > 0 and dated + level / a or dated -- by a rate of 0 for ever
  local spare = (left - now) / 16
  -- include lifetime
  if ms then
    call('SET', key, pack('<Bddd', 161, dated, level, ends), 'PX', ms)
  else
    call('SET', key, pack('<Bddd', 161, dated, level, ends), 'KEEPTTL')
  end
end

-- Removes what lies under a state's key and is of another type. What is of its type
-- is left: somebody may have counted there meanwhile.
--
--   ARGV[1]  a letter for each key: l if its state is a list, s if it is a string
for i, key in ipairs(KEYS) do
  local own = ARGV[1]:sub(i, i) == 'l' and 'list' or 'string'
  if redis.call('TYPE', key).ok ~= own then
    redis.call('DEL', key)
  end
end
return ''

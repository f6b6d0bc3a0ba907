return tostring(redis.call('DEL', unpack(KEYS)))

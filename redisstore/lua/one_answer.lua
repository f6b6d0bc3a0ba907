-- The answer is '<dddddd': whether it fits, the instant in seconds and microseconds,
-- and the state before.
return pack('<dddddd', fits and 1 or 0, now_s, now_us, at, used, third)

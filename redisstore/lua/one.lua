-- One limit: what fits is counted at once.
local key, writes = KEYS[1], op == 1 and units > 0
local fits, at, used, third = true, 0, 0, 0

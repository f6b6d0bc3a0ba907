-- One limit: what fits is counted at once.
local key = KEYS[1]

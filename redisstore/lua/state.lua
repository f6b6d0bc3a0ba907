-- What each rule begins with.
local fits, writes = true, op ~= 2 and units > 0
local at, used, third = 0, 0, 0

-- Of a log only as much is told as the rule needs: '<Bddd', the mark, the newest
-- entry's instant, the units that count, and third.
local value = pack('<Bddd', 161, at, used, third)

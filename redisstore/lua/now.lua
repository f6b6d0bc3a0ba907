-- The instant in ticks.
local now = now_s
if tick == 1 then
  now = now_s * 1000000 + now_us
elseif tick == 1000 then
  now = now_s * 1000 + math.floor(now_us / 1000)
end

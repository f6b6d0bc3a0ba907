-- sliding_window_log keeps a list: a head, and an entry for each instant at which
-- units were admitted, oldest first.
--
--   head   '<Bddddd'  the mark; the newest entry's instant and total; the instant of
--                     the oldest that counted when this was written, and the total
--                     before it; and the end of the key
--   entry  '<I?I7'    its instant and total, each as far as it tells entries apart
--
-- Totals are the units that were ever admitted, modulo 2^53, so that what lies
-- between two entries is their difference and is found by halving, without reading
-- the log. An instant is kept in as many bytes as a period needs: no two entries are
-- farther apart. The numbers are
--
--   a  ticks in a period
--   b  the capacity
--   c  in how many bytes an instant is kept
local head, ends = call('LINDEX', key, 0), 0
local newest, total, oldest, before, mark
if head and #head == 41 then
  mark, newest, total, oldest, before, ends = unpack('<Bddddd', head)
  if mark ~= 161 then
    newest, ends = nil, 0
  end
end

-- entry gives the instant and the total of one.
local function entry(i)
  local at, to = unpack('<I' .. c .. 'I7', call('LINDEX', key, i))
  local behind = math.fmod(newest, 256 ^ c) - at
  if behind < 0 then
    behind = behind + 256 ^ c
  end
  return newest - behind, to
end

-- search is the first entry from i on for which something holds that holds for all
-- that follow, and for the last.
local function search(i, holds)
  local last, step, without = call('LLEN', key) - 1, 1, i - 1
  while i < last and not holds(entry(i)) do
    without, i, step = i, i + step, step * 2
  end
  if i > last then
    i = last
  end
  while i - without > 1 do
    local middle = math.floor((without + i) / 2)
    if holds(entry(middle)) then
      i = middle
    else
      without = middle
    end
  end
  return i
end

-- What counts at the effective instant dated: the later of now and the newest entry,
-- unless that is more than a period ahead; then all entries have moved to now. First
-- is the place of the first that counts.
local dated, first, sum, moved = now, 1, 0, false
if newest and newest > now then
  moved = newest - now > a
  if not moved then
    dated = newest
  end
end
if newest and dated - newest >= a then
  newest = nil
elseif newest then
  if dated - oldest >= a then
    first = search(2, function(at) return dated - at < a end)
    local _, gone = entry(first - 1)
    oldest, before = entry(first), gone
  end
  sum = minus(total, before)
end
at, used = newest or 0, sum

local room = b - count - units
fits = room >= 0 and prev * (start + a - dated) <= room * a
count = count + units

fits = units <= b - count
count = count + units

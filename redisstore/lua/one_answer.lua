-- The answer is text and what is stored, which costs less than to pack it again: 1 if
-- it fits or 0, the instant in seconds and microseconds, and the state before or -.
return (fits and '1' or '0') .. seconds .. ' ' .. micros .. ' ' .. (value or '-')

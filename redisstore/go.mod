module github.com/aforo-dev/aforo/redisstore

go 1.26.0

replace github.com/aforo-dev/aforo => ..

require github.com/redis/rueidis v1.0.80

require golang.org/x/sys v0.50.0 // indirect

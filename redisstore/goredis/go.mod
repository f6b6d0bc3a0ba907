module github.com/aforo-dev/aforo/redisstore/goredis

go 1.26.0

require (
	github.com/aforo-dev/aforo v0.0.0
	github.com/aforo-dev/aforo/redisstore v0.0.0
	github.com/redis/go-redis/v9 v9.23.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/hashicorp/golang-lru/v2 v2.0.7 // indirect
	github.com/redis/rueidis v1.0.80 // indirect
	github.com/sony/gobreaker/v2 v2.4.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/aforo-dev/aforo => ../..

replace github.com/aforo-dev/aforo/redisstore => ..

module github.com/aforo-dev/aforo/redisstore

go 1.26.0

require (
	github.com/aforo-dev/aforo v0.0.0
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/redis/rueidis v1.0.80
	github.com/sony/gobreaker/v2 v2.4.0
)

require golang.org/x/sys v0.50.0 // indirect

replace github.com/aforo-dev/aforo => ..

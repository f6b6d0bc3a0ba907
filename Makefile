# Everything that is done with this repository. `make` lists it.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 1m
PAGE = cmd/aforo/internal/web

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: test
test: tools lint ## all tests, after installing what they need: this is what CI runs
	AFORO_BROWSER=required go test -timeout 20m work
	AFORO_BROWSER=skip go test -timeout 20m -race work
	GOARCH=386 go test -timeout 10m . ./storetest ./trace ./sim ./httplimit

.PHONY: lint
lint: ## gofmt, vet and staticcheck
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	go vet work
	go run $(STATICCHECK) work

.PHONY: tools
tools: # the race detector needs gcc, the Redis store redis-server, the page a browser
	@missing=; \
	need() { command -v $$1 >/dev/null || missing="$$missing $$2"; }; \
	need gcc "gcc libc6-dev"; need redis-server redis-server; need node nodejs; need npm npm; need chromium "chromium fonts-dejavu-core"; \
	test -z "$$missing" || { apt-get update && apt-get install -y --no-install-recommends $$missing; }
	@test -d $(PAGE)/node_modules/playwright-core || (cd $(PAGE) && npm ci --no-audit --no-fund)

.PHONY: build
build: ## the command, as bin/aforo
	cd cmd/aforo && go build -o ../../bin/aforo .

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME (default 1m): not part of the tests
	@for dir in $$(go list -f '{{.Dir}}' work); do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$dir/*_test.go 2>/dev/null | cut -c6-); do \
			echo "$$dir $$target"; (cd $$dir && go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) .) || exit 1; \
		done; \
	done

.PHONY: bench
bench: ## Aforo beside its peers, in one run: 15 minutes on an idle machine
	cd bench && go run .

.PHONY: bench-redis
bench-redis: tools ## Aforo's Redis store beside its peers, in one run: 6 minutes on an idle machine
	cd bench && go run ./redis

.PHONY: report
report: ## docs/PERFORMANCE.md and docs/REDIS-PERFORMANCE.md from the newest results
	cd bench && go run . -report && go run ./redis -report

.PHONY: soak
soak: tools ## ten million random calls on Redis, each compared with the rules: 10 minutes
	cd redisstore && AFORO_CALLS=10000000 go test -count=1 -timeout 2h -run TestScriptsSayWhatTheRulesSay -v .

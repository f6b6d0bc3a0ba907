module github.com/aforo-dev/aforo/internal/properties

go 1.25

require (
	github.com/aforo-dev/aforo v0.0.0
	go.uber.org/goleak v1.3.0
	pgregory.net/rapid v1.3.0
)

require github.com/anishathalye/porcupine v1.3.1

replace github.com/aforo-dev/aforo => ../..

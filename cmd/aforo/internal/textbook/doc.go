// Package textbook has no code of its own. Its tests make docs/ALGORITHMS.md,
// docs/es/ALGORITMOS.md and their pictures, and hold that they are true: they
// measure every number, put it into the texts of testdata, and compare.
//
//	go test ./cmd/aforo/internal/textbook -update
//
// writes the documents anew. The texts may not have a digit of their own but in
// code, so no number is there that was not measured.
//
// The limiters called wrong are what the documents warn of: they are here to be
// run beside the right ones, and for nothing else.
package textbook

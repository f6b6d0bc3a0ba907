package trace

import (
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
)

// bzip2Line is validLine("192.0.2.1") and a line ending, compressed.
const bzip2Line = "QlpoOTFBWSZTWWX/Ir8AABjfgEAQUAv6sCLCRAoigQQgIABUU0mnommCYGpowRT1No9Sep6Q0GIBFFOzMtRCSenBiuepOCW+1QpmDnfuWDyk5R1sOIitRuT1QECARmQepLGfs61sXckU4UJBl/yK/A=="

func TestBzip2(t *testing.T) {
	r := NewReader("access.log", base64.NewDecoder(base64.StdEncoding, strings.NewReader(bzip2Line)), Options{})
	if clients := readClients(r); len(clients) != 1 || clients[0] != "192.0.2.1" || r.Err() != nil {
		t.Errorf("clients %q, error %v", clients, r.Err())
	}
}

// TestDecompressors: what is given is found by how the log begins, and comes
// after what is built in.
func TestDecompressors(t *testing.T) {
	reversed := Decompressor{Name: "x", Magic: []byte("X!"), Open: func(r io.Reader) (io.Reader, error) {
		text, err := io.ReadAll(r)
		return strings.NewReader(strings.TrimPrefix(string(text), "X!")), err
	}}
	broken := Decompressor{Name: "y", Magic: []byte("Y!"), Open: func(io.Reader) (io.Reader, error) { return nil, errors.New("broken") }}
	o := Options{Decompressors: []Decompressor{reversed, broken}}
	if clients := readClients(NewReader("x", strings.NewReader("X!"+validLine("192.0.2.1")), o)); len(clients) != 1 {
		t.Errorf("clients %q", clients)
	}
	r := NewReader("y", strings.NewReader("Y!"), o)
	if readClients(r); r.Err() == nil || !strings.Contains(r.Err().Error(), "broken") {
		t.Errorf("error %v", r.Err())
	}
}

// TestCompressionsThatAreNotRead: they are named, with a command that helps.
func TestCompressionsThatAreNotRead(t *testing.T) {
	for magic, want := range map[string]string{
		"\x28\xb5\x2f\xfdxx": "zstd -dc",
		"\xfd7zXZ\x00xx":     "xz -dc",
		"PK\x03\x04xx":       "unzip -p",
		"\x04\x22\x4d\x18xx": "lz4 -dc",
	} {
		r := NewReader("access.log", strings.NewReader(magic), Options{})
		if readClients(r); r.Err() == nil || !strings.Contains(r.Err().Error(), want) {
			t.Errorf("%q: error %v", magic, r.Err())
		}
	}
}

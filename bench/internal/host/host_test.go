package host

import "testing"

func TestFileName(t *testing.T) {
	m := Machine{CPU: "Intel(R) Xeon(R) CPU @ 2.20GHz"}
	if got, want := m.FileName("2026-01-31"), "2026-01-31-intel-r-xeon-r-cpu-2-20ghz.json"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

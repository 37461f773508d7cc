package fetch_test

import (
	"testing"

	"flightdesk/api/fetch"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]int64{
		"500": 500, "500B": 500, "500kB": 500_000, "500k": 500_000, "10MB": 10_000_000, "10 MB/s": 10_000_000, "1.5M": 1_500_000,
		"2MiB": 2 << 20, "1g": 1_000_000_000, "1KiB/s": 1024,
		"": -1, "0": -1, "0.5": -1, "-1": -1, "fast": -1, "10Mbit": -1, "1e9": -1, "10TB": -1, "999999999999G": -1,
	} {
		if got, err := fetch.ParseRate(text); err != nil && want >= 0 || err == nil && got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

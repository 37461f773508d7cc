package kmlcsv

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// checkNumber compares the value of parseNumber with that of strconv, bit for bit.
func checkNumber(t *testing.T, text string) {
	t.Helper()
	checkPadded(t, text)
	v, n := parseNumber([]byte(text), 0)
	if n == 0 {
		all := strings.IndexFunc(text+",", func(r rune) bool { return !strings.ContainsRune("0123456789+-.eE", r) })
		if longest := longestNumber(text); longest > 0 && longest == all {
			t.Fatalf("%q: no number, strconv reads %q", text, text[:longest])
		}
		return
	}
	want, err := strconv.ParseFloat(text[:n], 64)
	if err != nil && !math.IsInf(want, 0) {
		t.Fatalf("%q: %v of %q, strconv: %v", text, v, text[:n], err)
	}
	if math.Float64bits(v) != math.Float64bits(want) {
		t.Fatalf("%q: %v, strconv %v", text, v, want)
	}
	if longest := longestNumber(text); longest != n {
		t.Fatalf("%q: %d bytes, strconv takes %d", text, n, longest)
	}
}

// checkPadded checks that parseNumber returns the same number if there are other bytes before and after it.
func checkPadded(t *testing.T, text string) {
	t.Helper()
	v, n := parseNumber([]byte(text), 0)
	for _, tail := range []string{",                          ", "<" + strings.Repeat("7", 30), strings.Repeat("7", 30), ".5e7" + strings.Repeat("7", 30), strings.Repeat("e", 30)} {
		all := []byte("12" + text + tail)
		w, m := parseNumber(all[:2+len(text)], 2)
		if m != n+2 || math.Float64bits(v) != math.Float64bits(w) {
			t.Fatalf("%q: %v (%d bytes), inside %q %v (%d)", text, v, n, all, w, m-2)
		}
	}
}

// longestNumber returns the length of the longest decimal at the start of text.
func longestNumber(text string) int {
	limit := 0
	for limit < len(text) && strings.IndexByte("0123456789+-.eE", text[limit]) >= 0 {
		limit++
	}
	for n := limit; n > 0; n-- {
		if _, err := strconv.ParseFloat(text[:n], 64); err == nil || strings.Contains(err.Error(), "range") {
			return n
		}
	}
	return 0
}

var numbers = []string{
	"0", "-0", "+1", "1.", ".5", "-.5e1", ".", "-", "+", "", "e5", "1e", "1e+", "1e5", "1E-5", "1e400", "-1e400", "1e-400",
	"6.9603", "50.937500", "13.376543210987654", "179.99999999999999", "9007199254740993", "9007199254740992.5",
	"0.1234567890123456789", "123456789012345678901234567890", "0.0000000000000000000000000001",
	"00000000000000000000000050.25", "1.7976931348623157e308", "4.9406564584124654e-324", "2.2250738585072011e-308",
	"10,50", "10 50", "1..2", "1.2.3", "--1", "1_000", "0x1p-2", "inf", "nan", "10.1111111111111111111111111111111e0",
	"1234567890123456789", "12345678901234567890", "18446744073709551616", "18446744073709551615.9", "9999999999999999999",
}

func TestNumber(t *testing.T) {
	for _, text := range numbers {
		checkNumber(t, text)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		v := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 {
			v = r.Float64()*360 - 180
		}
		text := strconv.FormatFloat(v, "fge"[r.IntN(3)], r.IntN(22)-1, 64)
		if len(text) < 300 && v == v {
			checkNumber(t, text)
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, text := range numbers {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 2000 {
			checkNumber(t, text)
		}
	})
}

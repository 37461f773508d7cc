package format_test

import (
	"math"
	"testing"
	"time"

	"flightdesk/tui/format"
)

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		sum  float64
		code string
		want string
	}{
		{12420, "EUR", "12,420.00 EUR"},
		{1234567.5, "JPY", "1,234,568 JPY"},
		{12.3456, "KWD", "12.346 KWD"},
		{-3, "USD", "−3.00 USD"},
		{4880, "", "4,880.00 no currency"},
		{4880, "XZY", "4,880.00 XZY"},
		{0, "EUR", "0.00 EUR"},
		{1.5, "IQD", "1.500 IQD"}, // customary is 0
		{7, "CLF", "7.0000 CLF"},
	} {
		if got := format.Money(c.sum, c.code); got != c.want {
			t.Errorf("Money(%v, %q) = %q, want %q", c.sum, c.code, got, c.want)
		}
	}
}

func TestChangesHaveTheirSign(t *testing.T) {
	for got, want := range map[string]string{
		format.MoneyChange(4080, "EUR"):  "+4,080.00",
		format.MoneyChange(-735, "JPY"):  "−735",
		format.MoneyChange(0.001, "EUR"): "± 0",
		format.Percent(0.3285):           "+32.9%",
		format.Percent(-0.14):            "−14.0%",
		format.Percent(math.Inf(1)):      "–",
		format.SignedChange(-11, 0):      "−11",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTimeLeft(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 42, 0, 0, time.UTC)
	for _, c := range []struct {
		left  time.Duration
		ticks bool
		want  string
	}{
		{5*24*time.Hour + 11*time.Hour + 59*time.Minute, true, "5 d 11 h"},
		{7*time.Hour + 47*time.Minute + 12*time.Second, true, "07:47:12"},
		{7*time.Hour + 47*time.Minute + 59*time.Second, false, "7 h 47 m"},
		{time.Millisecond, true, "00:00:01"},
		{0, true, "expired"},
		{-time.Hour, false, "expired"},
	} {
		if got := format.TimeLeft(now.Add(c.left), now, c.ticks); got != c.want {
			t.Errorf("Left in %v = %q, want %q", c.left, got, c.want)
		}
	}
	if got := format.TimeLeft(time.Time{}, now, true); got != format.None {
		t.Errorf("no expiry is %q", got)
	}
}

func TestWordsAreNoFormulas(t *testing.T) {
	for s, want := range map[string]string{
		`=HYPERLINK("http://evil.example")`: `'=HYPERLINK("http://evil.example")`,
		"\t@SUM(A1)":                        "'\t@SUM(A1)", "'=1": "''=1", "-12.5": "'-12.5", "levee": "levee", "": "",
	} {
		if got := format.InertCell(s); got != want {
			t.Errorf("Inert(%q) = %q, want %q", s, got, want)
		}
	}
}

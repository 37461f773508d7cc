package format

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// NoCurrency stands behind an amount whose currency nobody told.
const NoCurrency = "no currency"

// Amount writes a sum of money without its currency, with as many decimals as
// that has.
func Amount(sum float64, code string) string { return GroupDigits(sum, Decimals(code)) }

// Money writes a sum of money with its currency: 12,420.00 EUR.
func Money(sum float64, code string) string {
	if code == "" {
		code = NoCurrency
	}
	return Amount(sum, code) + " " + code
}

// withoutDecimals are the currencies whose amounts have none.
var withoutDecimals = strings.Fields("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF")

// Decimals returns how many decimals amounts in a currency have by ISO 4217, two
// where it is not known. Tables of locales say what is customary, which
// differs.
func Decimals(code string) int {
	code = strings.ToUpper(code)
	switch {
	case slices.Contains(withoutDecimals, code):
		return 0
	case slices.Contains([]string{"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"}, code):
		return 3
	case code == "CLF" || code == "UYW":
		return 4
	default:
		return 2
	}
}

// InertCell keeps a spreadsheet from taking words for a formula: those that it would
// take for one begin with an apostrophe.
func InertCell(s string) string {
	if rest := strings.TrimLeft(s, "'\t\r\n "); rest != "" && strings.ContainsRune("=+-@", rune(rest[0])) {
		return "'" + s
	}
	return s
}

// SignedChange writes a difference with its sign: +4,080.00.
func SignedChange(by float64, decimals int) string {
	switch size := GroupDigits(math.Abs(by), decimals); {
	case size == GroupDigits(0, decimals):
		return "± 0"
	case by < 0:
		return "−" + size
	default:
		return "+" + size
	}
}

// Percent writes a share of 1 with its sign: +32.9%.
func Percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return None
	}
	return SignedChange(100*share, 1) + "%"
}

// MoneyChange writes a difference of two sums in a currency.
func MoneyChange(by float64, code string) string { return SignedChange(by, Decimals(code)) }

// TimeLeft writes the time that is left until at, rounded down: 5 d 11 h, below a day
// 7 h 47 m, where it ticks 07:47:12; "expired" once it is over.
func TimeLeft(at, now time.Time, ticks bool) string {
	left := at.Sub(now)
	switch {
	case at.IsZero():
		return None
	case left <= 0:
		return "expired"
	case left >= 24*time.Hour:
		return fmt.Sprintf("%d d %02d h", int(left.Hours())/24, int(left.Hours())%24)
	case ticks:
		s := int(math.Ceil(left.Seconds()))
		return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	default:
		m := max(1, int(left.Minutes()))
		return fmt.Sprintf("%d h %02d m", m/60, m%60)
	}
}

// ShortMoment writes a time in at most 12 cells: the clock for today, else the day
// with it, and of another year only the day.
func ShortMoment(at, now time.Time) string {
	if own := at.In(now.Location()); own.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return own.Format(time.TimeOnly)
	}
	return writeIn(at, now, "2 Jan 15:04", "2 Jan 2006")
}

// Moment writes a date with its time: Wed 25 Nov 18:00, with the year where it
// is not now's.
func Moment(at, now time.Time) string {
	return writeIn(at, now, "Mon 2 Jan 15:04", "Mon 2 Jan 2006 15:04")
}

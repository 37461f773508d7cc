package format

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// NoCurrency is shown after an amount without a currency.
const NoCurrency = "no currency"

// Amount formats an amount without its currency, with the decimals of that currency.
func Amount(sum float64, code string) string { return GroupDigits(sum, Decimals(code)) }

// Money formats an amount with its currency, such as "12,420.00 EUR".
func Money(sum float64, code string) string {
	if code == "" {
		code = NoCurrency
	}
	return Amount(sum, code) + " " + code
}

// withoutDecimals are the currencies without decimals.
var withoutDecimals = strings.Fields("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF")

// Decimals returns the number of decimals of a currency according to ISO 4217, or 2 if the currency is unknown. The
// locale data of Unicode cannot be used: for some currencies it has the number of decimals in daily use, which differs
// from ISO 4217.
func Decimals(code string) int {
	code = strings.ToUpper(code)
	if slices.Contains(withoutDecimals, code) {
		return 0
	}
	switch code {
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	case "CLF", "UYW":
		return 4
	default:
		return 2
	}
}

// InertCell puts an apostrophe before a text that a spreadsheet would evaluate as a formula. It returns other
// texts unchanged.
func InertCell(s string) string {
	rest := strings.TrimLeft(s, "'\t\r\n ")
	if rest != "" && strings.ContainsRune("=+-@", rune(rest[0])) {
		return "'" + s
	}
	return s
}

// SignedChange formats a difference with its sign, such as "+4,080.00".
func SignedChange(by float64, decimals int) string {
	size := GroupDigits(math.Abs(by), decimals)
	if size == GroupDigits(0, decimals) {
		return "± 0"
	}
	if by < 0 {
		return "−" + size
	}
	return "+" + size
}

// Percent formats a share as a signed percentage, such as "+32.9%".
func Percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return None
	}
	return SignedChange(100*share, 1) + "%"
}

// MoneyChange formats a difference of amounts in a currency.
func MoneyChange(by float64, code string) string { return SignedChange(by, Decimals(code)) }

// TimeLeft formats the time left until at, rounded down, such as "5 d 11 h". Less than a day is
// formatted as "7 h 47 m", or as "07:47:12" if withSeconds is true. It returns "expired" if at is
// past.
func TimeLeft(at, now time.Time, withSeconds bool) string {
	left := at.Sub(now)
	switch {
	case at.IsZero():
		return None
	case left <= 0:
		return "expired"
	case left >= 24*time.Hour:
		return fmt.Sprintf("%d d %02d h", int(left.Hours())/24, int(left.Hours())%24)
	case withSeconds:
		s := int(math.Ceil(left.Seconds()))
		return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	default:
		m := max(1, int(left.Minutes()))
		return fmt.Sprintf("%d h %02d m", m/60, m%60)
	}
}

// ShortMoment formats a time in at most 12 cells. If the time is today, the text has only the time of day. On other
// days of this year, it has the date and the time. In other years, it has only the date.
func ShortMoment(at, now time.Time) string {
	local := at.In(now.Location())
	if local.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return local.Format(time.TimeOnly)
	}
	return writeIn(at, now, "2 Jan 15:04", "2 Jan 2006")
}

// DayMoment formats a whole day without a time, such as "Wed 25 Nov". It formats a time like [Moment].
func DayMoment(d DayOrTime, now time.Time) string {
	if !d.IsDay() {
		return Moment(d.Start(), now)
	}
	return writeIn(d.NoonIn(now.Location()), now, "Mon 2 Jan", "Mon 2 Jan 2006")
}

// Moment formats a date and time, such as "Wed 25 Nov 18:00", with the year unless it is
// the current one.
func Moment(at, now time.Time) string {
	return writeIn(at, now, "Mon 2 Jan 15:04", "Mon 2 Jan 2006 15:04")
}

// ExactMoment is Moment with seconds, such as "Wed 25 Nov 18:00:07".
func ExactMoment(at, now time.Time) string {
	return writeIn(at, now, "Mon 2 Jan 15:04:05", "Mon 2 Jan 2006 15:04:05")
}

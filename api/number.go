package api

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

// currencySigns are the currencies that a sign may mean.
var currencySigns = map[string]string{
	"€": "EUR", "£": "GBP", "₹": "INR", "¥": "JPY CNY", "₩": "KRW", "₺": "TRY", "zł": "PLN", "R$": "BRL",
	"$": "USD CAD AUD NZD SGD HKD MXN", "US$": "USD", "A$": "AUD", "C$": "CAD", "NZ$": "NZD",
	"kr": "NOK SEK DKK ISK", "Kč": "CZK", "Fr.": "CHF", "R": "ZAR",
}

var (
	currencyFirst = regexp.MustCompile(`^([^\d\s.,+-]{1,3}\.?)\s*([+-]?[\d.,].*)$`)
	currencyLast  = regexp.MustCompile(`^([+-]?[\d.,].*?)\s*([^\d\s.,+-]{1,3}\.?)$`)
	currencyCode  = regexp.MustCompile(`^[A-Za-z]{3}$`)
)

// priceOf reads an amount, with its currency or without.
func priceOf(v jsontext.Value) Price {
	raw := strings.TrimSpace(tolerant.Text(v))
	unread := Price{Raw: raw}
	switch v.Kind() {
	case '0':
		if f, ok := tolerant.ParseNumber(raw); ok {
			return PriceOf(f)
		}
	case '{':
		if p, ok := priceOfObject(v); ok {
			return p
		}
	case '"':
		if p, ok := priceOfText(raw); ok {
			return p
		}
	case 'n':
		return Price{}
	}
	return unread
}

func priceOfText(raw string) (Price, bool) {
	text, sign := tolerant.PlainSpaces.Replace(raw), ""
	if found := currencyFirst.FindStringSubmatch(text); found != nil {
		sign, text = found[1], found[2]
	} else if found := currencyLast.FindStringSubmatch(text); found != nil {
		text, sign = found[1], found[2]
	}
	f, ok := tolerant.ParseNumber(text)
	if !ok || tolerant.IsAmbiguous(text) {
		return Price{}, false
	}
	p := Price{Amount: f, Known: true}
	if sign == "" {
		return p, true
	}
	p.Raw = raw
	switch may, known := currencySigns[sign]; {
	case known:
		p.currencies = may
	case currencyCode.MatchString(sign):
		p.currencies = strings.ToUpper(sign)
	default:
		return Price{}, false
	}
	return p, true
}

// priceOfObject reads {"amount": 270, "currency": "EUR"}. An object that says
// more may mean something else by its amount, as cents.
func priceOfObject(v jsontext.Value) (Price, bool) {
	var p Price
	currency := ""
	for _, m := range tolerant.Members(v) {
		switch strings.ToLower(m.Name) {
		case "amount", "value":
			p = priceOf(m.Value)
		case "currency", "currencycode", "code":
			currency = strings.ToUpper(tolerant.Text(m.Value))
		default:
			return Price{}, false
		}
	}
	if !p.Known || p.currencies != "" && !p.Fits(currency) {
		return Price{}, false
	}
	p.Raw, p.currencies = string(v), currency
	return p, true
}

// Fits reports whether the amount can be one of the currency: some services
// send the currency with each amount, too.
func (p Price) Fits(currency string) bool {
	return p.currencies == "" || slices.Contains(strings.Fields(p.currencies), currency)
}

// CurrencyDecimals returns how many decimals amounts in a currency of ISO 4217 have.
// Tables of locales differ from it, since they say what is customary.
func CurrencyDecimals(currency string) int {
	switch currency {
	case "BIF",
		"CLP",
		"DJF",
		"GNF",
		"ISK",
		"JPY",
		"KMF",
		"KRW",
		"PYG",
		"RWF",
		"UGX",
		"UYI",
		"VND",
		"VUV",
		"XAF",
		"XOF",
		"XPF":
		return 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	case "CLF", "UYW":
		return 4
	default:
		return 2
	}
}

// RoundAmount rounds an amount that is not negative half up to the decimals of its
// currency. The amount counts as it is written in decimal, so that 0.285 is
// half way and not just below.
func RoundAmount(amount float64, currency string) float64 {
	return roundTo(exactDecimal(amount), CurrencyDecimals(currency))
}

// DiscountedAmount returns what is left of an amount after a discount of 0 to 100 percent,
// rounded as by [RoundAmount].
func DiscountedAmount(amount, percent float64, currency string) float64 {
	left := new(big.Rat).Sub(big.NewRat(100, 1), exactDecimal(percent))
	left.Mul(left, exactDecimal(amount))
	return roundTo(left.Quo(left, big.NewRat(100, 1)), CurrencyDecimals(currency))
}

// exactDecimal returns the shortest decimal that is written for f.
func exactDecimal(f float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok { // infinite or not a number, which no request can say
		return new(big.Rat)
	}
	return r
}

func roundTo(r *big.Rat, decimals int) float64 {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(unit))
	scaled.Add(scaled, big.NewRat(1, 2))
	whole := new(big.Int).Div(scaled.Num(), scaled.Denom())
	f, _ := new(big.Rat).SetFrac(whole, unit).Float64()
	return f
}

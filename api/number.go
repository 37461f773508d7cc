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

// currencySigns has the currencies that a sign can mean, separated by spaces.
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

// priceOf parses an amount with or without a currency.
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

// priceOfText parses an amount with an optional currency sign or code before or after it. It returns false if the
// amount is no number or ambiguous, or if the currency is not known.
func priceOfText(raw string) (Price, bool) {
	sign, number := splitCurrency(tolerant.PlainSpaces.Replace(raw))
	amount, ok := tolerant.ParseNumber(number)
	if !ok || tolerant.IsAmbiguous(number) {
		return Price{}, false
	}
	if sign == "" {
		return PriceOf(amount), true
	}
	currencies := currenciesOf(sign)
	if currencies == "" {
		return Price{}, false
	}
	return Price{
		Amount:     amount,
		Known:      true,
		Raw:        raw,
		currencies: currencies,
	}, true
}

// splitCurrency splits an amount into its currency sign or code, which can be "", and the
// number.
func splitCurrency(text string) (sign, number string) {
	if parts := currencyFirst.FindStringSubmatch(text); parts != nil {
		return parts[1], parts[2]
	}
	if parts := currencyLast.FindStringSubmatch(text); parts != nil {
		return parts[2], parts[1]
	}
	return "", text
}

// currenciesOf returns the currencies that a sign or code can mean, separated by spaces, or
// "" if it is not known.
func currenciesOf(sign string) string {
	if currencies, ok := currencySigns[sign]; ok {
		return currencies
	}
	if currencyCode.MatchString(sign) {
		return strings.ToUpper(sign)
	}
	return ""
}

// priceOfObject parses an object such as {"amount": 270, "currency": "EUR"}. It returns false for an object with
// other members, because its amount may have another unit, such as cents.
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
	if !p.Known || !p.Fits(currency) {
		return Price{}, false
	}
	p.Raw = string(v)
	p.currencies = currency
	return p, true
}

// Fits reports whether the amount can be in the currency. It returns false if the service sent the amount with
// another currency.
func (p Price) Fits(currency string) bool {
	return p.currencies == "" || slices.Contains(strings.Fields(p.currencies), currency)
}

// CurrencyDecimals returns the number of decimals of a currency according to ISO 4217, which is
// not always the customary number in locale tables.
func CurrencyDecimals(currency string) int {
	switch currency {
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV",
		"XAF", "XOF", "XPF":
		return 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	case "CLF", "UYW":
		return 4
	default:
		return 2
	}
}

// RoundAmount rounds an amount to the decimals of its currency. It rounds the decimal number that is printed, not its
// binary value, so 0.285 is exactly half-way and rounded up to 0.29. The amount must not be negative.
func RoundAmount(amount float64, currency string) float64 {
	return roundTo(exactDecimal(amount), CurrencyDecimals(currency))
}

// DiscountedAmount returns an amount less a discount of 0 to 100 percent, rounded by
// [RoundAmount].
func DiscountedAmount(amount, percent float64, currency string) float64 {
	left := new(big.Rat).Sub(big.NewRat(100, 1), exactDecimal(percent))
	left.Mul(left, exactDecimal(amount))
	return roundTo(left.Quo(left, big.NewRat(100, 1)), CurrencyDecimals(currency))
}

// exactDecimal returns the value of the shortest decimal representation of f.
func exactDecimal(f float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok { // infinity or NaN, which JSON cannot represent
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

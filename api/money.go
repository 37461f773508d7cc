package api

import (
	"math/big"
	"strconv"
)

// CurrencyDecimals returns how many decimals amounts in a currency of ISO 4217 have.
// Tables of locales differ from it, since they say what is customary.
func CurrencyDecimals(currency string) int {
	switch currency {
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF":
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
// rounded as by [Round].
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

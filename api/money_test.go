package api_test

import (
	"math/rand/v2"
	"testing"

	"flightdesk/api"
)

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		amount   float64
		currency string
		want     float64
	}{
		{0.285, "EUR", 0.29},
		{0.284999, "EUR", 0.28},
		{1.005, "USD", 1.01},
		{2.675, "GBP", 2.68},
		{1234.5, "JPY", 1235},
		{1234.49, "JPY", 1234},
		{0.0005, "KWD", 0.001},
		{0.00049, "BHD", 0},
		{1.00005, "CLF", 1.0001},
		{0, "EUR", 0},
		{999999999999.995, "EUR", 1000000000000},
		{1e12, "JPY", 1e12},
		{0.1 + 0.2, "EUR", 0.3},
		{5, "XXX", 5},
	} {
		if got := api.RoundAmount(c.amount, c.currency); got != c.want {
			t.Errorf("%v %s is rounded to %v, want %v", c.amount, c.currency, got, c.want)
		}
	}
}

func TestDiscounts(t *testing.T) {
	for _, c := range []struct {
		price, percent float64
		currency       string
		want           float64
	}{
		{1000, 0, "EUR", 1000},
		{1000, 10, "EUR", 900},
		{1000, 100, "EUR", 0},
		{99.99, 12.5, "EUR", 87.49},
		{0.1, 50, "EUR", 0.05},
		{0.01, 50, "EUR", 0.01},
		{1001, 50, "JPY", 501},
		{1, 33.333, "KWD", 0.667},
		{70, 2.5, "EUR", 68.25},
		{1.15, 10, "EUR", 1.04},
	} {
		if got := api.DiscountedAmount(c.price, c.percent, c.currency); got != c.want {
			t.Errorf("%v %s less %v %% is %v, want %v", c.price, c.currency, c.percent, got, c.want)
		}
	}
}

func TestDiscountsStayWithinThePrice(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	currencies := []string{"EUR", "JPY", "KWD", "CLF"}
	for range 20_000 {
		currency := currencies[random.IntN(len(currencies))]
		price := api.RoundAmount(random.Float64()*1e9, currency)
		percent := random.Float64() * 100
		final := api.DiscountedAmount(price, percent, currency)
		if final < 0 || final > price || api.RoundAmount(final, currency) != final || api.RoundAmount(price, currency) != price {
			t.Fatalf("%v %s less %v %% is %v", price, currency, percent, final)
		}
	}
}

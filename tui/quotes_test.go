package tui_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// quoted answers like a service whose only order has these quotes.
func quoted(quotes string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		record := `{"id":"o-1","orderCode":"ORD-100241","orderName":"Elbe levee south","areaSize":1842000,"companyName":"ACME",
			"orderStatus":"quoteReceived","status":"quoteReceived","locationMap":[{"lat":53.6,"lng":9.48}],"mapTypes":["_2dMap"],"quotes":` + quotes + `}`
		switch {
		case strings.Contains(r.URL.Path, "getorderslist"):
			_, _ = w.Write([]byte("[" + record + "]"))
		case strings.Contains(r.URL.Path, "getorder"):
			_, _ = w.Write([]byte(record))
		default:
			nothing(w, r)
		}
	}
}

func TestThreeQuotesSideBySide(t *testing.T) {
	quotes := []map[string]any{
		{
			"quoteId": "q-1", "quoteName": "AeroScan Hanse", "deliveryBy": "20 days", "priceBeforeDiscount": 13800, "finalPrice": 12420, "currency": "EUR",
			"discountProvided": "10%", "reasonForDiscount": "frame contract", "expiryDate": "2026-11-25T18:00:00+01:00", "description": "2 cm GSD, GCPs included",
		},
		{
			"quoteId": "q-2", "quoteName": "Nordflug express", "deliveryBy": 9, "priceBeforeDiscount": 16500, "finalPrice": 16500, "currency": "EUR",
			"discountProvided": "0%", "expiryDate": "2026-11-24T17:29:12+01:00", "description": "RTK crew in Hamburg that week",
		},
		{
			"quoteId": "q-3", "quoteName": "Skyline Süd", "deliveryBy": "14 days", "priceBeforeDiscount": 14900, "finalPrice": 14155, "currency": "EUR",
			"discountProvided": "5%", "expiryDate": "2026-11-27T12:00:00+01:00",
		},
	}
	body, err := json.Marshal(quotes)
	if err != nil {
		t.Fatal(err)
	}
	d := against(t, quoted(string(body)))
	d.Press("4")
	d.Sees("ORD-100241", "12,420.00 EUR", "9 days")
	d.Press("enter")
	d.Sees("▸AeroScan Hanse", "cheapest", "fastest", "+ 4,080.00 + 32.9 %", "− 11 days", "67.43 EUR", "07:47:12", "10 % frame contract")
	d.Press("A")
	d.Sees("Accept quote", "ORD-100241", "12,420.00 EUR", "Closes the 2 other quotes.", "Type 12420")
	d.Press("esc")
	d.Resize(80, 24)
	d.Sees("AeroScan Hanse", "Skyline Süd", "Nordflug express", "+ 4,080.00 + 32.9 %")
}

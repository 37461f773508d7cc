package standin

import (
	"net/http"
	"slices"
)

// Price is a test case: the price of a quote as a service may send it, and what the client must
// show.
type Price struct {
	Sent   string // JSON
	Amount float64
	Read   bool   // false if the client must show Raw and must not guess an amount
	Raw    string // text that the client must show if Read is false
}

// readablePrices returns a test case for each form of a price. In all of them, the client must
// understand the amount.
func readablePrices(amount float64, forms ...string) []Price {
	prices := make([]Price, len(forms))
	for i, form := range forms {
		prices[i] = Price{Sent: form, Amount: amount, Read: true}
	}
	return prices
}

// Prices returns the test cases for the price of a quote in EUR.
func Prices() []Price { return append(pricesToRead(), pricesToShow()...) }

// pricesToRead returns the test cases in which the client must understand the amount.
func pricesToRead() []Price {
	prices := readablePrices(
		1388.43,
		`1388.43`,
		`"1388.43"`,
		`"1,388.43"`,
		`"1.388,43"`,
		`"1 388.43"`,
		`"1 388,43"`,
		`"1'388.43"`,
		`"1’388.43"`,
		`"1\u00a0388,43"`,
		`"1388,43"`,
		`1.38843e3`,
		`"EUR 1388.43"`,
		`"1388.43 EUR"`,
		`"eur 1,388.43"`,
		`"€1388.43"`,
		`"€ 1.388,43"`,
		`"1.388,43 €"`,
		`{"amount":1388.43,"currency":"EUR"}`,
		`{"amount":"1,388.43","currency":"EUR"}`,
		`{"value":1388.43}`,
	)
	return slices.Concat(
		prices,
		readablePrices(1388000, `"1,388,000"`, `"1.388.000"`),
		readablePrices(138843.5, `"1,38,843.50"`),
		readablePrices(1388.4, `"1388,4"`),
		readablePrices(1388, `"1 388"`),
		readablePrices(0, `0`, `"0"`, `"0.00"`),
	)
}

// pricesToShow returns the test cases in which the price is missing or its amount is not certain.
// The client must then show the text of the price unchanged.
func pricesToShow() []Price {
	prices := []Price{{Sent: `""`}, {Sent: `null`}}
	texts := []string{
		"1,388",
		"1.388",
		"EUR 1.388",
		"about 1388",
		"1388.43 each",
		"1,38.43",
		"1.388.43",
		"1388.43-1500",
		"on request",
		"NaN",
		"0x10",
		"USD 1388.43",
		"$1388.43",
	}
	for _, text := range texts {
		prices = append(prices, Price{Sent: `"` + text + `"`, Raw: text})
	}
	values := []string{
		`1e999`,
		`true`,
		`[1388.43]`,
		`{"amount":138843,"currency":"EUR","exponent":2}`,
		`{"amount":1388.43,"currency":"USD"}`,
	}
	for _, value := range values {
		prices = append(prices, Price{Sent: value, Raw: value})
	}
	return prices
}

// ListContainers returns templates of responses that contain a list with one row. %s is the place
// of the row.
func ListContainers() []string {
	return []string{
		`[%s]`,
		`{"data":[%s]}`,
		`{"items":[%s]}`,
		`{"orders":[%s]}`,
		`{"results":[%s]}`,
		`{"rows":[%s]}`,
		`{"list":[%s]}`,
		`{"records":[%s]}`,
		`{"success":true,"message":"","data":{"data":[%s],"nextCursor":null,"hasNextPage":false}}`,
		`{"success":true,"data":[%s]}`,
		`{"success":true,"data":{"orders":[%s]}}`,
		`{"success":true,"data":{"items":[%s],"total":1}}`,
		`{"data":{"results":[%s]}}`,
		`{"success":true,"data":{"u1":%s}}`,
		`{"u1":%s}`,
		`{"orders":{"u1":%s}}`,
		`{"success":true,"data":%s}`,
		`%s`,
		`{"page":1,"history":[%s]}`,
		`[null,%s,"total: 1",7]`,
		`{"data":[%s,null]}`,
		"\ufeff[%s]",
		`{"id":"request-7","success":true,"data":[%s]}`,
		`{"order":%s}`,
		`{"content":[%s],"pageInfo":{"hasNextPage":false}}`,
	}
}

// NoLists returns responses without a list, not even an empty list.
func NoLists() []string {
	return []string{
		`"none"`,
		`7`,
		`true`,
		`{"ok":true}`,
		`["a","b"]`,
		`[null]`,
		`{"success":true,"data":"none"}`,
		`{"success":true}`,
		`<html>`,
		``,
	}
}

// OrderContainers returns templates of responses that contain an order. A test replaces two words in
// each template: ORDER with the members of the order, without braces and missions, and MISSIONS with
// the list of its missions.
func OrderContainers() []string {
	const whole = `{ORDER,"missions":MISSIONS}`
	return []string{
		whole,
		`{"success":true,"message":"","data":` + whole + `}`,
		`{"data":` + whole + `}`,
		`{"order":` + whole + `}`,
		`[` + whole + `]`,
		`{"order":{ORDER},"missions":MISSIONS}`,
		`{"success":true,"data":{"order":{ORDER},"missions":MISSIONS}}`,
		`{"result":` + whole + `}`,
		`{"success":true,"data":[` + whole + `]}`,
	}
}

// Refusal is the body of an error response, and the reason that the client must show.
type Refusal struct{ Body, Reason string }

// Refusals returns bodies of error responses for an order that does not exist.
func Refusals() []Refusal {
	refusals := []Refusal{
		{`{"message":["no such order","try again"],"error":"x"}`, "no such order; try again"},
		{`{"error":"not_found"}`, "not_found"},
		{`{"data":{"code":"not_found"}}`, "not found"},
	}
	bodies := []string{
		`{"success":false,"message":"no such order"}`,
		`{"message":"no such order"}`,
		`{"error":"no such order"}`,
		`{"error":{"message":"no such order","code":"not_found"}}`,
		`{"errors":["no such order"]}`,
		`{"errors":[{"message":"no such order"}]}`,
		`{"detail":"no such order"}`,
		`{"title":"Not found","detail":"no such order"}`,
		`{"title":"no such order","status":404}`,
		`{"msg":"no such order"}`,
		`{"reason":"no such order"}`,
		`{"data":{"message":"no such order"}}`,
		`{"error_description":"no such order","error":"not_found"}`,
		`{"fault":{"faultstring":"no such order"}}`,
		`{"Message":"no such order"}`,
		`"no such order"`,
		`["no such order"]`,
	}
	for _, body := range bodies {
		refusals = append(refusals, Refusal{Body: body, Reason: "no such order"})
	}
	return refusals
}

// QuietRefusals returns bodies of error responses that have the status 200. They say that the
// account is closed.
func QuietRefusals() []string {
	return []string{
		`{"success":false,"message":"closed"}`,
		`{"success":"false","error":"closed"}`,
		`{"status":"error","message":"closed"}`,
		`{"error":"closed"}`,
	}
}

// FieldFaults returns members of error responses whose reason is that the field order.deadline
// is in the past.
func FieldFaults() []string {
	return []string{
		`"errors":[{"field":"order.deadline","message":"is in the past"}]`,
		`"errors":{"order.deadline":["is in the past"]}`,
		`"errors":{"order.deadline":"is in the past"}`,
		`"errors":{"order":{"deadline":["is in the past"]}}`,
		`"invalid-params":[{"name":"order.deadline","reason":"is in the past"}]`,
		`"detail":[{"loc":["order","deadline"],"msg":"is in the past"}]`,
		`"fields":{"order.deadline":"is in the past"}`,
		`"error":{"details":[{"path":"order.deadline","message":"is in the past"}]}`,
		`"violations":[{"property":"order.deadline","message":"is in the past"}]`,
		`"data":{"errors":[{"field":"order.deadline","message":"is in the past"}]}`,
	}
}

// LimitRefusals returns bodies of error responses to a request with a limit above 50. The keys of
// the map say how the body mentions the limit.
func LimitRefusals() map[string]string {
	return map[string]string{
		"named":      `{"message":"limit must not be greater than 50"}`,
		"not named":  `{"message":"bad request"}`,
		"of a field": `{"message":"the request has a fault","data":{"errors":[{"field":"limit","message":"is at most 50"}]}}`,
	}
}

// Cursors returns JSON members of list responses. Each of them says in another way that the list has a next page.
func Cursors() []string {
	return []string{
		`"nextCursor":"b"`,
		`"next_cursor":"b"`,
		`"nextCursor":7`,
		`"nextCursor":"b","hasNextPage":"true"`,
		`"nextCursor":"b","has_more":true`,
		`"meta":{"nextCursor":"b"}`,
	}
}

// EndlessLists returns the JSON members of list responses from a service whose list never ends. The
// keys of the map say why, such as "the same cursor". In the values, the caller replaces ROW by a
// row, and # by the number of the page.
func EndlessLists() map[string]string {
	return map[string]string{
		"the same cursor": `"data":[ROW],"nextCursor":"a","hasNextPage":true`,
		"empty pages":     `"data":[],"nextCursor":"c#","hasNextPage":true`,
		"no cursor":       `"data":[ROW],"nextCursor":null,"hasNextPage":true`,
	}
}

// MoveAnswers returns bodies of responses to a successful change of an order's status, such as
// cancelling it. The bodies do not contain the order.
func MoveAnswers() []string {
	return []string{"", "ok", `{}`, `{"success":true,"message":"cancelled","data":{}}`, `"done"`}
}

// Answer is a response of a service.
type Answer struct {
	Status int
	Header http.Header // nil is the header of JSON
	Body   string
}

// Deletions returns responses to a deletion that was made.
func Deletions() []Answer {
	list := []Answer{{Status: 204}}
	for _, body := range []string{"", "deleted", `{}`, `{"success":true,"data":null}`, `true`} {
		list = append(list, Answer{Status: 200, Body: body})
	}
	return list
}

// Times returns forms of the time 2026-12-01T08:30:00Z.
func Times() []string {
	return []string{
		`"2026-12-01T08:30:00Z"`,
		`"2026-12-01T08:30:00.000Z"`,
		`"2026-12-01T14:00:00+0530"`,
		`"2026-12-01T14:00:00+05:30"`,
		`"2026-12-01T09:30:00+01"`,
		`"2026-12-01T08:30Z"`,
		`"2026-12-01T09:30+01:00"`,
		`"2026-12-01 08:30:00"`,
		`"2026-12-01 08:30:00+00:00"`,
		`"2026-12-01 08:30:00.000 UTC"`,
		`"2026-12-01 09:30:00 +0100"`,
		`"Tue, 01 Dec 2026 08:30:00 GMT"`,
		`"Tue, 01 Dec 2026 09:30:00 +0100"`,
		`1796113800`,
		`1796113800000`,
		`"1796113800"`,
		`"20261201T083000Z"`,
		`" 2026-12-01T08:30:00Z "`,
	}
}

// NoTimes returns values that the client must not read as a time, because their meaning is not
// certain.
func NoTimes() []string {
	return []string{`"12/01/2026"`, `"next week"`, `7`, `true`, `"2026-13-01"`, `"2026-12-01 08:30:00 PST"`}
}

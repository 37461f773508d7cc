package cli

import (
	"slices"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
)

func TestNamesAreCompletedByTheirKinds(t *testing.T) {
	var n nameCollector
	n.AddCodes("ORD-100250")
	n.AddCodes("ORD-100250; rm -rf /") // not a code
	n.AddCodes("MSN-300001")
	n.AddRow(&columns.ListedQuote{OrderCode: "ORD-100250", Quote: api.Quote{QuoteID: "q-1", QuoteName: "Express"}})
	n.AddRow(&columns.ListedQuote{OrderCode: "ORD-100251", Quote: api.Quote{QuoteID: "q-2", QuoteName: "Economy\t\x1b[2J"}})
	n.AddRow(&api.WebhookEndpoint{UUID: "01ab", URL: "https://one.example/hook"})
	n.AddRow(&ops.Account{UUID: "u-1", CompanyName: "Nordwind AG"})
	n.AddRow(&ops.Account{UUID: "u-2"})
	for _, tt := range []struct {
		kinds        []string
		typed, order string
		want         []string
	}{
		{[]string{kindOrder}, "ord", "", []string{"ORD-100250"}},
		{[]string{kindOrder, kindMission}, "", "", []string{"ORD-100250", "MSN-300001"}},
		{[]string{kindQuote}, "", "ORD-100250", []string{"q-1\tORD-100250 Express"}},
		{[]string{kindEndpoint}, "01", "", []string{"01ab\thttps://one.example/hook"}},
		{[]string{kindAccount}, "nord", "", []string{"Nordwind AG\tu-1"}},
		{[]string{kindAccount}, "ost", "", nil},
		{nil, "", "", nil},
	} {
		if got := matchNames(n.lines, tt.kinds, tt.typed, tt.order); !slices.Equal(got, tt.want) {
			t.Errorf("%v %q: %q, want %q", tt.kinds, tt.typed, got, tt.want)
		}
	}
	for _, line := range n.lines {
		if slices.ContainsFunc([]rune(line), func(r rune) bool { return r < ' ' && r != '\t' }) {
			t.Errorf("%q contains a control character", line)
		}
	}
}

package cli

import (
	"slices"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
)

func TestNamesAreCompletedByTheirKinds(t *testing.T) {
	var s seenNames
	s.NoteCode("ORD-100250")
	s.NoteCode("ORD-100250; rm -rf /") // what is no code is dropped
	s.NoteCode("MSN-300001")
	s.NoteRow(&columns.ListedQuote{OrderCode: "ORD-100250", Quote: api.Quote{QuoteID: "q-1", QuoteName: "Express"}})
	s.NoteRow(&columns.ListedQuote{OrderCode: "ORD-100251", Quote: api.Quote{QuoteID: "q-2", QuoteName: "Economy\t\x1b[2J"}})
	s.NoteRow(&api.WebhookEndpoint{UUID: "01ab", URL: "https://one.example/hook"})
	s.NoteRow(&ops.Account{UUID: "u-1", CompanyName: "Nordwind AG"})
	s.NoteRow(&ops.Account{UUID: "u-2"})
	for _, tt := range []struct {
		kinds        []string
		typed, order string
		want         []string
	}{
		{[]string{orders}, "ord", "", []string{"ORD-100250"}},
		{[]string{orders, missions}, "", "", []string{"ORD-100250", "MSN-300001"}},
		{[]string{quotes}, "", "ORD-100250", []string{"q-1\tORD-100250 Express"}},
		{[]string{Endpoints}, "01", "", []string{"01ab\thttps://one.example/hook"}},
		{[]string{accounts}, "nord", "", []string{"Nordwind AG\tu-1"}},
		{[]string{accounts}, "ost", "", nil},
		{nil, "", "", nil},
	} {
		if got := matchingNames(s.names, tt.kinds, tt.typed, tt.order); !slices.Equal(got, tt.want) {
			t.Errorf("%v %q: %q, want %q", tt.kinds, tt.typed, got, tt.want)
		}
	}
	for _, line := range s.names {
		if slices.ContainsFunc([]rune(line), func(r rune) bool { return r < ' ' && r != '\t' }) {
			t.Errorf("%q has what a terminal obeys", line)
		}
	}
}

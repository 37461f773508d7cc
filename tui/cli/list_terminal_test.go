//go:build unix

package cli

import (
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
)

// served returns a demo service, and the environment variables with which the program uses its first
// account.
func served(t *testing.T) (*server.Server, []string) {
	t.Helper()
	s := listen(t, &server.Server{})
	return s, []string{
		"FLIGHTDESK_BASE_URL=" + s.BaseURL(), "FLIGHTDESK_LEGACY_BASE_URL=" + s.LegacyURL(), "FLIGHTDESK_API_KEY=" + s.Accounts()[0].Key,
	}
}

// finished waits for the end of the program, checks its exit status and returns its output.
func (x *terminal) finished(status int) string {
	x.t.Helper()
	<-x.ended
	if got := x.cmd.ProcessState.ExitCode(); got != status {
		x.t.Errorf("status %d, want %d", got, status)
	}
	// Some output of the program may not be read yet. The mark is read after all of it.
	const end = "<end of the output>"
	if _, err := x.pty.Slave().WriteString(end); err != nil {
		x.t.Fatal(err)
	}
	x.sees(end)
	x.mu.Lock()
	defer x.mu.Unlock()
	output, _, _ := strings.Cut(x.output.String(), end)
	return output
}

// On a terminal, statuses have colours unless NO_COLOR is set, and lines fit the width.
func TestListInATerminal(t *testing.T) {
	_, vars := served(t)
	x := inTerminal(t, vars, "list", "orders")
	x.sees("17 orders")
	output := x.finished(exitDone)
	if !strings.Contains(output, "\x1b[32mCompleted") {
		t.Errorf("without colour: %q", output)
	}
	x = inTerminal(t, append(vars, "NO_COLOR=1"), "list", "missions")
	x.sees(" missions")
	for line := range strings.Lines(x.finished(exitDone)) {
		if strings.Contains(line, "\x1b[3") || strings.HasPrefix(line, "MSN-") && len([]rune(strings.TrimSpace(line))) > 100 {
			t.Errorf("coloured or too long: %q", line)
		}
	}
}

// Deleted orders, which only the v2 API has, are listed only with --status deleted.
func TestListOrdersLeavesDeletedOrdersOut(t *testing.T) {
	_, vars := served(t)
	for status, want := range map[string]bool{"": false, "deleted": true} {
		output := inTerminal(t, vars, "list", "orders", "--output", "json", "--status", status).finished(exitDone)
		if strings.Contains(output, `"status":"deleted"`) != want {
			t.Errorf("--status %q: %s", status, output)
		}
	}
}

// A calendar has the expiries of the quotes that can still be decided. With a selection of missions,
// it has only what is about these.
func TestListMissionsAsACalendar(t *testing.T) {
	s, vars := served(t)
	client, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key), api.WithLegacyURL(s.LegacyURL()))
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for listed, err := range client.Records.All(t.Context(), api.RecordListOptions{Status: api.RecordQuoteReceived}) {
		if err != nil {
			t.Fatal(err)
		}
		record, err := client.Records.Get(t.Context(), listed.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, quote := range record.Quotes {
			if quote.ExpiryDate.After(client.Now()) {
				wanted = append(wanted, "UID:expiry-"+record.ID+"-"+quote.QuoteID, "DTSTART:"+quote.ExpiryDate.UTC().Format("20060102T150405Z"))
			}
		}
	}
	if len(wanted) == 0 {
		t.Fatal("the demo has no open quotes")
	}
	output := inTerminal(t, vars, "list", "missions", "--output", "ics").finished(exitDone)
	unfolded := strings.NewReplacer("\r\r\n ", "", "\r\n ", "").Replace(output)
	for _, want := range append(wanted, "SUMMARY:Quote expires: ", "SUMMARY:Due: ", "SUMMARY:Flight: ") {
		if !strings.Contains(unfolded, want) {
			t.Errorf("no %q in\n%s", want, unfolded)
		}
	}
	output = inTerminal(t, vars, "list", "missions", "--output", "ics", "--status", "flightScheduled").finished(exitDone)
	if !strings.Contains(output, "SUMMARY:Flight: ") || strings.Contains(output, "Quote expires") {
		t.Errorf("not only the selected missions:\n%s", output)
	}
}

// --labels prints the titles, words and units of the app.
func TestListWithLabels(t *testing.T) {
	_, vars := served(t)
	vars = append(vars, "TZ=Europe/Berlin")
	names := inTerminal(t, vars, "list", "orders", "--output", "csv").finished(exitDone)
	labels := inTerminal(t, vars, "list", "orders", "--output", "csv", "--labels").finished(exitDone)
	for text, want := range map[string][2]bool{
		"orderCode": {true, false}, "pendingOperator": {true, false}, "\ufeff": {false, true},
		"Status": {false, true}, "Awaiting operator": {false, true}, "(ha)": {false, true},
	} {
		if got := [2]bool{strings.Contains(names, text), strings.Contains(labels, text)}; got != want {
			t.Errorf("%q with names and with labels: %v, want %v\n%s\n%s", text, got, want, names, labels)
		}
	}
	refused := inTerminal(t, vars, "list", "orders", "--labels").finished(exitUsage)
	if !strings.Contains(refused, "--labels works only with --output csv") {
		t.Errorf("refused with %q", refused)
	}
}

//go:build unix

package cli

import (
	"strings"
	"testing"

	"flightdesk/api/server"
)

// served returns a demo service, and the environment variables with which the program uses its first
// account.
func served(t *testing.T) (*server.Server, []string) {
	t.Helper()
	s := &server.Server{Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Listen(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
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

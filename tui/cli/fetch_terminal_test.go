//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
)

// On a terminal the progress is one line, which is erased at the end.
func TestFetchInATerminal(t *testing.T) {
	t.Parallel()
	s := listen(t, &server.Server{})
	client, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key))
	if err != nil {
		t.Fatal(err)
	}
	mission, err := scheduled(client, "")
	if err != nil {
		t.Fatal(err)
	}
	content := bytes.Repeat([]byte("survey! "), 200_000)
	if err := deliverFiles(s.Ready().OpsURL, s.Ready().OpsKey, mission, deliveredFile{"bad\u202egpj.tif", "jpg", content}); err != nil {
		t.Fatal(err)
	}
	x := inTerminal(t, []string{"FLIGHTDESK_BASE_URL=" + s.BaseURL(), "FLIGHTDESK_API_KEY=" + s.Accounts()[0].Key},
		"fetch", mission.OrderCode, "--to", "got", "--limit-rate", "1MB")
	x.sees("0 of 1 file ")
	x.sees("B/s ")
	x.sees("downloaded 1 file, 1.6 MB, to got/")
	if err := <-x.ended; err != nil {
		t.Fatal(err)
	}
	x.mu.Lock()
	output := x.output.String()
	x.mu.Unlock()
	if strings.Contains(output, "\u202e") {
		t.Errorf("drawn %q", output)
	}
	if after := output[strings.LastIndex(output, "\x1b[K"):]; strings.Contains(after, "0 of 1") || !strings.Contains(after, "downloaded") {
		t.Errorf("the meter stays: %q", after)
	}
	got, err := os.ReadFile(filepath.Join(x.places, "got", mission.OrderCode, mission.MissionCode, "v1", "badgpj.tif"))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

//go:build unix

package tui_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/xpty"

	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/apptest"
)

func TestPlainDoesNotEchoASecret(t *testing.T) {
	pty, err := xpty.NewUnixPty(120, 40)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pty.Close() }()
	opts := plainOptions(t, apptest.AnswerNothing)
	opts.Begin = action.GoWebhooks
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- tui.RunPlain(ctx, opts, pty.Slave(), pty.Slave()) }()
	var seen bytes.Buffer
	// A row that is marked begins like the prompt, but the prompt is the last.
	until := func(prompt string) {
		t.Helper()
		from, buf := seen.Len(), make([]byte, 4096)
		for !strings.HasSuffix(seen.String()[from:], prompt) {
			n, err := pty.Read(buf)
			if err != nil {
				t.Fatalf("%v; seen so far:\n%s", err, seen.String())
			}
			seen.Write(buf[:n])
		}
	}
	bench := ""
	for _, a := range action.ActionsOf(action.Webhooks) {
		if a.ID == action.CheckSignature {
			bench = a.Keys[0]
		}
	}
	until("\n> ")
	for _, line := range []string{bench, "", "sha256=visible", "whsec_hidden", "time.visible"} {
		if _, err := pty.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		until("\n> ")
	}
	if text := seen.String(); !strings.Contains(text, "> sha256=visible") || !strings.Contains(text, "> time.visible") || strings.Contains(text, "whsec_hidden") {
		t.Errorf("the terminal shows\n%s", text)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

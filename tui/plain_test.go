package tui_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/apptest"
)

// plainly runs the app in plain mode with input lines against a service that responds with h, and
// returns its output.
func plainly(t *testing.T, h http.HandlerFunc, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := tui.RunPlain(
		t.Context(), plainOptions(t, h), strings.NewReader(strings.Join(lines, "\n")), &out,
	); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func plainOptions(t *testing.T, h http.HandlerFunc) tui.Options {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	client, err := api.NewClient(
		web.URL, api.WithKey("fd_test_key"), api.WithTimeout(apptest.Patience),
		api.WithBackoff(time.Millisecond),
	)
	if err != nil {
		t.Fatal(err)
	}
	return tui.Options{
		ProfileOptions: tui.ProfileOptions{Client: client, Profile: "prod"},
		Folder:         t.TempDir(),
		Begin:          action.GoOrders,
	}
}

func TestPlainExplainsDisabledAndUnknownActions(t *testing.T) {
	out := plainly(t, apptest.AnswerNothing, "open", "dance", "M", "n", "", ":esc", "quit")
	for _, want := range []string{
		"== Orders - 0 orders, refreshed just now ==", "No orders yet.",
		"-- open: no order selected", `-- no action "dance" on this page; type ? for the list, or :dance to search all`, "-- not available with --plain",
		"== Orders > New order - ", "Type text, or : and a key: ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestPlainWritesErrorsWithoutEscapeCodes(t *testing.T) {
	out := plainly(t, apptest.AnswerBroken)
	if !strings.Contains(out, "The disk is full (HTTP 500)") {
		t.Errorf("the trouble is not in\n%s", out)
	}
	out = plainly(t, func(w http.ResponseWriter, _ *http.Request) {
		apptest.WriteAnswer(
			w, 200,
			apptest.OrderList(`"uuid":"u1","orderCode":"ORD-1","orderName":"\u001b[2Jevil\u0007","status":"completed"`),
		)
	}, "enter")
	if strings.ContainsAny(out, "\x1b\x07") || !strings.Contains(out, "␛[2Jevil") {
		t.Errorf("the output is %q", out)
	}
}

func TestPlainReadsLinesOfAnyLength(t *testing.T) {
	out := plainly(t, apptest.AnswerNothing, strings.Repeat("x", 70_000), "dance")
	if !strings.Contains(out, `-- no action "dance" on this page`) {
		t.Error("what follows a long line is not done")
	}
}

func TestPlainShowsACopiedTextWithoutAClipboard(t *testing.T) {
	order := func(w http.ResponseWriter, _ *http.Request) {
		apptest.WriteAnswer(w, http.StatusOK, apptest.OrderList(`"uuid":"u1","orderCode":"ORD-1","status":"completed"`))
	}
	out := plainly(t, order, "y", "alt+y")
	for _, want := range []string{"-- No clipboard: ORD-1, alt+y to show it", "== Orders > Copied text - ORD-1 ==", "\nORD-1\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Contains(out, "mouse") {
		t.Errorf("plain mode mentions the mouse:\n%s", out)
	}
}

// unreadable is an input that fails.
type unreadable struct{}

func (unreadable) Read([]byte) (int, error) { return 0, errors.New("the line is cut") }

func TestPlainReturnsInputErrors(t *testing.T) {
	if err := tui.RunPlain(
		t.Context(), plainOptions(t, apptest.AnswerNothing), unreadable{}, io.Discard,
	); err == nil || err.Error() != "the line is cut" {
		t.Errorf("error %v", err)
	}
}

// full is an output that fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestPlainEndsOnOutputErrorOrCancel(t *testing.T) {
	never, lines := io.Pipe()
	defer lines.Close()
	if err := tui.RunPlain(
		t.Context(), plainOptions(t, apptest.AnswerNothing), never, full{},
	); err == nil || err.Error() != "no space left" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tui.RunPlain(ctx, plainOptions(t, apptest.AnswerNothing), never, io.Discard); err != nil {
		t.Errorf("error %v", err)
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestErrorsArePrintedWithTheirExitStatus(t *testing.T) {
	running := newInterruption(t.Context(), io.Discard, 0)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	stopped := &interruption{Ctx: ended}
	sent := &interruption{Ctx: ended, isChanging: true, hasSent: true, pending: "POST /orders"}
	answered := &interruption{Ctx: ended, isChanging: true, hasSent: true}
	for _, tt := range []struct {
		name   string
		ctx    *interruption
		err    error
		status int
		line   string
	}{
		{"done", running, nil, 0, ""},
		{"failed", running, errors.New("a.kml: no such file"), 1, "a.kml: no such file\n"},
		{"text from outside", running, errors.New("\x1b[2Ja\nb\u202e"), 1, "␛[2Ja; b\uFFFD\n"},
		{"wrong usage", running, fmt.Errorf("x: %w", &usageError{Command: "flightdesk parse", Err: errors.New("no file")}), 2, "no file; see flightdesk parse --help\n"},
		{"interrupted", stopped, fmt.Errorf("reading: %w", context.Canceled), 130, "interrupted\n"},
		{"interrupted before a change", &interruption{Ctx: ended, isChanging: true}, context.Canceled, 130, "interrupted; nothing was sent\n"},
		{"interrupted in a change", sent, context.Canceled, 130, "interrupted; no response to POST /orders: the change may have been applied; check before retrying\n"},
		{"interrupted between two changes", answered, context.Canceled, 130, "interrupted; nothing more was sent\n"},
		{"read back", sent, errors.New("ORD-1 is cancelled"), 130, "interrupted; ORD-1 is cancelled\n"},
		{"failed while it was stopped", stopped, errors.New("disk full"), 1, "disk full\n"},
		{"cancelled by itself", running, context.Canceled, 1, "context canceled\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr strings.Builder
			if status := reportError(tt.ctx, &stderr, tt.err); status != tt.status || stderr.String() != tt.line {
				t.Errorf("got %d %q, want %d %q", status, stderr.String(), tt.status, tt.line)
			}
		})
	}
}

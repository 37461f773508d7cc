package cli

import (
	"io"
	"log/slog"
)

// newLogger returns a logger that writes JSON lines if output is json, and text otherwise.
func newLogger(w io.Writer, output string) *slog.Logger {
	w = escapedLog{w}
	if output == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// escapedLog is a writer that escapes the terminal control characters that the handlers of
// log/slog leave in lines.
type escapedLog struct{ to io.Writer }

func (e escapedLog) Write(line []byte) (int, error) {
	if _, err := io.WriteString(e.to, escapeJSON(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}

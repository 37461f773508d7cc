package run

import (
	"encoding/json"
	"io"
	"strings"
)

// PrintJSON writes one value on one line. Names in it may come from a service
// or a file: what a terminal would obey is escaped.
func PrintJSON(w io.Writer, v any) error {
	var line strings.Builder
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, escapeJSON(line.String()))
	return err
}

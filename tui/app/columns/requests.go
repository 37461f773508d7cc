package columns

import (
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// LoggedRequests returns the columns of a table of requests that the service has logged.
func LoggedRequests() []Column[*ops.LoggedRequest] {
	return MakeColumns("loggedRequests", Values[*ops.LoggedRequest]{
		"http": func(r *ops.LoggedRequest) Cell {
			return NumberCell(r.Status).WithTone(successTone(r.Status < 400))
		},
		"code": func(r *ops.LoggedRequest) Cell {
			if r.Code == "" {
				return NoCell()
			}
			return TextCell(string(r.Code)).WithTone(format.Bad)
		},
		"keyHint": func(r *ops.LoggedRequest) Cell {
			if r.KeyHint == "" {
				return NoCell()
			}
			return LabelCell("••••"+r.KeyHint, r.KeyHint)
		},
	})
}

// Found returns the columns of a table of search results.
func Found() []Column[*ops.Found] {
	return MakeColumns("found", Values[*ops.Found]{
		"kind": func(f *ops.Found) Cell { return capitalCell(string(f.Kind)) },
	})
}

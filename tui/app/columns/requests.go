package columns

import (
	"flightdesk/api/ops"
	"flightdesk/tui/app/session"
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

// AbbreviatePaths makes the column of paths show short forms of the paths, which are described at
// [session.AbbreviatePath]. Filters, copies and exports still have the whole paths. AbbreviatePaths changes and
// returns the given columns.
func AbbreviatePaths[T any](all []Column[T]) []Column[T] {
	for i := range all {
		if all[i].Title != "Path" {
			continue
		}
		value := all[i].Value
		all[i].Middle = false
		all[i].Value = func(row T) Cell {
			path := value(row).Text
			return LabelCell(session.AbbreviatePath(path), path)
		}
	}
	return all
}

// Found returns the columns of a table of search results.
func Found() []Column[*ops.Found] {
	return MakeColumns("found", Values[*ops.Found]{
		"kind": func(f *ops.Found) Cell { return capitalCell(string(f.Kind)) },
	})
}

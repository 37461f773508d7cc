package columns

import (
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// Accounts returns the columns of an account.
func Accounts() []Column[ops.Account] {
	return MakeColumns[ops.Account]([]ColumnSpec{
		{Title: "Company", Name: "companyName", Width: 20, Fill: 2, Least: 10},
		{
			Title: "Contact",
			Full:  "Client",
			Name:  "clientName",
			Width: 14,
			Fill:  1,
			Drop:  2,
			Least: 8,
		},
		{Title: "E-mail", Name: "clientEmail", Width: 20, Fill: 1, Drop: 1, Least: 10},
		{Title: "Currency", Width: 8},
		{Title: "Since", Name: "createdAt", Drop: 3},
		{Title: "ID", Full: "Account", Name: "uuid", Width: 8, Off: true},
	}, nil)
}

// KeyState reports whether a key opens anything at a time: valid, expired or
// revoked.
func KeyState(k *ops.AccountKey, now time.Time) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "revoked"
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt.Time):
		return "expired"
	default:
		return "valid"
	}
}

// Keys returns the columns of an API key, without the key itself.
func Keys(now func() time.Time) []Column[ops.AccountKey] {
	return MakeColumns([]ColumnSpec{
		{Title: "Key", Name: "uuid", Shell: true},
		{Title: "Key", Full: "Ends in", Name: "hint", Width: 8},
		{Title: "Status", Name: "state", Width: 9},
		{Title: "Scopes", Width: 12, Fill: 2, Least: 12},
		{Title: "For", Name: "description", Width: 12, Fill: 1, Drop: 1, Least: 8},
		{Title: "Issued", Name: "createdAt", Ago: true, Drop: 2},
		{Title: "Expires", Name: "expiresAt", Drop: 3},
		{Name: "revokedAt", Shell: true},
	}, Values[ops.AccountKey]{
		"state": func(k *ops.AccountKey) Cell {
			return keyCell(KeyState(k, now()))
		},
	})
}

// Operators returns the columns of an operator, without the key.
func Operators() []Column[ops.Operator] {
	return MakeColumns([]ColumnSpec{
		{Title: "User", Name: "name", Width: 16, Fill: 2, Least: 10},
		{Title: "Role", Width: 8},
		{Title: "Key", Full: "Ends in", Name: "hint", Width: 8},
		{Title: "Status", Name: "state", Width: 9},
		{Title: "Last used", Name: "lastUsedAt", Ago: true, Drop: 1},
		{Title: "Added", Name: "createdAt", Ago: true, Drop: 2},
		{Title: "Old key until", Name: "oldKeyUntil", Off: true},
		{Name: "revokedAt", Shell: true},
		{Title: "ID", Name: "uuid", Shell: true},
	}, Values[ops.Operator]{
		"state": func(o *ops.Operator) Cell {
			return keyCell(KeyState(&ops.AccountKey{RevokedAt: o.RevokedAt}, time.Time{}))
		},
	})
}

// keyCell returns the state of a key.
func keyCell(state string) Cell {
	if state == "valid" {
		return LabelCell("Active", state).WithTone(format.Good)
	}
	return capitalCell(state).WithTone(format.Muted)
}

// Audit returns the columns of the audit trail.
func Audit() []Column[ops.AuditEntry] {
	return MakeColumns([]ColumnSpec{
		{Title: "Time", Name: "at", Kind: Date, Clock: true},
		{Title: "User", Name: "operator", Width: 14, Fill: 1, Least: 10},
		{Title: "Kind", Width: 7, Drop: 2},
		{
			Title:  "Operation",
			Width:  24,
			Fill:   2,
			Middle: true,
			Least:  16,
		},
		{Title: "Subject", Width: 8, Drop: 3},
		{Title: "From", Name: "address", Width: 15, Drop: 1, Least: 9},
		{Title: "Request", Width: 16, Fill: 1, Off: true},
		{Title: "Request ID", Name: "requestId", Width: 14, Off: true},
		{Name: "operatorUid", Shell: true},
		{Name: "id", Kind: Number, Shell: true},
	}, Values[ops.AuditEntry]{
		"kind": func(e *ops.AuditEntry) Cell { return capitalCell(string(e.Kind)) },
	})
}

func capitalCell(wire string) Cell { return LabelCell(format.CapitalizeFirst(wire), wire) }

// ScopeText writes the names of scopes, or that it is all of them.
func ScopeText(list []api.Scope) string { return listCell(list, api.Scopes(), JoinValues).Text }

// KeyRequests returns the columns of a request for a key. company names the account
// of an id.
func KeyRequests(company func(account string) string) []Column[ops.KeyRequest] {
	return MakeColumns([]ColumnSpec{
		{
			Title: "Client",
			Full:  "Company",
			Name:  "companyName",
			Width: 16,
			Fill:  1,
			Least: 8,
		},
		{Title: "Status", Kind: Status, Width: 10},
		{Title: "For", Name: "intendedUse", Width: 16, Fill: 2, Least: 10},
		{Title: "Scopes", Width: 14, Fill: 1, Drop: 1, Least: 12},
		{Title: "Requested", Name: "createdAt", Ago: true, Drop: 2},
		{Title: "Request", Name: "uuid", Shell: true},
		{Name: "reason", Shell: true},
		{Name: "accountUid", Shell: true},
	}, Values[ops.KeyRequest]{
		"companyName": func(r *ops.KeyRequest) Cell { return TextCell(company(r.AccountUID)) },
		"status": func(r *ops.KeyRequest) Cell {
			return StateCell(format.Status(r.Status), 0)
		},
	})
}

// Snapshots returns the columns of a service's snapshots.
func Snapshots() []Column[ops.WorldSnapshot] {
	return MakeColumns[ops.WorldSnapshot]([]ColumnSpec{
		{Title: "Snapshot", Name: "name"},
		{Title: "Taken", Name: "takenAt", Ago: true},
		{Title: "Size", Name: "bytes", Kind: Bytes},
	}, nil)
}

// Requests returns the columns of a request and its answer.
func Requests(now func() time.Time) []Column[session.Exchange] {
	return MakeColumns([]ColumnSpec{
		{Title: "Time", Name: "Time", Width: 8},
		{Title: "Method", Name: "Method", Width: 6, Drop: 3},
		{Title: "Path", Name: "Path", Width: 20, Fill: 1, Middle: true},
		{Title: "Code", Name: "status", Kind: Number},
		{Title: "ms", Kind: Number},
		{Title: "Size", Name: "Size", Kind: Bytes, Drop: 2},
		{Title: "Try", Name: "attempt", Kind: Number, Drop: 4},
		{Title: "Request ID", Name: "requestId", Width: 14, Off: true},
	}, Values[session.Exchange]{
		"Time": func(x *session.Exchange) Cell { return TextCell(x.Began.In(now().Location()).Format(time.TimeOnly)) },
		"status": func(x *session.Exchange) Cell {
			switch {
			case x.Status == 0:
				return NoCell()
			case x.Failed():
				return NumberCell(x.Status).WithTone(format.Bad)
			default:
				return NumberCell(x.Status).WithTone(format.Good)
			}
		},
		"ms":   func(x *session.Exchange) Cell { return NumberCell(x.Duration.Milliseconds()) },
		"Size": func(x *session.Exchange) Cell { return NumberCell(x.ResponseSize) },
		"attempt": func(x *session.Exchange) Cell {
			if x.Attempt == 1 {
				return Cell{}
			}
			return NumberCell(x.Attempt)
		},
	})
}

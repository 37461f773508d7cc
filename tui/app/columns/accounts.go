package columns

import (
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// Accounts returns the columns of a table of accounts.
func Accounts() []Column[*ops.Account] {
	return MakeColumns[*ops.Account]("accounts", nil)
}

// KeyState returns the state of an API key at the time now: valid, expired or revoked.
func KeyState(k *ops.AccountKey, now time.Time) string {
	if !k.RevokedAt.IsZero() {
		return "revoked"
	}
	if !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt.Time) {
		return "expired"
	}
	return "valid"
}

// Keys returns the columns of a table of API keys, without the key itself.
func Keys(now func() time.Time) []Column[*ops.AccountKey] {
	return MakeColumns("keys", Values[*ops.AccountKey]{
		"hint":  func(k *ops.AccountKey) Cell { return LabelCell(MaskedKey(k), k.Hint) },
		"state": func(k *ops.AccountKey) Cell { return keyCell(KeyState(k, now())) },
	})
}

// MaskedKey returns the last characters of a key after a mask.
func MaskedKey(k *ops.AccountKey) string { return "••••" + format.Clean(k.Hint) }

// Operators returns the columns of a table of users of the operations API, without their keys.
func Operators() []Column[*ops.Operator] {
	return MakeColumns("operators", Values[*ops.Operator]{
		"state": func(o *ops.Operator) Cell {
			return keyCell(KeyState(&ops.AccountKey{RevokedAt: o.RevokedAt}, time.Time{}))
		},
	})
}

// Invitations returns the columns of a table of invitations.
func Invitations() []Column[*ops.Invitation] {
	return MakeColumns[*ops.Invitation]("invitations", nil)
}

// keyCell returns a cell with the state of a key.
func keyCell(state string) Cell {
	if state == "valid" {
		return LabelCell("Active", state).WithTone(format.Good)
	}
	return capitalCell(state).WithTone(format.Muted)
}

// Audit returns the columns of a table of entries of the audit trail.
func Audit() []Column[*ops.AuditEntry] {
	return MakeColumns("audit", Values[*ops.AuditEntry]{
		"kind": func(e *ops.AuditEntry) Cell { return capitalCell(string(e.Kind)) },
	})
}

// capitalCell returns a cell that shows a text with a capital letter, or NoCell if the text is "". Filters and
// exports also have the text itself.
func capitalCell(text string) Cell {
	if text == "" {
		return NoCell()
	}
	return LabelCell(format.CapitalizeFirst(text), text)
}

// ScopeText returns the names of scopes, or "all" for all scopes.
func ScopeText(list []api.Scope) string { return listCell(list, api.Scopes(), JoinValues).Text }

// KeyRequests returns the columns of a table of requests for API keys. company returns the company
// name of the account with the given UUID.
func KeyRequests(company func(account string) string) []Column[*ops.KeyRequest] {
	return MakeColumns("keyRequests", Values[*ops.KeyRequest]{
		"companyName": func(r *ops.KeyRequest) Cell { return TextCell(company(r.AccountUID)) },
	})
}

// Snapshots returns the columns of a table of snapshots of the service.
func Snapshots() []Column[*ops.WorldSnapshot] {
	return MakeColumns[*ops.WorldSnapshot]("snapshots", nil)
}

// Requests returns the columns of a table of requests of this app and the responses.
func Requests(now func() time.Time) []Column[*session.Exchange] {
	return MakeColumns("requests", Values[*session.Exchange]{
		"Time": func(x *session.Exchange) Cell { return TextCell(x.Began.In(now().Location()).Format(time.TimeOnly)) },
		"status": func(x *session.Exchange) Cell {
			if x.Status == 0 {
				return NoCell()
			}
			return NumberCell(x.Status).WithTone(successTone(!x.Failed()))
		},
		"ms": func(x *session.Exchange) Cell { return NumberCell(x.Duration.Milliseconds()) },
		"attempt": func(x *session.Exchange) Cell {
			if x.Attempt == 1 {
				return Cell{}
			}
			return NumberCell(x.Attempt)
		},
	})
}

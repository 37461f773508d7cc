package columns

import (
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/format"
)

// Accounts returns the columns of an account.
func Accounts() []Column[ops.Account] {
	return FillMembers([]Column[ops.Account]{
		{ColumnSpec{Title: "Company", Name: "companyName", Width: 20, Fill: 2, Least: 10}, nil},
		{ColumnSpec{Title: "Contact", Full: "Client", Name: "clientName", Width: 14, Fill: 1, Drop: 2, Least: 8}, nil},
		{ColumnSpec{Title: "E-mail", Name: "clientEmail", Width: 20, Fill: 1, Drop: 1, Least: 10}, nil},
		{ColumnSpec{Title: "Currency", Name: "currency", Width: 8}, nil},
		{ColumnSpec{Title: "Since", Name: "createdAt", Drop: 3}, nil},
		{ColumnSpec{Title: "Id", Full: "Account", Name: "uuid", Width: 8, Off: true, Drop: 4}, nil},
	})
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
	return FillMembers([]Column[ops.AccountKey]{
		{ColumnSpec{Title: "Key", Name: "uuid", Shell: true}, nil},
		{ColumnSpec{Title: "Key", Full: "Ends in", Name: "hint", Width: 8}, nil},
		{ColumnSpec{Title: "Status", Name: "state", Width: 9}, func(k *ops.AccountKey) Cell {
			state := KeyState(k, now())
			if state == "valid" {
				return LabelCell("Active", state).WithTone(labels.Good)
			}
			return LabelCell(format.CapitalizeFirst(state), state).WithTone(labels.Muted)
		}},
		{ColumnSpec{Title: "Scopes", Name: "scopes", Width: 12, Fill: 2, Least: 12}, nil},
		{ColumnSpec{Title: "For", Name: "description", Width: 12, Fill: 1, Drop: 1, Least: 8}, nil},
		{ColumnSpec{Title: "Issued", Name: "createdAt", Ago: true, Drop: 2}, nil},
		{ColumnSpec{Title: "Expires", Name: "expiresAt", Drop: 3}, nil},
		{ColumnSpec{Name: "revokedAt", Shell: true}, nil},
	})
}

// ScopeText writes the names of scopes, or that it is all of them.
func ScopeText(list []api.Scope) string { return listCell(list, api.Scopes(), nil).Text }

// KeyRequests returns the columns of a request for a key. company names the account
// of an id.
func KeyRequests(company func(account string) string) []Column[ops.KeyRequest] {
	return FillMembers([]Column[ops.KeyRequest]{
		{
			ColumnSpec{Title: "Client", Full: "Company", Name: "companyName", Width: 16, Fill: 1, Least: 8},
			func(r *ops.KeyRequest) Cell { return TextCell(company(r.AccountUID)) },
		},
		{ColumnSpec{Title: "Status", Name: "status", Kind: Status, Width: 10}, func(r *ops.KeyRequest) Cell {
			return StateCell(labels.KeyRequest(r.Status), 0)
		}},
		{ColumnSpec{Title: "For", Name: "intendedUse", Width: 16, Fill: 2, Least: 10}, nil},
		{ColumnSpec{Title: "Scopes", Name: "scopes", Width: 14, Fill: 1, Drop: 1, Least: 12}, nil},
		{ColumnSpec{Title: "Requested", Name: "createdAt", Ago: true, Drop: 2}, nil},
		{ColumnSpec{Title: "Request", Name: "uuid", Shell: true}, nil},
		{ColumnSpec{Name: "reason", Shell: true}, nil},
		{ColumnSpec{Name: "accountUid", Shell: true}, nil},
	})
}

// Snapshots returns the columns of a service's snapshots.
func Snapshots() []Column[ops.WorldSnapshot] {
	return FillMembers([]Column[ops.WorldSnapshot]{
		{ColumnSpec{Title: "Snapshot", Name: "name"}, nil},
		{ColumnSpec{Title: "Taken", Name: "takenAt"}, nil},
		{ColumnSpec{Title: "Size", Name: "bytes", Kind: Bytes}, nil},
	})
}

// ScenarioEvents returns the columns of what a scenario has next.
func ScenarioEvents() []Column[ops.ScenarioEvent] {
	return FillMembers([]Column[ops.ScenarioEvent]{
		{ColumnSpec{Title: "Event", Name: "does"}, nil},
		{ColumnSpec{Title: "Order", Name: "orderCode"}, nil},
		{
			ColumnSpec{Title: "At", Name: "at", Right: true},
			func(e *ops.ScenarioEvent) Cell { return TextCell(FormatMoment(e.At)) },
		},
	})
}

// SimulatorSteps returns the columns of what the simulator does next.
func SimulatorSteps() []Column[ops.SimulatorStep] {
	return FillMembers([]Column[ops.SimulatorStep]{
		{ColumnSpec{Title: "Next", Name: "does"}, nil},
		{ColumnSpec{Title: "Order", Name: "orderCode"}, nil},
		{ColumnSpec{Title: "Mission", Name: "missionCode"}, nil},
		{
			ColumnSpec{Title: "At", Name: "at", Right: true},
			func(s *ops.SimulatorStep) Cell { return TextCell(FormatMoment(s.At)) },
		},
	})
}

// Requests returns the columns of a request and its answer.
func Requests(now func() time.Time) []Column[requestlog.Exchange] {
	return FillMembers([]Column[requestlog.Exchange]{
		{
			ColumnSpec{Title: "Time", Width: 8},
			func(x *requestlog.Exchange) Cell { return TextCell(x.Began.In(now().Location()).Format(time.TimeOnly)) },
		},
		{ColumnSpec{Title: "Method", Width: 6, Drop: 3}, nil},
		{ColumnSpec{Title: "Path", Width: 20, Fill: 1, Middle: true}, nil},
		{ColumnSpec{Title: "Code", Name: "status", Kind: Number}, func(x *requestlog.Exchange) Cell {
			switch {
			case x.Status == 0:
				return NoCell()
			case x.Failed():
				return NumberCell(x.Status).WithTone(labels.Bad)
			default:
				return NumberCell(x.Status).WithTone(labels.Good)
			}
		}},
		{
			ColumnSpec{Title: "ms", Kind: Number},
			func(x *requestlog.Exchange) Cell { return NumberCell(x.Duration.Milliseconds()) },
		},
		{
			ColumnSpec{Title: "Size", Kind: Bytes, Drop: 2},
			func(x *requestlog.Exchange) Cell { return NumberCell(x.ResponseSize) },
		},
		{ColumnSpec{Title: "Try", Name: "attempt", Kind: Number, Drop: 4}, func(x *requestlog.Exchange) Cell {
			if x.Attempt == 1 {
				return Cell{}
			}
			return NumberCell(x.Attempt)
		}},
		{ColumnSpec{Title: "Request id", Name: "requestId", Width: 14, Drop: 5, Off: true}, nil},
	})
}

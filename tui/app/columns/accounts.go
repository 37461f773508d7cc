package columns

import (
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/format"
)

// Accounts returns the columns of an account.
func Accounts() []Column[api.Account] {
	return []Column[api.Account]{
		{
			ColumnSpec{Title: "Company", Name: "companyName", Width: 20, Fill: 2, Least: 10},
			func(a *api.Account) Cell { return TextCell(a.CompanyName) },
		},
		{
			ColumnSpec{Title: "Contact", Full: "Client", Name: "clientName", Width: 14, Fill: 1, Drop: 2, Least: 8},
			func(a *api.Account) Cell { return TextCell(a.ClientName) },
		},
		{
			ColumnSpec{Title: "E-mail", Name: "clientEmail", Width: 20, Fill: 1, Drop: 1, Least: 10},
			func(a *api.Account) Cell { return TextCell(a.ClientEmail) },
		},
		{
			ColumnSpec{Title: "Currency", Name: "currency", Width: 8},
			func(a *api.Account) Cell { return TextCell(a.Currency) },
		},
		{
			ColumnSpec{Title: "Since", Name: "createdAt", Kind: Date, Drop: 3},
			func(a *api.Account) Cell { return TimeCell(a.CreatedAt) },
		},
		{
			ColumnSpec{Title: "Id", Full: "Account", Name: "uuid", Width: 8, Off: true, Drop: 4},
			func(a *api.Account) Cell { return TextCell(a.UUID) },
		},
	}
}

// KeyState reports whether a key opens anything at a time: valid, expired or
// revoked.
func KeyState(k *api.AccountKey, now time.Time) string {
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
func Keys(now func() time.Time) []Column[api.AccountKey] {
	return []Column[api.AccountKey]{
		{ColumnSpec{Title: "Key", Name: "uuid", Shell: true}, func(k *api.AccountKey) Cell { return TextCell(k.UUID) }},
		{
			ColumnSpec{Title: "Key", Full: "Ends in", Name: "hint", Width: 8},
			func(k *api.AccountKey) Cell { return TextCell(k.Hint) },
		},
		{ColumnSpec{Title: "Status", Name: "state", Width: 9}, func(k *api.AccountKey) Cell {
			state := KeyState(k, now())
			if state == "valid" {
				return LabelCell("Active", state).WithTone(labels.Good)
			}
			return LabelCell(format.CapitalizeFirst(state), state).WithTone(labels.Muted)
		}},
		{
			ColumnSpec{Title: "Scopes", Name: "scopes", Width: 12, Fill: 2, Least: 12},
			func(k *api.AccountKey) Cell { return scopeCell(k.Scopes) },
		},
		{
			ColumnSpec{Title: "For", Name: "description", Width: 12, Fill: 1, Drop: 1, Least: 8},
			func(k *api.AccountKey) Cell { return TextCell(k.Description) },
		},
		{
			ColumnSpec{Title: "Issued", Name: "createdAt", Kind: Date, Ago: true, Drop: 2},
			func(k *api.AccountKey) Cell { return TimeCell(k.CreatedAt) },
		},
		{
			ColumnSpec{Title: "Expires", Name: "expiresAt", Kind: Date, Drop: 3},
			func(k *api.AccountKey) Cell { return TimeCell(k.ExpiresAt) },
		},
		{
			ColumnSpec{Name: "revokedAt", Kind: Date, Shell: true},
			func(k *api.AccountKey) Cell { return TimeCell(k.RevokedAt) },
		},
	}
}

func scopeCell(list []api.Scope) Cell {
	cell := TextCell(JoinValues(list))
	if cell.Data = cell.Text; len(list) == len(api.Scopes()) {
		cell.Text = "all"
	}
	return cell
}

// KeyRequests returns the columns of a request for a key. company names the account
// of an id.
func KeyRequests(company func(account string) string) []Column[api.KeyRequest] {
	return []Column[api.KeyRequest]{
		{
			ColumnSpec{Title: "Client", Full: "Company", Name: "companyName", Width: 16, Fill: 1, Least: 8},
			func(r *api.KeyRequest) Cell { return TextCell(company(r.AccountUID)) },
		},
		{ColumnSpec{Title: "Status", Name: "status", Kind: Status, Width: 10}, func(r *api.KeyRequest) Cell {
			return StateCell(labels.KeyRequest(r.Status), 0)
		}},
		{
			ColumnSpec{Title: "For", Name: "intendedUse", Width: 16, Fill: 2, Least: 10},
			func(r *api.KeyRequest) Cell { return TextCell(r.IntendedUse) },
		},
		{
			ColumnSpec{Title: "Scopes", Name: "scopes", Width: 14, Fill: 1, Drop: 1, Least: 12},
			func(r *api.KeyRequest) Cell { return scopeCell(r.Scopes) },
		},
		{
			ColumnSpec{Title: "Requested", Name: "createdAt", Kind: Date, Ago: true, Drop: 2},
			func(r *api.KeyRequest) Cell { return TimeCell(r.CreatedAt) },
		},
		{
			ColumnSpec{Title: "Request", Name: "uuid", Shell: true},
			func(r *api.KeyRequest) Cell { return TextCell(r.UUID) },
		},
		{ColumnSpec{Name: "reason", Shell: true}, func(r *api.KeyRequest) Cell { return TextAt(r.Reason) }},
		{ColumnSpec{Name: "accountUid", Shell: true}, func(r *api.KeyRequest) Cell { return TextCell(r.AccountUID) }},
	}
}

// Snapshots returns the columns of a service's snapshots.
func Snapshots() []Column[api.WorldSnapshot] {
	return []Column[api.WorldSnapshot]{
		{ColumnSpec{Title: "Snapshot", Name: "name"}, func(s *api.WorldSnapshot) Cell { return TextCell(s.Name) }},
		{
			ColumnSpec{Title: "Taken", Name: "takenAt", Kind: Date},
			func(s *api.WorldSnapshot) Cell { return TimeCell(s.TakenAt) },
		},
		{
			ColumnSpec{Title: "Size", Name: "bytes", Kind: Bytes},
			func(s *api.WorldSnapshot) Cell { return NumberCell(s.Bytes) },
		},
	}
}

// ScenarioEvents returns the columns of what a scenario has next.
func ScenarioEvents() []Column[api.ScenarioEvent] {
	return []Column[api.ScenarioEvent]{
		{ColumnSpec{Title: "Event", Name: "does"}, func(e *api.ScenarioEvent) Cell { return TextCell(e.Does) }},
		{ColumnSpec{Title: "Order", Name: "orderCode"}, func(e *api.ScenarioEvent) Cell { return TextAt(e.OrderCode) }},
		{
			ColumnSpec{Title: "At", Name: "at", Right: true},
			func(e *api.ScenarioEvent) Cell { return TextCell(FormatMoment(e.At)) },
		},
	}
}

// SimulatorSteps returns the columns of what the simulator does next.
func SimulatorSteps() []Column[api.SimulatorStep] {
	return []Column[api.SimulatorStep]{
		{ColumnSpec{Title: "Next", Name: "does"}, func(s *api.SimulatorStep) Cell { return TextCell(s.Does) }},
		{
			ColumnSpec{Title: "Order", Name: "orderCode"},
			func(s *api.SimulatorStep) Cell { return TextCell(s.OrderCode) },
		},
		{
			ColumnSpec{Title: "Mission", Name: "missionCode"},
			func(s *api.SimulatorStep) Cell { return TextAt(s.MissionCode) },
		},
		{
			ColumnSpec{Title: "At", Name: "at", Right: true},
			func(s *api.SimulatorStep) Cell { return TextCell(FormatMoment(s.At)) },
		},
	}
}

// Requests returns the columns of a request and its answer.
func Requests(now func() time.Time) []Column[requestlog.Exchange] {
	return []Column[requestlog.Exchange]{
		{
			ColumnSpec{Title: "Time", Width: 8},
			func(x *requestlog.Exchange) Cell { return TextCell(x.Began.In(now().Location()).Format(time.TimeOnly)) },
		},
		{
			ColumnSpec{Title: "Method", Width: 6, Drop: 3},
			func(x *requestlog.Exchange) Cell { return TextCell(x.Method) },
		},
		{
			ColumnSpec{Title: "Path", Width: 20, Fill: 1, Middle: true},
			func(x *requestlog.Exchange) Cell { return TextCell(x.Path) },
		},
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
		{
			ColumnSpec{Title: "Request id", Name: "requestId", Width: 14, Drop: 5, Off: true},
			func(x *requestlog.Exchange) Cell { return TextCell(x.RequestID) },
		},
	}
}

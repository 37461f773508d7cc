package columns

import (
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// Accounts are the columns of an account.
func Accounts() []Column[api.Account] {
	return []Column[api.Account]{
		{Spec{Title: "Company", Name: "companyName", Width: 20, Fill: 2, Least: 10}, func(a *api.Account) Cell { return Text(a.CompanyName) }},
		{Spec{Title: "Contact", Full: "Client", Name: "clientName", Width: 14, Fill: 1, Drop: 2, Least: 8}, func(a *api.Account) Cell { return Text(a.ClientName) }},
		{Spec{Title: "E-mail", Name: "clientEmail", Width: 20, Fill: 1, Drop: 1, Least: 10}, func(a *api.Account) Cell { return Text(a.ClientEmail) }},
		{Spec{Title: "Currency", Name: "currency", Width: 8}, func(a *api.Account) Cell { return Text(a.Currency) }},
		{Spec{Title: "Since", Name: "createdAt", Kind: Date, Drop: 3}, func(a *api.Account) Cell { return At(a.CreatedAt) }},
		{Spec{Title: "Id", Full: "Account", Name: "uuid", Width: 8, Off: true, Drop: 4}, func(a *api.Account) Cell { return Text(a.UUID) }},
	}
}

// KeyState is whether a key opens anything at a time: valid, expired or
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

// Keys are the columns of an API key, without the key itself.
func Keys(now func() time.Time) []Column[api.AccountKey] {
	return []Column[api.AccountKey]{
		{Spec{Title: "Key", Name: "uuid", Shell: true}, func(k *api.AccountKey) Cell { return Text(k.UUID) }},
		{Spec{Title: "Key", Full: "Ends in", Name: "hint", Width: 8}, func(k *api.AccountKey) Cell { return Text(k.Hint) }},
		{Spec{Title: "Status", Name: "state", Width: 9}, func(k *api.AccountKey) Cell {
			state := KeyState(k, now())
			if state == "valid" {
				return Label("Active", state).In(labels.Good)
			}
			return Label(format.Sentence(state), state).In(labels.Muted)
		}},
		{Spec{Title: "Scopes", Name: "scopes", Width: 12, Fill: 2, Least: 12}, func(k *api.AccountKey) Cell { return scopes(k.Scopes) }},
		{Spec{Title: "For", Name: "description", Width: 12, Fill: 1, Drop: 1, Least: 8}, func(k *api.AccountKey) Cell { return Text(k.Description) }},
		{Spec{Title: "Issued", Name: "createdAt", Kind: Date, Ago: true, Drop: 2}, func(k *api.AccountKey) Cell { return At(k.CreatedAt) }},
		{Spec{Title: "Expires", Name: "expiresAt", Kind: Date, Drop: 3}, func(k *api.AccountKey) Cell { return At(k.ExpiresAt) }},
		{Spec{Name: "revokedAt", Kind: Date, Shell: true}, func(k *api.AccountKey) Cell { return At(k.RevokedAt) }},
	}
}

func scopes(list []api.Scope) Cell {
	cell := Text(Join(list))
	if cell.Data = cell.Text; len(list) == len(api.Scopes()) {
		cell.Text = "all"
	}
	return cell
}

// KeyRequests are the columns of a request for a key. company names the account
// of an id.
func KeyRequests(company func(account string) string) []Column[api.KeyRequest] {
	return []Column[api.KeyRequest]{
		{Spec{Title: "Client", Full: "Company", Name: "companyName", Width: 16, Fill: 1, Least: 8}, func(r *api.KeyRequest) Cell { return Text(company(r.AccountUID)) }},
		{Spec{Title: "Status", Name: "status", Kind: Status, Width: 10}, func(r *api.KeyRequest) Cell {
			return State(labels.KeyRequest(r.Status), 0)
		}},
		{Spec{Title: "For", Name: "intendedUse", Width: 16, Fill: 2, Least: 10}, func(r *api.KeyRequest) Cell { return Text(r.IntendedUse) }},
		{Spec{Title: "Scopes", Name: "scopes", Width: 14, Fill: 1, Drop: 1, Least: 12}, func(r *api.KeyRequest) Cell { return scopes(r.Scopes) }},
		{Spec{Title: "Requested", Name: "createdAt", Kind: Date, Ago: true, Drop: 2}, func(r *api.KeyRequest) Cell { return At(r.CreatedAt) }},
		{Spec{Title: "Request", Name: "uuid", Shell: true}, func(r *api.KeyRequest) Cell { return Text(r.UUID) }},
		{Spec{Name: "reason", Shell: true}, func(r *api.KeyRequest) Cell { return TextAt(r.Reason) }},
		{Spec{Name: "accountUid", Shell: true}, func(r *api.KeyRequest) Cell { return Text(r.AccountUID) }},
	}
}

// Snapshots are the columns of a service's snapshots.
func Snapshots() []Column[api.Snapshot] {
	return []Column[api.Snapshot]{
		{Spec{Title: "Snapshot", Name: "name"}, func(s *api.Snapshot) Cell { return Text(s.Name) }},
		{Spec{Title: "Taken", Name: "takenAt", Kind: Date}, func(s *api.Snapshot) Cell { return At(s.TakenAt) }},
		{Spec{Title: "Size", Name: "bytes", Kind: Bytes}, func(s *api.Snapshot) Cell { return Num(s.Bytes) }},
	}
}

// ScenarioEvents are the columns of what a scenario has next.
func ScenarioEvents() []Column[api.ScenarioEvent] {
	return []Column[api.ScenarioEvent]{
		{Spec{Title: "Event", Name: "does"}, func(e *api.ScenarioEvent) Cell { return Text(e.Does) }},
		{Spec{Title: "Order", Name: "orderCode"}, func(e *api.ScenarioEvent) Cell { return TextAt(e.OrderCode) }},
		{Spec{Title: "At", Name: "at", Right: true}, func(e *api.ScenarioEvent) Cell { return Text(Moment(e.At)) }},
	}
}

// SimulatorSteps are the columns of what the simulator does next.
func SimulatorSteps() []Column[api.SimulatorStep] {
	return []Column[api.SimulatorStep]{
		{Spec{Title: "Next", Name: "does"}, func(s *api.SimulatorStep) Cell { return Text(s.Does) }},
		{Spec{Title: "Order", Name: "orderCode"}, func(s *api.SimulatorStep) Cell { return Text(s.OrderCode) }},
		{Spec{Title: "Mission", Name: "missionCode"}, func(s *api.SimulatorStep) Cell { return TextAt(s.MissionCode) }},
		{Spec{Title: "At", Name: "at", Right: true}, func(s *api.SimulatorStep) Cell { return Text(Moment(s.At)) }},
	}
}

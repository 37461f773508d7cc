package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// listAudit prints the entries of the audit trail, which lists the changes made through the operations API. --since
// selects the entries since a time. --of selects the entries about one object, or made by one user. It needs a key of
// the operations API.
func listAudit(l *listing) error {
	service, err := l.call.RequireOps()
	if err != nil {
		return err
	}
	l.call.Service = service
	since, err := parseSince(l.Since, l.call.Service.Now())
	if err != nil {
		return err
	}
	isTooOld := func(entry *ops.AuditEntry) bool { return entry.At.Before(since) }
	entries := rowsUntil(l.call.Service.Ops.Operators.AllAudit(l.call), isTooOld)
	if l.Of != "" {
		subject, err := l.findAuditSubject(strings.TrimSpace(l.Of))
		if err != nil {
			return err
		}
		entries = subject.filterEntries(entries)
	}
	return printFormattedRows(l.call, "entry", columns.Audit(), "at operator address operation subject kind", entries)
}

// auditSubject is the user, account, order or other object whose audit entries are listed.
type auditSubject struct {
	typed   string          // value of --of
	names   map[string]bool // names, codes and IDs of the subject in the trail, in lower case
	isKnown bool            // whether the service has the subject, even if the trail has no entries of it
}

func newAuditSubject(typed string) *auditSubject {
	s := &auditSubject{typed: typed, names: map[string]bool{}}
	s.addNames(typed)
	return s
}

func (s *auditSubject) addNames(names ...string) {
	for _, name := range names {
		s.names[strings.ToLower(name)] = true
	}
}

// matches reports whether an entry was made by the subject or is about it.
func (s *auditSubject) matches(e *ops.AuditEntry) bool {
	for _, name := range []string{e.Operator, e.OperatorUID, e.Subject, e.Parent} {
		if name != "" && s.names[strings.ToLower(name)] {
			return true
		}
	}
	return false
}

// filterEntries returns the entries that were made by the subject or are about it. If there
// are none and the service does not know the subject, the list ends with an error.
func (s *auditSubject) filterEntries(all Rows[*ops.AuditEntry]) Rows[*ops.AuditEntry] {
	return func(yield func(*ops.AuditEntry, error) bool) {
		hasMatched := false
		for e, err := range filterRows(all, s.matches) {
			if !yield(e, err) || err != nil {
				return
			}
			hasMatched = true
		}
		if !hasMatched && !s.isKnown {
			yield(nil, fmt.Errorf("--of %q matches nothing; use a user, a company, the code of an order or a mission, "+
				"or the ID of an order, mission, quote, account, key, endpoint or callback", format.Clean(s.typed)))
		}
	}
}

// findAuditSubject returns the subject of --of with all its names, codes and IDs in the audit trail. If the
// service does not have the subject, the typed text is its only name, because the trail can have entries of
// deleted objects.
func (l *listing) findAuditSubject(typed string) (*auditSubject, error) {
	s := newAuditSubject(typed)
	if strings.EqualFold(typed, ops.OperationsKey) {
		s.isKnown = true
		return s, nil
	}
	// Each of the following calls sets s.isKnown if the service has such an object.
	if looksLikeCode(typed) || looksLikeUUID(typed) {
		if err := l.addOrderNames(s, orderCode(typed)); err != nil {
			return nil, err
		}
	}
	if looksLikeCode(typed) {
		return s, nil // users and accounts have no such codes
	}
	if err := l.addUserNames(s); err != nil {
		return nil, err
	}
	if s.isKnown {
		return s, nil // the subject is an order or a user, so it is no account
	}
	return s, l.addAccountNames(s)
}

// looksLikeUUID reports whether a text has five groups as a UUID does.
func looksLikeUUID(text string) bool {
	return strings.Count(text, "-") == 4 && !strings.Contains(text, " ")
}

// addOrderNames finds the order or mission that the user typed. For the code or the ID of an order, it adds the codes
// and the IDs of the order and of all its missions. For the code of a mission, it adds only the code and the ID of
// this mission. It adds nothing if the service does not have the order or mission.
func (l *listing) addOrderNames(s *auditSubject, code string) error {
	order, err := l.call.Service.Ops.Orders.Get(l.call, code)
	if api.IsStatus(err, http.StatusNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	s.isKnown = true
	isOrder := !strings.HasPrefix(code, "MSN-")
	if isOrder {
		s.addNames(order.OrderCode, order.UUID)
	}
	for _, mission := range order.Missions {
		if isOrder || mission.MissionCode == code {
			s.addNames(mission.MissionCode, mission.UUID)
		}
	}
	return nil
}

// addUserNames adds the IDs of the operations users with the subject's name or ID, including
// revoked users.
func (l *listing) addUserNames(s *auditSubject) error {
	for user, err := range l.call.Service.Ops.Operators.All(l.call) {
		if err != nil {
			return err
		}
		if s.names[strings.ToLower(user.Name)] || s.names[user.UUID] {
			s.isKnown = true
			s.addNames(user.UUID)
		}
	}
	return nil
}

// addAccountNames adds the IDs of the account with the subject's name, and of the account's
// keys, key requests and endpoints. It adds nothing if there is no such account.
func (l *listing) addAccountNames(s *auditSubject) error {
	account, err := commands.FindAccount(l.call, l.call.Service.Ops, s.typed)
	if errors.Is(err, commands.ErrNoAccount) {
		return nil
	}
	if err != nil {
		return err
	}
	s.isKnown = true
	s.addNames(account.UUID)
	keys := l.call.Service.Ops.Keys
	if err := addIDs(s, keys.All(l.call, account.UUID), func(key *ops.AccountKey) string { return key.UUID }); err != nil {
		return err
	}
	ownRequests := filterRows(keys.AllRequests(l.call), func(request *ops.KeyRequest) bool {
		return request.AccountUID == account.UUID
	})
	if err := addIDs(s, ownRequests, func(request *ops.KeyRequest) string { return request.UUID }); err != nil {
		return err
	}
	endpoints := l.call.Service.Ops.Webhooks.All(l.call, account.UUID)
	return addIDs(s, endpoints, func(endpoint *api.WebhookEndpoint) string { return endpoint.UUID })
}

// addIDs adds the IDs of rows to the names of the subject. It stops at the first error.
func addIDs[T any](s *auditSubject, rows Rows[T], id func(T) string) error {
	for row, err := range rows {
		if err != nil {
			return err
		}
		s.addNames(id(row))
	}
	return nil
}

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

// listAudit prints the audit trail, with the key of the operations API.
func listAudit(l *listing) (err error) {
	if l.Service, err = l.NeedOps(); err != nil {
		return err
	}
	since, err := parseSince(l.Since, l.Now())
	if err != nil {
		return err
	}
	entries := rowsUntil(l.Ops.Operators.AllAudit(l), func(e *ops.AuditEntry) bool { return e.At.Before(since) })
	if l.Of != "" {
		subject, err := l.findAuditSubject(strings.TrimSpace(l.Of))
		if err != nil {
			return err
		}
		entries = subject.filterEntries(entries)
	}
	return printList(l.Call, "entry", columns.Audit(), "at operator address operation subject kind", entries)
}

// auditSubject is what the rows of the audit trail are selected by.
type auditSubject struct {
	typed   string
	names   map[string]bool // in lower case, that the trail can have for it
	isKnown bool            // the service has it, whether the trail does or not
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

// filterEntries returns the entries of the subject, or an error at the end if there are
// none and the service does not know the subject.
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

// findAuditSubject finds all names that the audit trail can have for what was typed. Text
// that the service does not know can still be in the trail.
func (l *listing) findAuditSubject(typed string) (*auditSubject, error) {
	s := newAuditSubject(typed)
	if strings.EqualFold(typed, ops.OperationsKey) {
		s.isKnown = true
		return s, nil
	}
	isCode := orderCode(typed) != typed || strings.HasPrefix(typed, "ORD-") || strings.HasPrefix(typed, "MSN-")
	isID := strings.Count(typed, "-") == 4 && !strings.Contains(typed, " ")
	var err error
	if isCode || isID {
		err = l.addOrderNames(s, orderCode(typed))
	}
	if err == nil && !isCode {
		err = l.addUserNames(s)
	}
	if err == nil && !isCode && !s.isKnown {
		err = l.addAccountNames(s)
	}
	return s, err
}

// addOrderNames adds the names of an order and its missions, or of one of its missions.
func (l *listing) addOrderNames(s *auditSubject, code string) error {
	order, err := l.Ops.Orders.Get(l, code)
	if api.IsStatus(err, http.StatusNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	s.isKnown = true
	ofOrder := !strings.HasPrefix(code, "MSN-")
	if ofOrder {
		s.addNames(order.OrderCode, order.UUID)
	}
	for _, m := range order.Missions {
		if ofOrder || m.MissionCode == code {
			s.addNames(m.MissionCode, m.UUID)
		}
	}
	return nil
}

// addUserNames adds the names of operations users, also of revoked ones.
func (l *listing) addUserNames(s *auditSubject) error {
	for user, err := range l.Ops.Operators.All(l) {
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

// addAccountNames adds the names of an account, its keys, key requests and endpoints.
func (l *listing) addAccountNames(s *auditSubject) error {
	account, err := commands.FindAccount(l, l.Ops, s.typed)
	if errors.Is(err, commands.ErrNoAccount) {
		return nil
	}
	if err != nil {
		return err
	}
	s.isKnown = true
	s.addNames(account.UUID)
	for key, err := range l.Ops.Keys.All(l, account.UUID) {
		if err != nil {
			return err
		}
		s.addNames(key.UUID)
	}
	for request, err := range l.Ops.Keys.AllRequests(l) {
		if err != nil {
			return err
		}
		if request.AccountUID == account.UUID {
			s.addNames(request.UUID)
		}
	}
	for endpoint, err := range l.Ops.Webhooks.All(l, account.UUID) {
		if err != nil {
			return err
		}
		s.addNames(endpoint.UUID)
	}
	return nil
}

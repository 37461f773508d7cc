package cli

import (
	"fmt"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// listNotices prints the completion notices of the account or the order of --of, newest first. It needs a
// key of the operations API.
func listNotices(l *listing) error {
	if l.Of == "" {
		return wrongUsage("missing --of: name an account or an order")
	}
	service, err := l.call.RequireOps()
	if err != nil {
		return err
	}
	l.call.Service = service
	since, err := parseSince(l.Since, l.call.Service.Now())
	if err != nil {
		return err
	}
	rows, err := l.noticesOf(l.Of)
	if err != nil {
		return err
	}
	isTooOld := func(n *ops.CompletionNotice) bool { return n.CreatedAt.Before(since) }
	hasStatus := func(n *ops.CompletionNotice) bool { return l.Status == "" || columns.NoticeStatus(n) == l.Status }
	return printFormattedRows(l.call, "notice", columns.Notices(), "uuid orderCode channel address outcome attempts createdAt",
		filterRows(rowsUntil(rows, isTooOld), hasStatus))
}

// noticesOf returns the completion notices of the order or account with the given name. If the name belongs to an
// order, only the notices of that order are returned.
func (l *listing) noticesOf(name string) (Rows[*ops.CompletionNotice], error) {
	place, err := commands.Find(l.call, l.call.Service.Ops, name)
	if err != nil {
		return nil, err
	}
	if place.OrderCode == "" && place.AccountUID == "" {
		return nil, fmt.Errorf("%s: a request of no known account", format.Clean(name))
	}
	if place.OrderCode == "" {
		filter := ops.NoticeFilter{Failed: l.Status == columns.CallbackFailed}
		return l.call.Service.Ops.Accounts.AllNotifications(l.call, place.AccountUID, filter), nil
	}
	order, err := l.call.Service.Ops.Orders.Get(l.call, place.OrderCode)
	if err != nil {
		return nil, err
	}
	page, err := l.call.Service.Ops.Orders.Notifications(l.call, order.UUID, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		return nil, err
	}
	return listRows(page.Items), nil
}

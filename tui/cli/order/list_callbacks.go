package order

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/cli/run"
)

// listCallbacks prints the rows of the logs of endpoints, the newest first.
func listCallbacks(p *run.Program, cmd *cobra.Command, f listFlags, to run.PrintTarget) error {
	ctx := cmd.Context()
	l, err := p.ViewAccount(ctx, f.profile, f.of)
	if err != nil {
		return err
	}
	defer p.RememberLooked(l)
	since, err := run.ParseSince(f.since, l.Now())
	if err != nil {
		return run.BadUsage(cmd, err)
	}
	found, err := callbacksOf(ctx, l, f, since)
	if err != nil {
		return err
	}
	s := run.CallbackSheet(l.Now, l.Endpoint != "")
	err = s.Print(to, withAccounts(ctx, l, run.RowsOf(run.ListRows(found), f.limit, nil), f.output.Value == "json"))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// callbacksOf returns the rows that are asked for, of all endpoints or one. Of each
// log no more are read than are wanted.
func callbacksOf(
	ctx context.Context,
	l *run.ViewedAccount,
	f listFlags,
	since time.Time,
) ([]columns.ListedCallback, error) {
	var order *api.Order
	if l.Of.Order != "" {
		var err error
		if order, err = l.Cache.Details.AskNow(ctx, l.Of.Order); err != nil {
			return nil, err
		}
	}
	wanted := func(d *api.WebhookDelivery) bool {
		switch {
		case f.status != "" && columns.CallbackStatus(d) != f.status:
			return false
		case l.Of.Mission != "":
			return d.MissionUID == l.Of.Mission
		case order != nil && d.MissionUID != "":
			return slices.ContainsFunc(order.Missions, func(m api.Mission) bool { return m.UUID == d.MissionUID })
		}
		return order == nil || d.OrderCode == order.OrderCode
	}
	var all []columns.ListedCallback
	for e, err := range l.Endpoints(ctx) {
		if err != nil {
			return nil, err
		}
		if l.Endpoint != "" && e.UUID != l.Endpoint {
			continue
		}
		for d, err := range run.RowsOf(newerRows(l.Log(ctx, e.UUID), since), f.limit, wanted) {
			if err != nil {
				return nil, err
			}
			all = append(all, columns.ListedCallback{EndpointUID: e.UUID, EndpointURL: e.URL, WebhookDelivery: *d})
		}
	}
	slices.SortStableFunc(all, func(a, b columns.ListedCallback) int { return b.CreatedAt.Compare(a.CreatedAt.Time) })
	return all, nil
}

// newerRows returns the rows of a log from a moment on, and those whose date cannot be
// read.
func newerRows(log run.Rows[api.WebhookDelivery], since time.Time) run.Rows[api.WebhookDelivery] {
	return func(yield func(*api.WebhookDelivery, error) bool) {
		for d, err := range log {
			if err == nil && !d.CreatedAt.IsZero() && d.CreatedAt.Before(since) || !yield(d, err) {
				return
			}
		}
	}
}

// withAccounts returns callbacks with the codes of their missions and, if wanted, each of
// their attempts, as far as these can be had.
func withAccounts(
	ctx context.Context,
	l *run.ViewedAccount,
	rows run.Rows[columns.ListedCallback],
	attempts bool,
) run.Rows[columns.ListedCallback] {
	return run.EachOf(rows, func(c *columns.ListedCallback) ([]columns.ListedCallback, error) {
		one := *c
		l.Seen.NoteCode(one.OrderCode)
		if one.OrderCode != "" {
			if order, err := l.Cache.Details.AskNow(ctx, one.OrderCode); err == nil {
				if i := slices.IndexFunc(
					order.Missions,
					func(m api.Mission) bool { return m.UUID == one.MissionUID },
				); i >= 0 {
					one.MissionCode = order.Missions[i].MissionCode
				}
			}
		}
		if attempts && l.Ops != nil {
			one.History, _ = l.Cache.Operations.Histories.AskNow(ctx, one.UUID)
		}
		return []columns.ListedCallback{one}, ctx.Err()
	})
}

package orders

import (
	"cmp"
	"context"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/page"
)

type listAnswer = page.Answer[*api.Page[api.Order]]

// refresh reads the newest orders.
func (l *List) refresh() tea.Cmd { return l.ask(&l.newest, "") }

func (l *List) ask(q *page.Question, cursor string) tea.Cmd {
	return page.Ask(l.Base, q, func(ctx context.Context) (*api.Page[api.Order], error) {
		return l.Client.Orders.List(ctx, api.ListOptions{Limit: pageSize, Cursor: cursor})
	})
}

// readOn reads what is missing behind an order, or behind the last one where
// none is named.
func (l *List) readOn(after string) tea.Cmd {
	cursor := l.gaps[after]
	if after == "" {
		cursor = *l.more
	}
	l.behind = after
	cmd := l.ask(&l.older, cursor)
	l.rows()
	return cmd
}

// take puts an answer's orders where they belong.
func (l *List) take(answer listAnswer) {
	isNewest := answer.Of(&l.newest)
	if !answer.Take() {
		return
	}
	if l.err = answer.Err; l.err != nil {
		l.rows()
		return
	}
	switch {
	case isNewest:
		l.takeNewest(answer.Value)
	case l.behind == "":
		l.takeOlder(answer.Value)
	default:
		l.takeBetween(answer.Value, l.behind)
	}
	l.rows()
}

// takeNewest puts the newest orders above those that were read before. Where
// they do not reach those, the gap between is kept to be read.
func (l *List) takeNewest(got *api.Page[api.Order]) {
	l.read = l.Now()
	if l.kept {
		l.orders, l.kept = nil, false
	}
	last := ""
	if len(got.Items) > 0 {
		last = identity(&got.Items[len(got.Items)-1])
	}
	at := slices.IndexFunc(l.orders, func(o api.Order) bool { return identity(&o) == last })
	more := got.HasNextPage && got.NextCursor != nil
	for i := range got.Items[:max(0, len(got.Items)-1)] {
		l.setGap(identity(&got.Items[i]), "") // these follow each other
	}
	switch {
	case at >= 0 && got.HasNextPage:
		l.orders = merge(got.Items, l.orders[at:])
	case more && len(l.orders) > 0 && last != "":
		l.orders = merge(got.Items, l.orders)
		l.setGap(last, *got.NextCursor)
	default:
		l.orders, l.more, l.gaps = got.Items, nil, nil
		if more {
			l.more = got.NextCursor
		}
	}
}

// takeOlder puts older orders below all others.
func (l *List) takeOlder(got *api.Page[api.Order]) {
	l.orders = merge(l.orders, got.Items)
	asked := l.more
	l.more = got.NextCursor
	if !got.HasNextPage || asked != nil && l.more != nil && *asked == *l.more {
		l.more = nil // a list that does not go on has ended
	}
}

// takeBetween puts orders into the gap behind one. The gap is closed where they
// reach an order that is there, or the end.
func (l *List) takeBetween(got *api.Page[api.Order], after string) {
	cursor := l.gaps[after]
	l.setGap(after, "")
	at := slices.IndexFunc(l.orders, func(o api.Order) bool { return identity(&o) == after }) + 1
	if at == 0 {
		return // that order has left the list
	}
	all := merge(got.Items, l.orders[at:])
	reached := len(all) < len(got.Items)+len(l.orders)-at
	l.orders = merge(l.orders[:at], all)
	if next := got.NextCursor; !reached && got.HasNextPage && next != nil && *next != cursor && len(got.Items) > 0 {
		l.setGap(identity(&got.Items[len(got.Items)-1]), *next)
	}
}

// setGap keeps the cursor of what is missing behind an order, "" for nothing.
func (l *List) setGap(after, cursor string) {
	if l.gaps[after] == cursor {
		return
	}
	gaps := maps.Clone(l.gaps)
	if gaps == nil {
		gaps = map[string]string{}
	}
	if gaps[after] = cursor; cursor == "" {
		delete(gaps, after)
	}
	l.gaps = gaps
}

// identity is what an order is known by.
func identity(o *api.Order) string { return cmp.Or(o.UUID, o.OrderCode) }

// merge puts the orders of after that are not in before behind it.
func merge(before, after []api.Order) []api.Order {
	seen := make(map[string]bool, len(before))
	for i := range before {
		seen[identity(&before[i])] = true
	}
	merged := slices.Clone(before)
	for i := range after {
		if !seen[identity(&after[i])] {
			merged = append(merged, after[i])
		}
	}
	return merged
}

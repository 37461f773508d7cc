package quotes

import (
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Story tells in at most four lines of w cells which quotes an order has, or
// what was chosen against what, and what follows. Of an order without quotes
// there is nothing to tell.
func Story(th *theme.Theme, r *api.OrderRecord, now time.Time, w int) []string {
	if r == nil {
		return nil
	}
	b := quoting.NewSet(r, now)
	muted := th.Style(theme.Muted)
	switch winner := b.Winner(); {
	case winner != nil:
		line := " " + layout.Text(th.Style(theme.Good), "● Accepted ") + layout.Text(th.Title, winner.Name()) + "  " +
			layout.Text(th.Style(theme.Text), winner.PriceText()) + "  " + layout.Text(muted, winner.DeliveryBy.String())
		lines := []string{layout.Cut(line, w)}
		if others := against(winner, b.Decided); others != "" {
			wrapped := layout.Wrap("over "+others, w-4)
			if len(wrapped) > 2 {
				wrapped = []string{wrapped[0], layout.Cut(wrapped[1], w-6) + " …"}
			}
			for _, l := range wrapped {
				lines = append(lines, "   "+layout.Text(muted, l))
			}
		}
		return append(lines, "   "+layout.Text(th.Style(theme.Text), layout.Cut(next(r.State()), w-4)))
	case len(b.Open) > 0:
		return openStory(th, &b, now, w)
	case len(b.Decided) > 0:
		return []string{
			layout.Text(muted, layout.Cut(" ✗ "+format.Count(len(b.Decided), "quote", "quotes")+" rejected or closed, none accepted", w)),
			"   " + layout.Text(th.Style(theme.Text), layout.Cut(next(r.State()), w-4)),
		}
	}
	return nil
}

func openStory(th *theme.Theme, b *quoting.Set, now time.Time, w int) []string {
	muted := th.Style(theme.Muted)
	live := b.Live(now)
	text, more, role := format.Count(len(live), "quote", "quotes")+" to decide", "", theme.Attention
	if len(live) == 0 {
		text, role = format.Count(len(b.Open), "quote", "quotes")+", expired", theme.Muted
	}
	if c := cheapest(live); c.Known {
		text += ", from " + format.Money(c.Num, c.Code)
	}
	if o := b.Soonest(now); o != nil {
		more = "next expires in " + format.Left(o.ExpiryDate.Time, now, false) + "  "
	}
	return []string{
		layout.Text(th.Style(role), layout.Cut(" ◆ "+text, w)),
		layout.Cut("   "+layout.Text(muted, more)+layout.Text(th.Key, "c")+layout.Text(muted, " compare"), w),
	}
}

// against lists what was not chosen, with by how much it was dearer.
func against(winner *quoting.Offer, decided []*quoting.Offer) string {
	var others []string
	for _, o := range decided {
		if o == winner {
			continue
		}
		text := o.Name() + " " + o.PriceText()
		if by, share, ok := quoting.Difference(o, winner, (*quoting.Offer).Price); ok && quoting.Comparable(o, winner) {
			text += fmt.Sprintf(" (%s, %s)", format.MoneyChange(by, o.Currency), format.Percent(share))
		}
		others = append(others, text)
	}
	return strings.Join(others, ", ")
}

// Offer is what an order's open quotes come to, in a line; "" without any.
func Offer(r *api.OrderRecord, now time.Time) string {
	if r == nil {
		return ""
	}
	b := quoting.NewSet(r, now)
	live := b.Live(now)
	if len(live) == 0 {
		return ""
	}
	text := format.Count(len(live), "quote", "quotes") + " to decide"
	if c := cheapest(live); c.Known {
		text += ", from " + format.Money(c.Num, c.Code)
	}
	return text
}

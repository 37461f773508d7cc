package quotes

import (
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
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
	b := boardOf(r, now)
	muted := th.Style(theme.Muted)
	switch winner := b.winner(); {
	case winner != nil:
		line := " " + layout.Text(th.Style(theme.Good), "● chosen ") + layout.Text(th.Title, winner.name()) + "  " +
			layout.Text(th.Style(theme.Text), finalText(winner)) + "  " + layout.Text(muted, winner.DeliveryBy.String())
		lines := []string{layout.Cut(line, w)}
		if others := against(winner, b.decided); others != "" {
			wrapped := layout.Wrap("against "+others, w-4)
			if len(wrapped) > 2 {
				wrapped = []string{wrapped[0], layout.Cut(wrapped[1], w-6) + " …"}
			}
			for _, l := range wrapped {
				lines = append(lines, "   "+layout.Text(muted, l))
			}
		}
		return append(lines, "   "+layout.Text(th.Style(theme.Text), layout.Cut(next(r.State()), w-4)))
	case len(b.open) > 0:
		return openStory(th, &b, now, w)
	case len(b.decided) > 0:
		return []string{
			layout.Text(muted, layout.Cut(" ✗ "+format.Count(len(b.decided), "quote", "quotes")+" rejected or closed, none accepted", w)),
			"   " + layout.Text(th.Style(theme.Text), layout.Cut(next(r.State()), w-4)),
		}
	}
	return nil
}

func openStory(th *theme.Theme, b *board, now time.Time, w int) []string {
	muted := th.Style(theme.Muted)
	live := b.live(now)
	text, more, role := format.Count(len(live), "quote", "quotes")+" to decide", "", theme.Attention
	if len(live) == 0 {
		text, role = format.Count(len(b.open), "quote", "quotes")+", expired", theme.Muted
	}
	if c := cheapest(live); c.Known {
		text += ", from " + format.Money(c.Num, c.Code)
	}
	if o := b.soonest(now); o != nil {
		more = "next to expire in " + format.Left(o.ExpiryDate.Time, now, false) + "  "
	}
	return []string{
		layout.Text(th.Style(role), layout.Cut(" ◆ "+text, w)),
		layout.Cut("   "+layout.Text(muted, more)+layout.Text(th.Key, "v")+layout.Text(muted, " compares"), w),
	}
}

// against lists what was not chosen, with by how much it was dearer.
func against(winner *offer, decided []*offer) string {
	var others []string
	for _, o := range decided {
		if o == winner {
			continue
		}
		text := o.name() + " " + finalText(o)
		if by, share, ok := difference(o, winner, (*offer).price); ok && alike(o, winner) {
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
	b := boardOf(r, now)
	live := b.live(now)
	if len(live) == 0 {
		return ""
	}
	text := format.Count(len(live), "quote", "quotes") + " to decide"
	if c := cheapest(live); c.Known {
		text += ", from " + format.Money(c.Num, c.Code)
	}
	return text
}

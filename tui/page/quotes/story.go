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

// RenderStory renders in at most four lines of w cells the order's quotes, or which one
// was accepted over which others, and the next step. It returns nothing for orders
// without quotes.
func RenderStory(th *theme.Theme, r *api.OrderRecord, now time.Time, w int) []string {
	if r == nil {
		return nil
	}
	b := quoting.NewSet(r, now)
	switch winner := b.AcceptedOffer(); {
	case winner != nil:
		line := " " + th.PaintRole(theme.Good, "● Accepted ") + th.PaintTitle(winner.DisplayName()) + "  " +
			th.PaintText(winner.PriceText()) + "  " + th.PaintMuted(winner.DeliveryBy.String())
		lines := []string{layout.CutLine(line, w)}
		if others := listOthers(winner, b.Decided); others != "" {
			wrapped := layout.Wrap("over "+others, w-4)
			if len(wrapped) > 2 {
				wrapped = []string{wrapped[0], layout.CutLine(wrapped[1], w-6) + " …"}
			}
			for _, l := range wrapped {
				lines = append(lines, "   "+th.PaintMuted(l))
			}
		}
		return append(lines, "   "+th.PaintText(layout.CutLine(nextStepText(r.StageStatus()), w-4)))
	case len(b.Open) > 0:
		return openStory(th, &b, now, w)
	case len(b.Decided) > 0:
		return []string{
			th.PaintMuted(
				layout.CutLine(
					" ✗ "+format.Count(len(b.Decided), "quote", "quotes")+" rejected or closed, none accepted",
					w,
				),
			),
			"   " + th.PaintText(layout.CutLine(nextStepText(r.StageStatus()), w-4)),
		}
	}
	return nil
}

func openStory(th *theme.Theme, b *quoting.OfferSet, now time.Time, w int) []string {
	live := b.OpenOffers(now)
	text, more, role := format.Count(len(live), "quote", "quotes")+" to decide", "", theme.Attention
	if len(live) == 0 {
		text, role = format.Count(len(b.Open), "quote", "quotes")+", expired", theme.Muted
	}
	if c := cheapestCell(live); c.Known {
		text += ", from " + format.Money(c.Num, c.Code)
	}
	if o := b.SoonestExpiry(now); o != nil {
		more = "next expires in " + format.TimeLeft(o.ExpiryDate.Time, now, false) + "  "
	}
	return []string{
		th.PaintRole(role, layout.CutLine(" ◆ "+text, w)),
		layout.CutLine("   "+th.PaintMuted(more)+th.PaintHint("c", "compare"), w),
	}
}

// listOthers returns the quotes that were not accepted, with the difference in price.
func listOthers(winner *quoting.Offer, decided []*quoting.Offer) string {
	var others []string
	for _, o := range decided {
		if o == winner {
			continue
		}
		text := o.DisplayName() + " " + o.PriceText()
		by, share, ok := quoting.Difference(o, winner, (*quoting.Offer).Price)
		if ok && quoting.AreComparable(o, winner) {
			text += fmt.Sprintf(" (%s, %s)", format.MoneyChange(by, o.Currency), format.Percent(share))
		}
		others = append(others, text)
	}
	return strings.Join(others, ", ")
}

// OfferText returns a summary of an order's open quotes in one line, "" if there are
// none.
func OfferText(r *api.OrderRecord, now time.Time) string {
	if r == nil {
		return ""
	}
	b := quoting.NewSet(r, now)
	live := b.OpenOffers(now)
	if len(live) == 0 {
		return ""
	}
	text := format.Count(len(live), "quote", "quotes") + " to decide"
	if c := cheapestCell(live); c.Known {
		text += ", from " + format.Money(c.Num, c.Code)
	}
	return text
}

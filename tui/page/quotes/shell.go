package quotes

import (
	"fmt"
	"io"
	"time"

	"flightdesk/api"
)

// WriteComparison writes the quotes of an order as the page's export does, as
// Markdown or as csv, measured against the first open one, or the one with the
// id or name against. notes are by the quotes' ids.
func WriteComparison(to io.Writer, form string, r *api.OrderRecord, against string, notes map[string]string, host string, now time.Time) error {
	all := comparison{order: r, orders: map[string]string{}, board: boardOf(r, now), notes: notes, host: host, now: now}
	for _, o := range all.board.open {
		if all.pick == nil && against == "" || against != "" && (o.QuoteID == against || o.name() == against) {
			all.pick = o
		}
	}
	switch {
	case against != "" && all.pick == nil:
		return fmt.Errorf("there is no open quote %q to measure against", against)
	case form == "csv":
		return all.csv(to)
	default:
		return all.markdown(to)
	}
}

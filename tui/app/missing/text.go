package missing

import (
	"fmt"
	"strings"
	"time"

	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// Text says a gap in a sentence.
func (g *Gap) Text(now time.Time) string {
	who := strings.TrimSpace(g.Mission.Order + " " + g.Mission.Code)
	text := fmt.Sprintf("%s: %s %s (%s), %s", who, strings.ToLower(labels.Event(g.Event).Label), g.When(now), g.Source, g.outcome())
	if g.Probable {
		text += " This is probable, not certain: the log does not name its missions."
	}
	return layout.Clean(text)
}

// When says when it happened, as far as that is known.
func (g *Gap) When(now time.Time) string {
	if g.From.Equal(g.To) {
		return "on " + format.Moment(g.To, now)
	}
	return "between " + format.Moment(g.From, now) + " and " + format.Moment(g.To, now)
}

// outcome says what became of the callback.
func (g *Gap) outcome() string {
	if g.Kind == NoRow {
		return "no callback was delivered."
	}
	why := "it got no answer"
	switch row := g.Row; {
	case row.ResponseCode != nil && *row.ResponseCode > 0:
		why = fmt.Sprintf("the receiver answered %d", *row.ResponseCode)
	case row.Error != nil && *row.Error != "":
		why = *row.Error
	}
	tries := ""
	if g.Row.Attempts != nil && *g.Row.Attempts > 0 {
		tries = " after " + format.Count(*g.Row.Attempts, "try", "tries")
	}
	return fmt.Sprintf("the callback was not delivered%s: %s.", tries, why)
}

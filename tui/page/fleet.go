package page

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
)

// AsOf says how old what an earlier run has kept is, as long as this one has no
// answer.
func AsOf(at, now time.Time, asking bool) string {
	text := "as of " + format.Ago(at, now)
	if asking {
		text += " · reading…"
	}
	return text
}

// FleetMsg says that something more of the fleet was read.
type FleetMsg struct{}

// FleetMovedMsg tells the page on the screen that something of the fleet was
// read, some times a second at most, whoever had it read.
type FleetMovedMsg struct{}

// FleetAnswer comes to the page that had it read.
type FleetAnswer = Answer[FleetMsg]

// ReadFleet has the fleet read on in the background. A page calls it when it
// starts, and again with each [FleetAnswer].
func ReadFleet(b Base) tea.Cmd {
	var cmds []tea.Cmd
	for read := b.Cache.Next(); read != nil; read = b.Cache.Next() {
		cmds = append(cmds, Ask(b, new(Question), func(ctx context.Context) (FleetMsg, error) {
			read(ctx)
			return FleetMsg{}, nil
		}))
	}
	return tea.Batch(cmds...)
}

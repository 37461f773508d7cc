package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// keepTime is how often what the service says is brought to disk, besides at
// the end.
const keepTime = 5 * time.Minute

// offlineCopy is what the service says, kept in a file for when it is away.
type offlineCopy struct {
	of     *cache.Cache
	path   string // "" is nowhere
	keptAt time.Time
}

// loadCopy shows what an earlier run has kept, until the service answers.
func (o *offlineCopy) loadCopy() tea.Cmd {
	of, path := o.of, o.path
	if of == nil || path == "" {
		return nil
	}
	return func() tea.Msg {
		if of.Load(path) {
			return keptMsg{of}
		}
		return nil
	}
}

// saveIfDue saves the copy where the last one is some time old.
func (o *offlineCopy) saveIfDue(now time.Time) tea.Cmd {
	if now.Sub(o.keptAt) < keepTime {
		return nil
	}
	o.keptAt = now
	copied := *o
	return func() tea.Msg { return reportSaved(copied.saveCopy()) }
}

func (o offlineCopy) saveCopy() error {
	if o.of == nil || o.path == "" {
		return nil
	}
	return o.of.Save(o.path)
}

// reportSaved tells what went wrong with it.
func reportSaved(err error) tea.Msg {
	if err == nil {
		return nil
	}
	return page.ToastMsg{Role: theme.Attention, Text: err.Error()}
}

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// keepTime is how often what the service says is brought to disk, besides at
// the end.
const keepTime = 5 * time.Minute

// loadKnown shows what an earlier run has kept, until the service answers.
func (a *App) loadKnown() tea.Cmd {
	of, path := a.env.Cache, a.opts.Known
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

// keepNowAndThen brings what is known to disk where that is some time ago.
func (a *App) keepNowAndThen() tea.Cmd {
	if now := a.env.Now(); now.Sub(a.reading.keptAt) >= keepTime {
		a.reading.keptAt = now
		keep := a.keeperOfKnown()
		return func() tea.Msg { return saved(keep()) }
	}
	return nil
}

// keeperOfKnown returns what brings it to disk.
func (a *App) keeperOfKnown() func() error {
	of, path := a.env.Cache, a.opts.Known
	if of == nil || path == "" {
		return func() error { return nil }
	}
	return func() error { return of.Save(path) }
}

func (a *App) keepKnown() error { return a.keeperOfKnown()() }

// saved tells what went wrong with it.
func saved(err error) tea.Msg {
	if err == nil {
		return nil
	}
	return page.ToastMsg{Role: theme.Attention, Text: err.Error()}
}

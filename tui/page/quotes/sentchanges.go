package quotes

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// SentChanges is the page of the changes sent from this machine, newest first: placed and changed orders, decisions on
// quotes, and endpoints.
type SentChanges struct {
	*page.List[*changes.Change]
	state page.ListState[*changes.Change]
	asked page.Request
}

// NewSentChanges returns the page of the sent changes.
func NewSentChanges(env *page.Env) *SentChanges {
	s := &SentChanges{}
	source := page.ListSource[*changes.Change]{
		State: func() page.ListState[*changes.Change] { return s.state }, Refresh: s.OnShow,
	}
	s.List = page.NewList(page.NewBase(env), source, page.ListOptions[*changes.Change]{
		Title:    "Sent changes",
		Example:  "change:accepted",
		Singular: "change",
		Order:    page.RowOrder{Column: "at", Descending: true},
		Scope:    action.SentChanges,
		Columns:  columns.SentChanges(env.Clock.Now),
		ID:       func(e *changes.Change) string { return e.At.String() + e.Describe() },
		Mark: func(e *changes.Change) (mark widget.Cell) {
			if !e.IsConfirmed() {
				mark = widget.Cell{Text: "!", Role: theme.Attention}
			}
			return mark
		},
		Open: s.showEntry,
		Actions: []page.Action[*changes.Change]{{
			ID:          action.CloseEntry,
			WhyDisabled: closeRefusal,
			Do:          s.confirmClose,
		}},
		Empty: "No sent changes yet.\nOrders you place and quotes you decide on this machine appear here.",
	})
	return s
}

// CornerText returns the number of changes, or "" if the log could not be read.
func (s *SentChanges) CornerText() string {
	if s.state.At.IsZero() || s.state.Err != nil {
		return ""
	}
	return format.Count(len(s.state.Rows), "change") + " on this machine"
}

// OnShow loads the log from disk.
func (s *SentChanges) OnShow() tea.Cmd {
	log := s.Env.Profile.ChangeLog
	read := func(context.Context) ([]changes.Change, error) { return log.Entries() }
	return page.RunInBackground(s.Base, &s.asked, read, s.showEntries)
}

// showEntries lists the entries of the log, which are sorted by time, newest first.
func (s *SentChanges) showEntries(entries []changes.Change, err error) tea.Cmd {
	s.state = page.ListState[*changes.Change]{
		Version: s.state.Version + 1,
		At:      s.Env.Clock.Now(),
		Err:     err,
	}
	for _, entry := range slices.Backward(entries) {
		s.state.Rows = append(s.state.Rows, &entry)
	}
	s.Sync()
	return nil
}

// Update reloads the log after a change was sent.
func (s *SentChanges) Update(msg tea.Msg) tea.Cmd {
	if _, sent := msg.(page.SentMsg); sent {
		return s.OnShow()
	}
	return s.List.Update(msg)
}

// closeRefusal returns why an entry cannot be closed, or "" if it can.
func closeRefusal(e *changes.Change) string {
	if e.State() == changes.Unknown {
		return "already closed"
	}
	return page.TextIf(!e.IsOpen(), "its outcome is known")
}

// confirmClose asks the user whether to close an entry whose outcome is not known.
func (s *SentChanges) confirmClose(e *changes.Change) tea.Cmd {
	const means = "It is not confirmed. Once closed, flightdesk stops looking for it."
	closeEntry := func() tea.Cmd { return s.closeEntry(*e) }
	return s.Env.Confirm("Close entry", "close", closeEntry, e.Describe(), "", means)
}

// closeEntry saves an entry as closed and reloads the log.
func (s *SentChanges) closeEntry(entry changes.Change) tea.Cmd {
	entry.Close()
	if err := s.Env.Profile.ChangeLog.AddEntry(entry); err != nil {
		return page.ShowToast(theme.Bad, err.Error())
	}
	return s.OnShow()
}

// showEntry shows all fields of an entry.
func (s *SentChanges) showEntry(e *changes.Change) tea.Cmd {
	facts := widget.Facts(columns.RowFacts(columns.SentChanges(s.Env.Clock.Now), e, s.Env.Clock.Now()))
	return s.Env.ShowFacts(e.Describe(), termWidth, facts...)
}

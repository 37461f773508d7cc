package operations

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// newVisitList returns the list of those who use the app of this process from elsewhere.
func newVisitList(d *operationsPage) *listPane[session.Visit] {
	return newListPane(
		d,
		page.ListSource[session.Visit]{State: d.readVisits},
		page.ListOptions[session.Visit]{
			Name:    "participants",
			Example: "user1 or place:quotes",
			One:     "participant",
			Scope:   action.OpsVisits,
			Columns: columns.MakeColumns([]columns.ColumnSpec{
				{Title: "User", Name: "user", Width: 12},
				{Title: "Account", Name: "account", Width: 16, Fill: 1, Drop: 2},
				{Title: "Page", Name: "place", Width: 16, Fill: 1},
				{Title: "Since", Name: "since", Clock: true},
				{Title: "From", Name: "from", Width: 15, Drop: 1},
			}, columns.Values[session.Visit]{}),
			ID: func(v *session.Visit) string { return strconv.Itoa(v.Number) },
			Empty: [2]string{
				"Nobody is connected.",
				"People who log in with ssh appear here. Press i for their invitation codes.",
			},
			Acts: []page.Act[session.Visit]{
				{
					ID: action.SendNote,
					Do: func(v *session.Visit) tea.Cmd { return d.askNote(v.Number, v.User) },
				},
				{
					ID:  action.NoteToAll,
					Any: true,
					Do:  func(*session.Visit) tea.Cmd { return d.askNote(0, "everybody") },
				},
				{ID: action.ShowCodes, Any: true, Do: d.showCodes},
				{ID: action.PlayForAll, Any: true, Do: d.askScenario},
				{ID: action.ResetAccount, Do: d.askReset},
			},
		},
	)
}

// readVisits returns the rows, which are few and new in every frame.
func (d *operationsPage) readVisits() (state page.ListState[session.Visit]) {
	state.At, state.Rows = d.Now(), page.Pointers(d.Room.Visits())
	state.Version = int(state.At.UnixNano())
	return state
}

// showCodes shows what twelve participants log in with.
func (d *operationsPage) showCodes(*session.Visit) tea.Cmd {
	var codes []widget.Fact
	for n := range 12 {
		user := "user" + strconv.Itoa(n+1)
		codes = append(codes, widget.Text(user, d.Room.CodeOf(user)))
	}
	return page.ShowFacts(d.Env, "Invitation codes", 10, codes...)
}

// askScenario asks which scenario begins on the accounts of all.
func (d *operationsPage) askScenario(*session.Visit) tea.Cmd {
	which := &widget.Field{ID: "scenario", Label: "Scenario", Kind: widget.ChoiceField}
	for _, name := range d.Room.Scenarios() {
		which.Options = append(which.Options, widget.Option{Value: name, Label: name})
	}
	return page.AskValue(d.Env, "Play for everybody", "play", 60, which, which.Options[0].Value, func(name string) tea.Cmd {
		return func() tea.Msg {
			n, err := d.Room.Play(name)
			if err != nil {
				return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
			}
			return page.ToastMsg{Role: theme.Good, Text: name + " begins for " + format.Count(n, "participant")}
		}
	})
}

// askNote asks for a note to a participant, or with 0 to all.
func (d *operationsPage) askNote(number int, name string) tea.Cmd {
	text := &widget.Field{
		ID:     "text",
		Label:  "Note",
		TypeOn: true,
		Help:   "shown on their screen until they close it",
	}
	return page.AskValue(d.Env, "Note to "+name, "send", 500, text, "", func(note string) tea.Cmd {
		if note == "" {
			text.Error = "text required"
			return nil
		}
		d.Room.Tell(number, note)
		return page.ShowToast(theme.Good, "Note sent to "+name)
	})
}

// askReset asks before a participant begins anew.
func (d *operationsPage) askReset(v *session.Visit) tea.Cmd {
	user := v.User
	done := page.ToastMsg{Role: theme.Good, Text: "Reset: " + user + " has a new account"}
	reset := page.KeepInBackground(func() error { return d.Room.Restart(user) }, done)
	return page.AskFirst(d.Env, "Reset "+user, "reset", func() tea.Cmd { return reset },
		"Gives "+user+" a new account with the initial orders and ends their sessions.",
		"The account used until now stays in the list of accounts.")
}

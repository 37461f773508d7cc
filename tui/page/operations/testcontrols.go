package operations

import (
	"fmt"
	"net/http"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// upcomingStep is a scheduled event: of a scenario, or of the simulator.
type upcomingStep struct {
	at   api.Time
	does string
}

// testControls changes the clock, faults and data of a service that allows it.
type testControls struct{ *operationsPage }

// newTestControls returns the list of scheduled steps, with the clock, faults and
// simulator above it.
func newTestControls(p *operationsPage) *listPane[upcomingStep] {
	d := testControls{p}
	return newListPane(p, listpage.Source[upcomingStep]{State: d.upcomingSteps}, listpage.Options[upcomingStep]{
		Name:    "steps",
		Example: "deliver",
		One:     "step",
		Many:    "steps",
		Scope:   action.TestControls,
		Columns: stepColumns(d.Now),
		ID:      func(s *upcomingStep) string { return s.at.String() + s.does },
		Head:    d.renderControls,
		Empty: [2]string{
			"No steps waiting.",
			"The simulator's next steps, or the events of a scenario, appear here.",
		},
		Acts: []listpage.Act[upcomingStep]{
			{ID: action.AdvanceClock, Any: true, Off: d.controlRefusal, Do: d.advanceClock},
			{ID: action.SetFault, Any: true, Off: d.faultRefusal, Do: d.setFaults},
			{ID: action.EndFaults, Any: true, Off: d.endRefusal, Do: d.endFaults},
			{ID: action.Reset, Any: true, Off: d.controlRefusal, Do: d.resetService},
		},
	}, func(*upcomingStep) inspectSubject { return inspectSubject{} })
}

func stepColumns(now func() time.Time) []columns.Column[upcomingStep] {
	return []columns.Column[upcomingStep]{
		{
			ColumnSpec: columns.ColumnSpec{Title: "Due", Name: "at", Width: 16},
			Value: func(s *upcomingStep) columns.Cell {
				return columns.Cell{Text: formatMoment(s.at, now()), Time: s.at.Time, Known: true}
			},
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Next", Name: "does", Width: 24, Fill: 1},
			Value: func(s *upcomingStep) columns.Cell {
				return columns.TextCell(s.does)
			},
		},
	}
}

// upcomingSteps returns the scheduled events of the scenario and steps of the
// simulator.
func (d testControls) upcomingSteps() listpage.State[upcomingStep] {
	s, is := d.world.entryState()
	state := listpage.State[upcomingStep]{Version: is.Version, At: is.ReadAt, Err: is.Err}
	if s.Simulator == nil {
		return state
	}
	if script := s.Simulator.Scenario; script != nil {
		for _, e := range script.Upcoming {
			state.Rows = append(state.Rows, &upcomingStep{e.At, describeEvent(e)})
		}
	}
	for _, step := range s.Simulator.Upcoming {
		state.Rows = append(state.Rows, &upcomingStep{step.At, describeStep(step)})
	}
	return state
}

// controlRefusal returns why the service cannot be changed, "" if it can.
func (d testControls) controlRefusal(*upcomingStep) string { return d.world.adjustRefusal() }

func (d testControls) faultRefusal(*upcomingStep) string {
	if d.world.serviceState().Faults == nil {
		return "still loading"
	}
	return ""
}

func (d testControls) endRefusal(*upcomingStep) string {
	if why := d.faultRefusal(nil); why != "" || hasFaults(d.world.serviceState().Faults) {
		return why
	}
	return "no faults set"
}

func (d testControls) endFaults(*upcomingStep) tea.Cmd {
	c := commands.EndFaults()
	return d.acts.sendRequest(c.Doing, sendCommand(d.operationsPage, c, "", nil))
}

// advanceClock opens the form that advances the clock.
func (d testControls) advanceClock(*upcomingStep) tea.Cmd {
	var by api.Duration
	q := fillIn(d.operationsPage, &requestForm{
		title: "Advance clock",
		yes:   "advance clock",
		lines: []string{
			"Quotes expire, and simulator steps and events of a scenario happen as if that time had passed.",
		},
		change: func(f *form.Form) {
			f.Field("to").Note = format.None
			if n, err := api.ParseDuration(f.Field("advance").Value()); err == nil && n > 0 {
				f.Field("to").Note = "new time: " + format.Moment(d.Now().Add(n), d.Now())
			}
		},
	}, commands.AdvanceClock(&by), "", func(*api.ServiceClock) requestResult {
		return requestResult{said: "Clock advanced by " + formatLength(by.Duration)}
	}, &form.Field{ID: "to", Label: "", Kind: form.Note})
	q.form.Field("advance").Set("1d")
	return d.acts.openForm(q)
}

// setFaults opens the form that injects faults.
func (d testControls) setFaults(*upcomingStep) tea.Cmd {
	in := commands.FaultValues{Status: http.StatusServiceUnavailable, Rate: 1}
	if now := d.world.serviceState().Faults; hasFaults(now) {
		in = commands.FaultValues{
			Status:    now.Status,
			Latency:   now.Latency,
			Rate:      commands.PercentShare(now.Rate),
			Path:      now.Path,
			Callbacks: now.Callbacks,
		}
	}
	was := in.Callbacks
	q := &requestForm{title: "Set faults", yes: "set faults", change: func(f *form.Form) { // callbacks are not answered
		if now := api.CallbackFault(f.Field("callbacks").Value()); now != was {
			if was = now; now != "" {
				f.Field("status").Set("0")
				f.Field("path").Set("")
			}
		}
	}}
	return d.acts.openForm(fillIn(d.operationsPage, q, commands.SetFaults(&in), "", func(now *api.Faults) requestResult {
		return requestResult{said: "Faults set: " + faultText(now)}
	}))
}

// resetService opens the dialog that restores the service's initial data.
func (d testControls) resetService(*upcomingStep) tea.Cmd {
	const word = "reset"
	d.Overlay(&dialog.TypedConfirmation{
		Theme: d.Theme, Title: "Reset", Want: word, Yes: "reset", No: "back",
		Lines: []string{
			"Restores the initial orders, quotes, deliveries and callbacks.",
			"Accounts and keys are kept. Cannot be undone.", "",
		},
		OnYes: func() tea.Cmd {
			c := commands.ResetWorld()
			return d.acts.sendRequest(c.Doing, sendCommand(d.operationsPage, c, "", nil))
		},
	})
	return nil
}

// renderControls renders the scenario, clock, faults and simulator.
func (d testControls) renderControls(w int) []string {
	s := d.world.serviceState()
	if s.Simulator == nil {
		return nil
	}
	clock := s.Clock.Now.In(d.Now().Location()).Format("Mon 2 Jan 2006 15:04")
	switch {
	case !s.Clock.Adjustable:
		clock += " · real time; cannot be changed on this service"
	case s.Clock.Ahead.Duration > 0:
		clock += " · " + formatLength(s.Clock.Ahead.Duration) + " ahead of real time"
	default:
		clock += " · real time"
	}
	faults := widget.Fact{Label: "Faults", Value: "No faults set", Role: theme.Muted}
	if hasFaults(s.Faults) {
		faults.Value, faults.Role = "! "+faultText(s.Faults)+"; "+faultCount(s.Faults)+" so far", theme.Bad
	}
	facts := append(
		scenarioFacts(s.Simulator),
		widget.Text("Clock", clock),
		faults,
		widget.Text("Simulator", simulatorText(s.Simulator)),
	)
	if s.Simulator.LastError != nil {
		facts = append(
			facts,
			widget.Fact{Label: "Trouble", Value: "! " + layout.Clean(*s.Simulator.LastError), Role: theme.Bad},
		)
	}
	return append(d.renderFacts(w, facts...), "")
}

// scenarioFacts returns the progress of the scenario and its last event, nothing
// without a scenario.
func scenarioFacts(s *api.SimulatorState) (facts []widget.Fact) {
	script := s.Scenario
	if script == nil {
		return nil
	}
	progress := fmt.Sprintf("%d of %d events done", script.Done, script.Events)
	switch {
	case len(script.Upcoming) == 0:
		progress += " · it is over; a reset restarts it"
	case s.Paused:
		progress += " · paused with the simulator"
	}
	facts = []widget.Fact{widget.Text("Scenario", progress), widget.Text("", layout.Clean(script.Title))}
	if script.Last != nil {
		last := widget.Text("Last", describeEvent(*script.Last))
		if note, is := noteOf(*script.Last); is {
			last.Value, last.Role = layout.Clean(note), theme.Attention
		}
		facts = append(facts, last)
	}
	if script.LastError != nil {
		facts = append(
			facts,
			widget.Fact{Label: "Trouble", Value: "! " + layout.Clean(*script.LastError), Role: theme.Bad},
		)
	}
	return facts
}

// simulatorText describes the simulator's speed and progress.
func simulatorText(s *api.SimulatorState) string {
	pacing := "runs at " + formatPace(s.Speed)
	switch {
	case s.Speed == 0:
		pacing = "off; press p to start it"
	case s.Paused:
		pacing = "paused at " + formatPace(s.Speed)
	}
	return pacing + " · " + format.Count(s.Done, "step", "steps") + " done"
}

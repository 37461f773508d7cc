package operations

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// serviceState returns the last known state of the service.
func (w *workList) serviceState() cache.ServiceInfo {
	s, _ := w.cache.Service.Get(cache.Account)
	return s
}

func (w *workList) knownAccounts() []ops.Account {
	rows, _ := w.cache.Accounts.Get(cache.Account)
	return rows.Items
}

// worldNeeds requests what all pages show: the service's state, accounts and key
// requests.
func (w *workList) worldNeeds() []cache.Need {
	return []cache.Need{
		w.cache.Service.NeedOf(cache.Account),
		w.cache.Accounts.NeedOf(cache.Account),
		w.cache.Requests.NeedOf(cache.Account),
	}
}

// companyName returns an account's name, or its shortened ID if unknown.
func (w *workList) companyName(uuid string) string {
	for _, a := range w.knownAccounts() {
		if a.UUID == uuid {
			return a.CompanyName
		}
	}
	return timeline.ShortID(uuid)
}

// adjustRefusal returns why the service's clock and data cannot be changed, "" if they
// can.
func (w *workList) adjustRefusal() string {
	switch clock := w.serviceState().Clock; {
	case clock == nil:
		return "still loading"
	case !clock.Adjustable:
		return "this service runs on real time; start it with --memory or --demo to change its clock"
	default:
		return ""
	}
}

// faultRefusal returns why faults cannot be set, "" if they can.
func (w *workList) faultRefusal() string {
	faults := w.serviceState().Faults
	if faults == nil {
		return "still loading"
	}
	return format.Clean(faults.Unavailable)
}

// paces are the actions on the simulator.
var paces = map[action.ID]bool{
	action.SimPause:  true,
	action.SimSlower: true,
	action.SimFaster: true,
	action.SimStep:   true,
}

// changePace pauses, steps or changes the speed of the simulator.
func (d *operationsPage) changePace(id action.ID) tea.Cmd {
	s := d.serviceState().Simulator
	var in commands.Pace
	switch id {
	case action.SimPause:
		in.Pause, in.Resume = !s.Paused, s.Paused
	case action.SimStep:
		in.Step = true
	default:
		in.Speed = new(nextSpeed(s.Speed, id == action.SimFaster))
	}
	return d.acts.submitForm(d.formOf(commands.PaceSimulator(&in), requestSubject{}))
}

// speeds lists the speeds to choose from, in seconds of service time per second: real
// time, a minute, ten minutes, an hour, six hours and a day.
var speeds = []float64{1, 60, 600, ops.DemoSpeed, 6 * ops.DemoSpeed, 24 * ops.DemoSpeed}

// nextSpeed returns the next higher or lower speed.
func nextSpeed(speed float64, faster bool) float64 {
	at, found := slices.BinarySearch(speeds, speed)
	switch {
	case !faster:
		at--
	case found:
		at++
	}
	return speeds[max(0, min(at, len(speeds)-1))]
}

// renderStrip renders the service's state in one line: simulator, faults, clock, and
// what is next.
func (w *workList) renderStrip(th *theme.Theme, now time.Time, width int) string {
	s := w.serviceState()
	if s.Simulator == nil {
		return format.FitLeft(th.PaintMuted(" simulator … · faults … · clock …"), width)
	}
	if s.Simulator.Unavailable != "" && !commands.HasFaults(s.Faults) {
		return format.FitLeft(th.PaintMuted(" simulator and faults not available · "+clockText(s.Clock, now)), width)
	}
	role, glyph := theme.InProgress, "▷"
	switch {
	case s.Simulator.Speed == 0:
		role, glyph = theme.Muted, "□"
	case s.Simulator.Paused:
		role, glyph = theme.Attention, "■"
	}
	line := " " + th.PaintRole(role, glyph+" simulator "+commands.PaceText(s.Simulator)) + th.PaintMuted(" · ")
	if commands.HasFaults(s.Faults) {
		line += th.PaintRole(theme.Bad, "! "+commands.FaultText(s.Faults))
	} else {
		line += th.PaintMuted("no faults")
	}
	line += th.PaintMuted(" · " + clockText(s.Clock, now))
	if next := commands.UpcomingSteps(s.Simulator); len(next) > 0 && role != theme.Muted {
		line += th.PaintMuted(" · next " + format.Moment(next[0].At.Time, now) + " " + next[0].Does)
	}
	return format.FitLeft(format.CutLine(line, width), width)
}

// clockText says how far the service's clock is ahead.
func clockText(clock *ops.ServiceClock, now time.Time) string {
	if ahead := clock.Ahead.Duration; ahead > 0 {
		return "clock + " + format.TimeLeft(now.Add(ahead.Round(time.Minute)), now, false)
	}
	return "clock and expiries in real time"
}

// newTestControls returns the list of scheduled steps, with the clock, faults and
// simulator above it.
func newTestControls(d *operationsPage) *page.List[*commands.UpcomingStep] {
	type step = commands.UpcomingStep
	adjust := func(*step) string { return d.adjustRefusal() }
	return newListPane(d, page.ListSource[*step]{State: d.upcomingSteps}, page.ListOptions[*step]{
		Example: "deliver",
		One:     "step",
		Scope:   action.TestControls,
		Columns: columns.MakeColumns("controls", columns.Values[*step]{
			"at": func(s *step) columns.Cell {
				return columns.Cell{
					Text:  format.Moment(s.At.Time, d.env.Clock.Now()),
					Time:  s.At.Time,
					Known: true,
				}
			},
		}),
		ID:   func(s *step) string { return s.At.String() + s.Does },
		Head: d.renderControls,
		Empty: "No steps waiting.\n" +
			"The simulator's next steps, or the events of a scenario, appear here.",
		Acts: []page.Act[*step]{
			{ID: action.AdvanceClock, Any: true, Off: adjust, Do: func(*step) tea.Cmd {
				return d.ask(
					commands.AdvanceClock(&commands.ClockChange{By: api.Duration{Duration: 24 * time.Hour}}),
					requestSubject{},
				)
			}},
			{ID: action.SetFault, Any: true, Off: func(*step) string { return d.faultRefusal() }, Do: func(*step) tea.Cmd {
				in := commands.FaultValues{Rate: 1}
				in.Status = http.StatusServiceUnavailable
				if now := d.serviceState().Faults; commands.HasFaults(now) {
					in.Status, in.Latency, in.Rate, in.Path, in.Callbacks = now.Status, now.Latency, now.Rate, now.Path, now.Callbacks
				}
				return d.ask(commands.SetFaults(&in), requestSubject{})
			}},
			{ID: action.EndFaults, Any: true, Off: func(*step) string {
				none := page.TextIf(!commands.HasFaults(d.serviceState().Faults), "no faults set")
				return cmp.Or(d.faultRefusal(), none)
			}, Do: func(*step) tea.Cmd {
				return d.acts.submitForm(d.formOf(commands.EndFaults(), requestSubject{}))
			}},
			{ID: action.Reset, Any: true, Off: adjust, Do: func(*step) tea.Cmd {
				return d.ask(commands.ResetWorld(), requestSubject{})
			}},
		},
	})
}

// upcomingSteps returns the scheduled events of the scenario and steps of the
// simulator.
func (w *workList) upcomingSteps() page.ListState[*commands.UpcomingStep] {
	s, is := w.cache.Service.Get(cache.Account)
	steps := commands.UpcomingSteps(cmp.Or(s.Simulator, &ops.SimulatorState{}))
	return page.ListState[*commands.UpcomingStep]{
		Rows:    columns.Pointers(steps),
		Version: is.Version,
		At:      is.ReadAt,
		Err:     is.Err,
	}
}

const labelWidth = 12

// renderControls renders the scenario, clock, faults and simulator.
func (d *operationsPage) renderControls(w int) []string {
	s := d.serviceState()
	if s.Simulator == nil {
		return nil
	}
	clock := format.Moment(s.Clock.Now.Time, d.env.Clock.Now()) + " · " + clockText(s.Clock, d.env.Clock.Now())
	if !s.Clock.Adjustable {
		clock += "; cannot be changed on this service"
	}
	facts := append(commands.SimulatorFacts(s.Simulator), [2]string{"Clock", clock})
	faults := widget.Facts(commands.FaultFacts(s.Faults))
	if faults[0].Role = theme.Muted; commands.HasFaults(s.Faults) {
		faults[0].Role = theme.Bad
	}
	return append(widget.WrapFacts(d.env.Look.Theme, labelWidth, w, append(widget.Facts(facts), faults...)...), "")
}

// newVisitList returns the list of those who use the app of this process from elsewhere.
func newVisitList(d *operationsPage) *page.List[*session.Visit] {
	return newListPane(
		d,
		page.ListSource[*session.Visit]{State: d.readVisits},
		page.ListOptions[*session.Visit]{
			Example: "user1 or place:quotes",
			One:     "participant",
			Scope:   action.OpsVisits,
			Columns: columns.MakeColumns[*session.Visit]("participants", nil),
			ID:      func(v *session.Visit) string { return strconv.Itoa(v.Number) },
			Empty: "Nobody is connected.\n" +
				"People who log in with ssh appear here. Press i for their invitation codes.",
			Acts: []page.Act[*session.Visit]{
				{
					ID:  action.SendNote,
					Off: d.needsRole(ops.RoleOperate),
					Do:  func(v *session.Visit) tea.Cmd { return d.askNote(v.Number, v.User) },
				},
				{
					ID:  action.NoteToAll,
					Any: true,
					Off: d.needsRole(ops.RoleOperate),
					Do:  func(*session.Visit) tea.Cmd { return d.askNote(0, "everybody") },
				},
				{ID: action.ShowCodes, Any: true, Off: d.needsRole(ops.RoleAdmin), Do: d.showCodes},
				{ID: action.PlayForAll, Any: true, Off: d.needsRole(ops.RoleAdmin), Do: d.readScenarios},
				{ID: action.ResetAccount, Off: d.needsRole(ops.RoleAdmin), Do: d.askReset},
			},
		},
	)
}

// needsRole returns the reason why an action is off for users without a role.
func (d *operationsPage) needsRole(role ops.Role) func(*session.Visit) string {
	return func(*session.Visit) string { return d.env.Profile.NeedsRole(role) }
}

// readVisits returns the rows, which are few and new in every frame.
func (d *operationsPage) readVisits() (state page.ListState[*session.Visit]) {
	state.At, state.Rows = d.env.Clock.Now(), columns.Pointers(d.env.Profile.Room.Visits())
	state.Version = int(state.At.UnixNano())
	return state
}

// readScenarios reads which scenarios can be played, and asks for one.
func (d *operationsPage) readScenarios(*session.Visit) tea.Cmd {
	return page.AskInBackground(
		d.base, &page.Question{}, d.env.Profile.Ops.World.Scenarios,
		func(all []ops.ScenarioName, err error) tea.Cmd {
			switch {
			case err != nil:
				return page.ShowToast(theme.Bad, "no scenarios: "+err.Error())
			case len(all) == 0:
				return page.ShowToast(theme.Attention, "this service has no scenarios")
			}
			return d.askScenario(all)
		},
	)
}

// askScenario asks which scenario begins on the accounts of all.
func (d *operationsPage) askScenario(all []ops.ScenarioName) tea.Cmd {
	which := &widget.Field{Label: "Scenario", Kind: widget.ChoiceField}
	for _, one := range all {
		which.Options = append(which.Options, widget.Option{Value: one.Name, Label: one.Name})
	}
	return d.env.AskValue("Play for everybody", "play", 60, which, which.Options[0].Value, d.playScenario)
}

func (d *operationsPage) playScenario(name string) tea.Cmd {
	play := func(ctx context.Context) (int, error) {
		return d.env.Profile.Room.Play(context.WithoutCancel(ctx), name)
	}
	return page.AskInBackground(d.base, &page.Question{}, play, func(n int, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, err.Error())
		}
		return page.ShowToast(theme.Good, name+" begins for "+format.Count(n, "participant"))
	})
}

// askNote asks for a note to a participant, or with 0 to all.
func (d *operationsPage) askNote(number int, name string) tea.Cmd {
	text := &widget.Field{
		Label:  "Note",
		TypeOn: true,
		Help:   "shown on their screen until they close it",
	}
	return d.env.AskValue("Note to "+name, "send", 500, text, "", func(note string) tea.Cmd {
		if note == "" {
			text.Error = "text required"
			return nil
		}
		sent := page.ToastMsg{Role: theme.Good, Text: "Note sent to " + name}
		return page.KeepInBackground(func() error {
			return d.env.Profile.Room.Tell(context.Background(), number, note)
		}, sent)
	})
}

// askReset asks before a participant begins anew.
func (d *operationsPage) askReset(v *session.Visit) tea.Cmd {
	user := v.User
	done := page.ToastMsg{Role: theme.Good, Text: "Reset: " + user + " has a new account"}
	reset := page.KeepInBackground(func() error { return d.env.Profile.Room.Restart(context.Background(), user) }, done)
	return d.env.AskFirst("Reset "+user, "reset", func() tea.Cmd { return reset },
		"Gives "+user+" a new account with the initial orders and ends their sessions.",
		"The account used until now stays in the list of accounts.")
}

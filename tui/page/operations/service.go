package operations

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

// serviceInfo reads the state of the service from the cache.
type serviceInfo struct{ cache *cache.OperationsCache }

// state returns the last known state of the service.
func (s serviceInfo) state() cache.ServiceInfo {
	state, _ := s.cache.Service.Get(cache.Account)
	return state
}

// unreadReason returns why the state of the service is not known.
func (s serviceInfo) unreadReason() string {
	_, state := s.cache.Service.Get(cache.Account)
	if state.Err != nil {
		return "the state of the service could not be loaded; press " + action.KeyOf(action.Refresh, action.Ops)
	}
	return "still loading"
}

// accounts returns the accounts of the service that are loaded.
func (s serviceInfo) accounts() []ops.Account {
	rows, _ := s.cache.Accounts.Get(cache.Account)
	return rows.Items
}

// needs returns the data that every page of the section needs: the service's state, accounts and key requests.
func (s serviceInfo) needs() []cache.Need {
	return []cache.Need{
		s.cache.Service.NeedOf(cache.Account),
		s.cache.Accounts.NeedOf(cache.Account),
		s.cache.Requests.NeedOf(cache.Account),
	}
}

// companyName returns an account's name, or its shortened ID if unknown.
func (s serviceInfo) companyName(uuid string) string {
	for _, a := range s.accounts() {
		if a.UUID == uuid {
			return a.CompanyName
		}
	}
	return timeline.ShortID(uuid)
}

// adjustRefusal returns why the service's clock and data cannot be changed. It returns "" if they can.
func (s serviceInfo) adjustRefusal() string {
	clock := s.state().Clock
	if clock == nil {
		return s.unreadReason()
	}
	if !clock.Adjustable {
		return "this service does not allow it; it must run alone with --memory or --demo"
	}
	return ""
}

// faultRefusal returns why faults cannot be set, or "" if they can.
func (s serviceInfo) faultRefusal() string {
	faults := s.state().Faults
	if faults == nil {
		return s.unreadReason()
	}
	return format.Clean(faults.Unavailable)
}

// paces is the set of actions that pause, step or change the speed of the simulator.
var paces = map[action.ID]bool{
	action.SimPause:  true,
	action.SimSlower: true,
	action.SimFaster: true,
	action.SimStep:   true,
}

// paceRefusal returns why an action on the simulator is not possible, or "" if the action is possible.
func (s serviceInfo) paceRefusal(id action.ID) string {
	simulator := s.state().Simulator
	if simulator == nil {
		return s.unreadReason()
	}
	if simulator.Unavailable != "" {
		return format.Clean(simulator.Unavailable)
	}
	if id == action.SimStep {
		return page.TextIf(len(commands.UpcomingSteps(simulator)) == 0, "no steps to run")
	}
	if id == action.SimSlower || id == action.SimFaster {
		return speedRefusal(simulator.Speed, id == action.SimFaster)
	}
	return ""
}

// speedRefusal returns why the simulator cannot run faster or slower, or "" if it can. speed is the current speed,
// or 0 if the simulator is off.
func speedRefusal(speed float64, faster bool) string {
	if speed == 0 {
		return "the simulator is off; press " + action.KeyOf(action.SimPause, action.Ops) + " to start it"
	}
	if nextSpeed(speed, faster) != speed {
		return ""
	}
	if faster {
		return "it runs at the highest speed"
	}
	return "it runs at the lowest speed"
}

// changePace pauses, resumes, steps or changes the speed of the simulator.
func (d *paneTools) changePace(id action.ID) tea.Cmd {
	simulator := d.service.state().Simulator
	var pace commands.Pace
	switch id {
	case action.SimPause:
		pace.Pause = !simulator.Paused
		pace.Resume = simulator.Paused
	case action.SimStep:
		pace.Step = true
	default:
		pace.Speed = new(nextSpeed(simulator.Speed, id == action.SimFaster))
	}
	return d.requests.submitForm(d.requests.formOf(commands.PaceSimulator(&pace), requestSubject{}))
}

// speeds lists the simulator's speeds in ascending order, in seconds of service time per second: real time, a
// minute, ten minutes, an hour, six hours and a day per second.
var speeds = []float64{1, 60, 600, ops.DemoSpeed, 6 * ops.DemoSpeed, 24 * ops.DemoSpeed}

// nextSpeed returns the next higher speed of the simulator if faster is true, otherwise the next lower speed.
// If there is no such speed, it returns the current speed.
func nextSpeed(current float64, faster bool) float64 {
	if faster {
		return nextHigherSpeed(current)
	}
	return nextLowerSpeed(current)
}

// nextHigherSpeed returns the lowest speed above the current one, or the current speed if there is none.
func nextHigherSpeed(current float64) float64 {
	for _, speed := range speeds {
		if speed > current {
			return speed
		}
	}
	return current
}

// nextLowerSpeed returns the highest speed below the current one, or the current speed if there is none.
func nextLowerSpeed(current float64) float64 {
	for _, speed := range slices.Backward(speeds) {
		if speed < current {
			return speed
		}
	}
	return current
}

// renderStrip renders a line of warnings if the service does not behave like a real one: faults are set, its
// clock is ahead, or its simulator is paused. It returns nil if there is nothing to warn about. The test
// controls do not need this line, because they always show the state of the service.
func (s serviceInfo) renderStrip(th *theme.Theme, now time.Time, width int) []string {
	state := s.state()
	if state.Simulator == nil {
		_, entry := s.cache.Service.Get(cache.Account)
		if entry.Err == nil {
			return nil
		}
		return []string{format.FitLeft(th.PaintMuted(" ! simulator, faults and clock could not be loaded"), width)}
	}
	var warnings []string
	if commands.HasFaults(state.Faults) {
		warnings = append(warnings, th.PaintRole(theme.Bad, "! "+commands.FaultText(state.Faults)))
	}
	isRunning := state.Simulator.Unavailable == "" && state.Simulator.Speed != 0
	if isRunning && state.Simulator.Paused {
		warnings = append(warnings, renderPace(th, state.Simulator))
	}
	if state.Clock != nil && state.Clock.Ahead.Duration > 0 {
		warnings = append(warnings, th.PaintRole(theme.Attention, clockText(state.Clock, now)))
	}
	if len(warnings) == 0 {
		return nil
	}
	line := " " + strings.Join(warnings, th.PaintMuted(" · "))
	return []string{format.FitLeft(format.CutLine(line, width), width)}
}

// describePace returns the speed at which the simulator runs. It returns "" if the simulator does not run or its
// state is unknown. A paused simulator is in the line of warnings.
func describePace(simulator *ops.SimulatorState) string {
	if simulator == nil || simulator.Unavailable != "" || simulator.Speed == 0 || simulator.Paused {
		return ""
	}
	return "simulator " + commands.PaceText(simulator)
}

// renderPace renders whether the simulator is off, paused or running, and its speed.
func renderPace(th *theme.Theme, simulator *ops.SimulatorState) string {
	text := " simulator " + commands.PaceText(simulator)
	if simulator.Speed == 0 {
		return th.PaintRole(theme.Muted, "□"+text)
	}
	if simulator.Paused {
		return th.PaintRole(theme.Attention, "■"+text)
	}
	return th.PaintRole(theme.InProgress, "▷"+text)
}

// clockText returns how far the service's clock is ahead.
func clockText(clock *ops.ServiceClock, now time.Time) string {
	if ahead := clock.Ahead.Duration; ahead > 0 {
		return "clock + " + format.TimeLeft(now.Add(ahead.Round(time.Minute)), now, false)
	}
	return "clock and expiries in real time"
}

// newTestControls returns the tab for testing with a simulated service. It lists the next steps of the
// simulator or of a scenario. Above the list are the clock, the faults and the simulator.
func newTestControls(d *paneTools) *page.List[*commands.UpcomingStep] {
	type step = commands.UpcomingStep
	at := func(s *step) columns.Cell {
		return columns.Cell{Text: format.Moment(s.At.Time, d.env.Clock.Now()), Time: s.At.Time, Known: true}
	}
	cannotAdjust := func(*step) string { return d.service.adjustRefusal() }
	cannotFault := func(*step) string { return d.service.faultRefusal() }
	advanceClock := func(*step) tea.Cmd {
		change := commands.ClockChange{By: api.Duration{Duration: 24 * time.Hour}}
		return d.requests.openCommand(commands.AdvanceClock(&change), requestSubject{})
	}
	return newListPane(d, page.ListSource[*step]{State: d.service.upcomingSteps}, page.ListOptions[*step]{
		Example:    "deliver",
		Singular:   "step",
		Scope:      action.TestControls,
		Columns:    columns.MakeColumns("controls", columns.Values[*step]{"at": at}),
		ID:         func(s *step) string { return s.At.String() + s.Does },
		RenderHead: d.renderControls,
		Empty: "No steps waiting.\n" +
			"The simulator's next steps, or the events of a scenario, appear here.",
		Actions: []page.Action[*step]{
			{ID: action.AdvanceClock, NeedsNoRow: true, WhyDisabled: cannotAdjust, Do: advanceClock},
			{ID: action.SetFault, NeedsNoRow: true, WhyDisabled: cannotFault, Do: d.setFaults},
			{ID: action.EndFaults, NeedsNoRow: true, WhyDisabled: d.endFaultsRefusal, Do: d.endFaults},
			{ID: action.Reset, NeedsNoRow: true, WhyDisabled: cannotAdjust, Do: func(*step) tea.Cmd {
				return d.requests.openCommand(commands.ResetWorld(), requestSubject{})
			}},
		},
	})
}

// setFaults opens the form for the faults that the service simulates, such as errors and slow responses. The
// form is filled in with the current faults.
func (d *paneTools) setFaults(*commands.UpcomingStep) tea.Cmd {
	in := commands.FaultValues{Rate: 1}
	in.Status = http.StatusServiceUnavailable
	if current := d.service.state().Faults; commands.HasFaults(current) {
		in.Status = current.Status
		in.Latency = current.Latency
		in.Rate = current.Rate
		in.Path = current.Path
		in.Callbacks = current.Callbacks
	}
	return d.requests.openCommand(commands.SetFaults(&in), requestSubject{})
}

// endFaultsRefusal returns why faults cannot be cleared, or "" if they can.
func (d *paneTools) endFaultsRefusal(*commands.UpcomingStep) string {
	if refusal := d.service.faultRefusal(); refusal != "" {
		return refusal
	}
	return page.TextIf(!commands.HasFaults(d.service.state().Faults), "no faults set")
}

// endFaults clears all faults without asking.
func (d *paneTools) endFaults(*commands.UpcomingStep) tea.Cmd {
	return d.requests.submitForm(d.requests.formOf(commands.EndFaults(), requestSubject{}))
}

// upcomingSteps returns what the service will do next by itself: the next steps of the simulator, or the next
// events of a scenario.
func (s serviceInfo) upcomingSteps() page.ListState[*commands.UpcomingStep] {
	service, state := s.cache.Service.Get(cache.Account)
	var steps []commands.UpcomingStep
	if service.Simulator != nil {
		steps = commands.UpcomingSteps(service.Simulator)
	}
	return page.ListState[*commands.UpcomingStep]{
		Rows:    columns.Pointers(steps),
		Version: state.Version,
		At:      state.ReadAt,
		Err:     state.Err,
	}
}

const labelWidth = 12 // of facts, in cells

// renderControls renders the scenario, the simulator, the clock and faults.
func (d *paneTools) renderControls(w int) []string {
	s := d.service.state()
	if s.Simulator == nil {
		return nil
	}
	now := d.env.Clock.Now()
	clock := format.Moment(s.Clock.Now.Time, now) + " · " + clockText(s.Clock, now)
	if !s.Clock.Adjustable {
		clock += "; cannot be changed on this service"
	}
	facts := widget.Facts(append(commands.SimulatorFacts(s.Simulator), [2]string{"Clock", clock}))
	faults := widget.Facts(commands.FaultFacts(s.Faults))
	faults[0].Role = theme.Muted
	if commands.HasFaults(s.Faults) {
		faults[0].Role = theme.Bad
	}
	lines := widget.WrapFacts(d.env.Look.Theme, labelWidth, w, append(facts, faults...)...)
	return append(lines, "")
}

// newVisitList returns the list of participants, who use the app over ssh.
func newVisitList(d *paneTools) *page.List[*session.Visit] {
	noOperator := d.refuseWithoutRole(ops.RoleOperate)
	noAdmin := d.refuseWithoutRole(ops.RoleAdmin)
	noteToOne := func(v *session.Visit) tea.Cmd { return d.promptForNote(v.Number, v.User) }
	noteToAll := func(*session.Visit) tea.Cmd { return d.promptForNote(0, "everybody") }
	return newListPane(d, page.ListSource[*session.Visit]{State: d.readVisits}, page.ListOptions[*session.Visit]{
		Example:  "user1 or place:quotes",
		Singular: "participant",
		Scope:    action.OpsVisits,
		Columns:  columns.MakeColumns[*session.Visit]("participants", nil),
		ID:       func(v *session.Visit) string { return strconv.Itoa(v.Number) },
		Empty:    "Nobody is connected.\nPeople who log in with ssh appear here.",
		Keys:     []page.RowKey{{Action: action.ShowCodes, Text: "invitation codes"}},
		Actions: []page.Action[*session.Visit]{
			{ID: action.SendNote, WhyDisabled: noOperator, Do: noteToOne},
			{ID: action.NoteToAll, NeedsNoRow: true, WhyDisabled: noOperator, Do: noteToAll},
			{ID: action.ShowCodes, NeedsNoRow: true, WhyDisabled: noAdmin, Do: d.showCodes},
			{ID: action.PlayForAll, NeedsNoRow: true, WhyDisabled: noAdmin, Do: d.readScenarios},
			{ID: action.ResetAccount, WhyDisabled: d.resetRefusal, Do: d.confirmReset},
		},
	})
}

// refuseWithoutRole returns a function that checks the role of the operations user. The function returns why an
// action is disabled if the user does not have the role, otherwise "".
func (d *paneTools) refuseWithoutRole(role ops.Role) func(*session.Visit) string {
	return func(*session.Visit) string { return d.env.Profile.RoleRefusal(role) }
}

// readVisits returns the current participants. The version differs each time, because the
// list changes without a message.
func (d *paneTools) readVisits() page.ListState[*session.Visit] {
	now := d.env.Clock.Now()
	return page.ListState[*session.Visit]{
		Rows:    columns.Pointers(d.env.Profile.Room.Visits()),
		Version: int(now.UnixNano()),
		At:      now,
	}
}

// readScenarios loads the scenarios of the service, and asks the user to choose one.
func (d *paneTools) readScenarios(*session.Visit) tea.Cmd {
	choose := func(all []ops.ScenarioName, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, "Could not load the scenarios: "+err.Error())
		}
		if len(all) == 0 {
			return page.ShowToast(theme.Attention, "This service has no scenarios")
		}
		return d.chooseScenario(all)
	}
	return page.RunInBackground(d.base, &page.Request{}, d.env.Profile.Ops.World.Scenarios, choose)
}

// chooseScenario asks which scenario to play for all participants.
func (d *paneTools) chooseScenario(all []ops.ScenarioName) tea.Cmd {
	which := &widget.Field{Label: "Scenario", Kind: widget.ChoiceField}
	for _, scenario := range all {
		which.Options = append(which.Options, widget.Option{Value: scenario.Name, Label: scenario.Name})
	}
	return d.env.PromptValue("Play for everybody", "play", 60, which, which.Options[0].Value, d.playScenario)
}

// playScenario starts a scenario in the account of each participant.
func (d *paneTools) playScenario(name string) tea.Cmd {
	play := func(ctx context.Context) (int, error) {
		return d.env.Profile.Room.Play(context.WithoutCancel(ctx), name)
	}
	finish := func(accounts int, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, err.Error())
		}
		return page.ShowToast(theme.Good, name+" begins in "+format.Count(accounts, "account"))
	}
	return page.RunInBackground(d.base, &page.Request{}, play, finish)
}

// promptForNote asks for a note and sends it to a participant. number identifies the participant; 0 sends
// the note to all participants. name is shown to the user.
func (d *paneTools) promptForNote(number int, name string) tea.Cmd {
	text := &widget.Field{
		Label:  "Note",
		TypeOn: true,
		Help:   "shown on their screen until they close it",
	}
	send := func(note string) tea.Cmd {
		if note == "" {
			text.Error = "text required"
			return nil
		}
		return d.sendNote(number, name, note)
	}
	return d.env.PromptValue("Note to "+name, "send", 500, text, "", send)
}

// sendNote sends a note in the background, and shows who has received it. See promptForNote for the parameters.
func (d *paneTools) sendNote(number int, name, note string) tea.Cmd {
	send := func(ctx context.Context) (int, error) {
		return d.env.Profile.Room.Tell(context.WithoutCancel(ctx), number, note)
	}
	finish := func(reached int, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, err.Error())
		}
		if number == 0 {
			return showNoteToAll(reached)
		}
		if reached == 0 {
			return page.ShowToast(theme.Bad, "Note not delivered: "+name+" is gone, or their terminal does not respond")
		}
		return page.ShowToast(theme.Good, "Note sent to "+name)
	}
	return page.RunToEnd(d.base, &page.Request{}, send, finish, finish)
}

// showNoteToAll shows how many participants have received a note that was sent to all participants.
func showNoteToAll(reached int) tea.Cmd {
	if reached == 0 {
		return page.ShowToast(theme.Attention, "Note not delivered: no connected participant received it")
	}
	return page.ShowToast(theme.Good, "Note sent to "+format.Count(reached, "participant"))
}

// resetRefusal returns why a participant cannot get a new account, or "".
func (d *paneTools) resetRefusal(v *session.Visit) string {
	if refusal := d.env.Profile.RoleRefusal(ops.RoleAdmin); refusal != "" {
		return refusal
	}
	return d.env.Profile.Room.RestartRefusal(v.User)
}

// confirmReset asks before a participant gets a new account.
func (d *paneTools) confirmReset(v *session.Visit) tea.Cmd {
	user := v.User
	restart := func() error { return d.env.Profile.Room.Restart(context.Background(), user) }
	done := page.ToastMsg{Role: theme.Good, Text: "Reset: " + user + " has a new account"}
	onYes := func() tea.Cmd { return page.DoInBackground(restart, done) }
	return d.env.Confirm("Reset "+user, "reset", onYes,
		"Gives "+user+" a new account with the initial orders and ends their sessions.",
		"The account used until now stays in the list of accounts.")
}

package operations

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// serviceWorld holds what the pages of the section share: the state of the service and
// its tasks.
type serviceWorld struct {
	cache *cache.OperationsCache
	works workList
	own   string // ID of the account of the app's own key, "" until known
	acts  *requestRunner
}

func newServiceWorld(of *cache.Cache, now func() time.Time) *serviceWorld {
	return &serviceWorld{cache: of.Operations, works: workList{cache: of.Operations, now: now}}
}

// serviceState returns the last known state of the service.
func (w *serviceWorld) serviceState() cache.ServiceInfo {
	s, _ := w.entryState()
	return s
}

func (w *serviceWorld) entryState() (cache.ServiceInfo, cache.EntryState) {
	return w.cache.Service.Get(cache.Account)
}

func (w *serviceWorld) knownAccounts() []api.Account {
	rows, _ := w.cache.Accounts.Get(cache.Account)
	return rows.Items
}

// worldNeeds requests what all pages show: the service's state, accounts and key
// requests.
func (w *serviceWorld) worldNeeds() []cache.Need {
	return []cache.Need{
		w.cache.Service.NeedOf(cache.Account),
		w.cache.Accounts.NeedOf(cache.Account),
		w.cache.Requests.NeedOf(cache.Account),
	}
}

func (w *serviceWorld) cornerText(now time.Time) string {
	switch _, is := w.entryState(); {
	case is.IsUnread():
		return "reading…"
	case is.ReadAt.IsZero():
		return ""
	default:
		return "refreshed " + format.Ago(is.ReadAt, now)
	}
}

// accountByID returns the account with an ID, nil if unknown.
func (w *serviceWorld) accountByID(uuid string) *api.Account {
	all := w.knownAccounts()
	if i := slices.IndexFunc(all, func(a api.Account) bool { return a.UUID == uuid }); i >= 0 {
		return &all[i]
	}
	return nil
}

// companyName returns an account's name, or its shortened ID if unknown.
func (w *serviceWorld) companyName(uuid string) string {
	if a := w.accountByID(uuid); a != nil {
		return a.CompanyName
	}
	return shortID(uuid)
}

func shortID(uuid string) string { return uuid[:min(8, len(uuid))] }

// adjustRefusal returns why the service's clock and data cannot be changed, "" if they
// can.
func (w *serviceWorld) adjustRefusal() string {
	switch clock := w.serviceState().Clock; {
	case clock == nil:
		return "still loading"
	case !clock.Adjustable:
		return "this service runs on real time; start it with --memory or --demo to change its clock"
	default:
		return ""
	}
}

// disabledReason returns why an action on the simulator is disabled, "" if it is
// enabled.
func (w *serviceWorld) disabledReason(id action.ID) string {
	switch id {
	case action.SimPause, action.SimSlower, action.SimFaster, action.SimStep:
	default:
		return ""
	}
	switch s := w.serviceState().Simulator; {
	case s == nil:
		return "still loading"
	case s.Speed == 0 && (id == action.SimSlower || id == action.SimFaster):
		return "the simulator is off; press p to start it"
	case id == action.SimStep && s.Waiting == 0 && (s.Scenario == nil || len(s.Scenario.Upcoming) == 0):
		return "no steps to run"
	case id == action.SimFaster && s.Speed >= speeds[len(speeds)-1], id == action.SimSlower && s.Speed <= speeds[0]:
		limit := map[bool]string{true: "highest", false: "lowest"}[id == action.SimFaster]
		return formatPace(s.Speed) + " is the " + limit + " speed"
	}
	return ""
}

// speeds lists the speeds to choose from, in seconds of service time per second: real
// time, a minute, ten minutes, an hour, six hours and a day.
var speeds = []float64{1, 60, 600, api.DemoSpeed, 6 * api.DemoSpeed, 24 * api.DemoSpeed}

func formatPace(speed float64) string {
	if speed == 0 {
		return "off"
	}
	decimals := 0
	if speed < 1 {
		decimals = 3
	}
	return format.GroupDigits(speed, decimals) + "×"
}

// renderStrip renders the service's state in one line: simulator, clock and faults.
func (w *serviceWorld) renderStrip(th *theme.Theme, now time.Time, width int) string {
	s := w.serviceState()
	if s.Simulator == nil {
		return layout.FitLeft(th.PaintMuted(" simulator … · clock … · faults …"), width)
	}
	for full := 2; full >= 0; full-- {
		line := " " + simulatorPart(th, s.Simulator, now, full) + th.PaintMuted(" · ") + clockPart(th, s.Clock, full) +
			th.PaintMuted(" · ") + faultsPart(th, s.Faults, full)
		if layout.Width(line) <= width || full == 0 {
			return layout.FitLeft(line, width)
		}
	}
	return ""
}

func simulatorPart(th *theme.Theme, s *api.SimulatorState, now time.Time, full int) string {
	role, text := theme.InProgress, "▷ "+formatPace(s.Speed)
	switch {
	case s.Paused && s.Speed == 0:
		role, text = theme.Muted, "□ simulator off"
	case s.Paused:
		role, text = theme.Attention, "■ paused at "+formatPace(s.Speed)
	case full > 0:
		text = "▷ simulator " + formatPace(s.Speed)
	}
	line := th.PaintRole(role, text)
	if full < 2 || s.Paused && s.Speed == 0 {
		return line
	}
	rest := " · no steps waiting"
	switch script := s.Scenario; {
	case script != nil && len(script.Upcoming) > 0:
		rest = " · next: " + format.Moment(script.Upcoming[0].At.Time, now) + " " + describeEvent(script.Upcoming[0])
	case s.Waiting > 0:
		rest = fmt.Sprintf(" · %s waiting", format.Count(s.Waiting, "step", "steps"))
		if len(s.Upcoming) > 0 {
			rest += ", next " + describeStep(s.Upcoming[0]) + dueIn(s.Upcoming[0].At.Time, now)
		}
	}
	return line + th.PaintMuted(rest)
}

// describeEvent returns an event of a scenario with its order's code.
func describeEvent(e api.ScenarioEvent) string {
	text := layout.Clean(e.Does)
	if e.OrderCode != nil && *e.OrderCode != "" {
		text += " (" + layout.Clean(*e.OrderCode) + ")"
	}
	return text
}

// noteOf returns the text of an event that is only a note, and whether it is one.
func noteOf(e api.ScenarioEvent) (string, bool) {
	text, is := strings.CutPrefix(e.Does, "note ")
	return strings.Trim(text, `"`), is
}

// describeStep returns a step of the simulator in words.
func describeStep(s api.SimulatorStep) string {
	what, ok := stepTitles[s.Does]
	if !ok {
		what = layout.Clean(s.Does)
	}
	if s.MissionCode != nil {
		return what + " " + *s.MissionCode
	}
	return what + " " + s.OrderCode
}

var stepTitles = map[string]string{
	"issueQuote":        "quote",
	"reportNotFeasible": "not feasible",
	"assignOperator":    "operator",
	"requestPermission": "request permit",
	"scheduleFlight":    "flight date",
	"grantPermission":   "permit",
	"reschedule":        "new date",
	"deliver":           "deliver",
	"acceptDelivery":    "accept",
}

func dueIn(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	if !at.After(now) {
		return " now"
	}
	return " in " + formatLength(at.Sub(now))
}

// formatLength formats a duration in its one or two largest units: 12 s, 4 m, 3 h 20 m,
// 2 d 3 h.
func formatLength(d time.Duration) string {
	if d >= time.Hour {
		d = d.Round(time.Minute)
	}
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d m", int(d/time.Minute))
	case d < 24*time.Hour && d%time.Hour < time.Minute:
		return fmt.Sprintf("%d h", int(d/time.Hour))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %d m", int(d/time.Hour), int(d%time.Hour/time.Minute))
	case d%(24*time.Hour) < time.Hour:
		return fmt.Sprintf("%d d", int(d/(24*time.Hour)))
	default:
		return fmt.Sprintf("%d d %d h", int(d/(24*time.Hour)), int(d%(24*time.Hour)/time.Hour))
	}
}

func clockPart(th *theme.Theme, clock *api.ServiceClock, full int) string {
	text, role := "clock", theme.Muted
	if ahead := clock.Ahead.Duration; ahead > 0 {
		text, role = "clock + "+formatLength(ahead), theme.Attention
	} else if full > 0 {
		text = "real time"
	}
	return th.PaintRole(role, text)
}

func faultsPart(th *theme.Theme, f *api.Faults, full int) string {
	if !hasFaults(f) {
		return th.PaintMuted("no faults")
	}
	text := "! faults"
	if full > 0 {
		text = "! " + faultText(f)
	}
	return th.PaintRole(theme.Bad, text)
}

// hasFaults reports whether faults are injected.
func hasFaults(f *api.Faults) bool {
	return f != nil && (f.Status != 0 || f.Latency.Duration > 0 || f.Callbacks != "")
}

// faultCount returns the number of injected faults.
func faultCount(f *api.Faults) string {
	if f.Callbacks != "" {
		return format.Count(f.Injected, "callback", "callbacks")
	}
	return format.Count(f.Injected, "request", "requests")
}

// faultText describes the injected faults, as "30% of requests to /orders answered with
// 503, delayed by 2s".
func faultText(f *api.Faults) string {
	what := "request"
	if f.Callbacks != "" {
		what = "callback"
	}
	text := "every " + what
	if f.Rate < 1 {
		text = format.GroupDigits(100*f.Rate, 0) + "% of " + what + "s"
	}
	for _, o := range callbackFaults {
		if f.Callbacks != "" && o.Value == string(f.Callbacks) && o.Value != string(api.CallbackDelay) {
			text += " " + strings.ToLower(o.Label)
		}
	}
	if f.Callbacks == api.CallbackDelay && f.Latency.Duration == 0 {
		text += " delayed by 5s"
	}
	if f.Path != "" {
		text += " to " + f.Path
	}
	if f.Status != 0 {
		text += fmt.Sprintf(" answered with %d", f.Status)
	}
	if f.Latency.Duration > 0 {
		if f.Status != 0 {
			text += ","
		}
		text += " delayed by " + f.Latency.String()
	}
	return text
}

// changePace pauses, steps or changes the speed of the simulator, and reports whether
// the action was one of these.
func (d *operationsPage) changePace(id action.ID) (tea.Cmd, bool) {
	s := d.world.serviceState().Simulator
	var in api.SimulatorInput
	switch id {
	case action.SimPause:
		paused := !s.Paused
		in.Paused = &paused
	case action.SimSlower, action.SimFaster:
		speed := nextSpeed(s.Speed, id == action.SimFaster)
		in.Speed = &speed
	case action.SimStep:
		in.Step = true
	default:
		return nil, false
	}
	before, c := *s, commands.PaceSimulator(&in)
	return d.acts.sendRequest(c.Doing, sendCommand(d, c, "", func(now *api.SimulatorState) requestResult {
		return requestResult{said: describePaced(in, before, now)}
	})), true
}

// describePaced returns the result of a change of pace.
func describePaced(in api.SimulatorInput, before api.SimulatorState, now *api.SimulatorState) string {
	switch {
	case in.Step && before.Scenario != nil && now.Scenario != nil && now.Scenario.Last != nil && now.Scenario.Done > before.Scenario.Done:
		return describePlayed(before.Scenario, now.Scenario)
	case in.Step && now.LastError != nil:
		return "Step failed: " + layout.Clean(*now.LastError)
	case in.Step && len(before.Upcoming) > 0:
		return "Step done: " + describeStep(before.Upcoming[0])
	case in.Step:
		return "Step done"
	case now.Paused:
		return "Simulator paused"
	default:
		return "Simulator runs at " + formatPace(now.Speed)
	}
}

// describePlayed returns the result of the next scenario event. The earlier state can
// be out of date, because events at the same time follow each other immediately.
func describePlayed(before, now *api.ScenarioState) string {
	e := *now.Last
	switch note, is := noteOf(e); {
	case now.LastError != nil && (before.LastError == nil || *before.LastError != *now.LastError):
		return "Event failed: " + layout.Clean(*now.LastError)
	case is:
		return layout.Clean(note)
	default:
		return "Event done: " + describeEvent(e)
	}
}

// nextSpeed returns the next higher or lower speed.
func nextSpeed(speed float64, faster bool) float64 {
	if faster {
		for _, s := range speeds {
			if s > speed {
				return s
			}
		}
		return speed
	}
	for _, s := range slices.Backward(speeds) {
		if s < speed {
			return s
		}
	}
	return speed
}

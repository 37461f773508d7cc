package operations

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// state is how the service stands.
type state struct {
	simulator *api.Simulator
	clock     *api.ServiceClock
	faults    *api.Faults
	accounts  []api.Account
	requests  []api.KeyRequest
	listed    time.Time // when accounts and requests were read
}

// world is what the pages of the desk share: how the service stands, and what
// waits there.
type world struct {
	state
	at     time.Time // when it was read
	err    error
	asked  page.Question
	stale  bool // accounts and requests are to be read again
	wishes int  // how often all was to be read anew
	works  works
	own    string // account that the app's key is of, "" while that is not known
	acts   *acts
	front  *operations // the page that was shown last
}

func newWorld() *world { return &world{stale: true} }

type stateAnswer = page.Answer[state]

// pause is how long to wait between two looks.
func (w *world) pause() time.Duration {
	if w.clock != nil && w.clock.Adjustable {
		return brisk
	}
	return calm
}

// again has everything be read anew with the next reading.
func (w *world) again() {
	w.stale = true
	w.wishes++
	w.works.forget("")
}

// read has the state read, unless that is under way.
func (w *world) read(b page.Base) tea.Cmd {
	if w.asked.Open() {
		return nil
	}
	ops, lists := b.Ops, w.stale || b.Now().Sub(w.listed) >= calm
	known, now := w.state, b.Now()
	w.stale = false
	return page.Ask(b, &w.asked, func(ctx context.Context) (s state, err error) {
		s = known
		if s.simulator, err = ops.World.Simulator(ctx); err != nil {
			return s, err
		}
		if s.clock, err = ops.World.Clock(ctx); err != nil {
			return s, err
		}
		if s.faults, err = ops.World.Faults(ctx); err != nil || !lists {
			return s, err
		}
		if s.accounts, err = all(ops.Accounts.All(ctx)); err != nil {
			return s, err
		}
		s.requests, err = all(ops.Keys.AllRequests(ctx))
		s.listed = now
		return s, err
	})
}

// mostRows is how many rows of a list are read.
const mostRows = 2000

// all reads a list to its end, or as far as lists are read.
func all[T any](seq iter.Seq2[*T, error]) ([]T, error) {
	var rows []T
	for row, err := range seq {
		if err != nil {
			return nil, err
		}
		if rows = append(rows, *row); len(rows) == mostRows {
			break
		}
	}
	return rows, nil
}

// take takes the state and reports whether it was that.
func (w *world) take(env *page.Env, msg tea.Msg) bool {
	got, ok := msg.(stateAnswer)
	if !ok {
		return false
	}
	if got.Take() {
		if w.err = got.Err; w.err == nil {
			w.state, w.at = got.Value, env.Now()
		} else {
			w.stale = true
		}
	}
	return true
}

func (w *world) corner(now time.Time) string {
	switch {
	case w.at.IsZero() && w.err == nil:
		return "reading…"
	case w.at.IsZero():
		return ""
	default:
		return "refreshed " + format.Ago(w.at, now)
	}
}

// account is the account of an id, nil where it is not known.
func (w *world) account(uuid string) *api.Account {
	if i := slices.IndexFunc(w.accounts, func(a api.Account) bool { return a.UUID == uuid }); i >= 0 {
		return &w.accounts[i]
	}
	return nil
}

// company is an account's name, or its id in short.
func (w *world) company(uuid string) string {
	if a := w.account(uuid); a != nil {
		return a.CompanyName
	}
	return short(uuid)
}

func short(uuid string) string { return uuid[:min(8, len(uuid))] }

// adjustable says why the service is not there to try things out on, "" where
// it is.
func (w *world) adjustable() string {
	switch {
	case w.clock == nil:
		return "how the service stands is not read yet"
	case !w.clock.Adjustable:
		return "this service keeps the world's time; one started with --memory or --demo can be moved"
	default:
		return ""
	}
}

// disabled says why an action on the simulator is off.
func (w *world) disabled(id action.ID) string {
	switch id {
	case action.SimPause, action.SimSlower, action.SimFaster, action.SimStep:
	default:
		return ""
	}
	switch {
	case w.simulator == nil:
		return "how the simulator stands is not read yet"
	case w.simulator.Speed == 0 && (id == action.SimSlower || id == action.SimFaster):
		return "the simulator is off; p starts it"
	case id == action.SimStep && w.simulator.Waiting == 0:
		return "the simulator has nothing to do"
	case id == action.SimFaster && w.simulator.Speed >= speeds[len(speeds)-1], id == action.SimSlower && w.simulator.Speed <= speeds[0]:
		return "the simulator runs at " + pace(w.simulator.Speed) + ", as " + map[bool]string{true: "fast", false: "slow"}[id == action.SimFaster] + " as it goes from here"
	}
	return ""
}

// speeds are what the keys choose from: life, a minute, ten minutes, an hour,
// six hours and a day a second.
var speeds = []float64{1, 60, 600, api.DemoSpeed, 6 * api.DemoSpeed, 24 * api.DemoSpeed}

func pace(speed float64) string {
	if speed == 0 {
		return "off"
	}
	decimals := 0
	if speed < 1 {
		decimals = 3
	}
	return format.Group(speed, decimals) + "×"
}

// strip is the service's state in a line: the simulator, the clock and faults.
func (w *world) strip(th *theme.Theme, now time.Time, width int) string {
	if w.at.IsZero() {
		return layout.Left(layout.Text(th.Style(theme.Muted), " simulator … · clock … · faults …"), width)
	}
	for full := 2; full >= 0; full-- {
		line := " " + w.simulatorPart(th, now, full) + layout.Text(th.Style(theme.Muted), " · ") + w.clockPart(th, full) +
			layout.Text(th.Style(theme.Muted), " · ") + w.faultsPart(th, full)
		if layout.Width(line) <= width || full == 0 {
			return layout.Left(line, width)
		}
	}
	return ""
}

func (w *world) simulatorPart(th *theme.Theme, now time.Time, full int) string {
	s := w.simulator
	role, text := theme.InProgress, "▷ "+pace(s.Speed)
	switch {
	case s.Paused && s.Speed == 0:
		role, text = theme.Muted, "□ simulator off"
	case s.Paused:
		role, text = theme.Attention, "■ paused at "+pace(s.Speed)
	case full > 0:
		text = "▷ simulator " + pace(s.Speed)
	}
	line := layout.Text(th.Style(role), text)
	if full < 2 || s.Paused && s.Speed == 0 {
		return line
	}
	rest := " · nothing to do"
	if s.Waiting > 0 {
		rest = fmt.Sprintf(" · %s waiting", format.Count(s.Waiting, "step", "steps"))
		if len(s.Upcoming) > 0 {
			rest += ", next " + does(s.Upcoming[0]) + dueIn(s.Upcoming[0].At.Time, now)
		}
	}
	return line + layout.Text(th.Style(theme.Muted), rest)
}

// does says a step of the simulator.
func does(s api.SimulatorStep) string {
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
	"issueQuote": "quote", "reportNotFeasible": "not feasible", "assignOperator": "operator", "requestPermission": "ask permit for",
	"scheduleFlight": "flight date", "grantPermission": "permit", "reschedule": "new date", "deliver": "deliver", "acceptDelivery": "accept",
}

func dueIn(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	if !at.After(now) {
		return " now"
	}
	return " in " + length(at.Sub(now))
}

// length writes a length of time in its largest unit, or two: 12 s, 4 m, 3 h
// 20 m, 2 d 3 h.
func length(d time.Duration) string {
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

func (w *world) clockPart(th *theme.Theme, full int) string {
	text, role := "clock", theme.Muted
	if ahead := w.clock.Ahead.Duration; ahead > 0 {
		text, role = "clock + "+length(ahead), theme.Attention
	} else if full > 0 {
		text = "clock as the world's"
	}
	return layout.Text(th.Style(role), text)
}

func (w *world) faultsPart(th *theme.Theme, full int) string {
	if !faulty(w.faults) {
		return layout.Text(th.Style(theme.Muted), "no faults")
	}
	text := "! faults"
	if full > 0 {
		text = "! " + faultText(w.faults)
	}
	return layout.Text(th.Style(theme.Bad), text)
}

// faulty tells whether anything goes wrong on purpose.
func faulty(f *api.Faults) bool { return f != nil && (f.Status != 0 || f.Latency.Duration > 0) }

// faultText says what goes wrong: 30 % of /orders answer 503, 2s late.
func faultText(f *api.Faults) string {
	text := "every request"
	if f.Rate < 1 {
		text = format.Group(100*f.Rate, 0) + " % of requests"
	}
	if f.Path != "" {
		text += " to " + f.Path
	}
	if f.Status != 0 {
		text += fmt.Sprintf(" answered %d", f.Status)
	}
	if f.Latency.Duration > 0 {
		text += " " + f.Latency.String() + " late"
	}
	return text
}

// pace paces the simulator.
func (d *operations) pace(id action.ID) (tea.Cmd, bool) {
	s := d.world.simulator
	var in api.SimulatorInput
	switch id {
	case action.SimPause:
		paused := !s.Paused
		in.Paused = &paused
	case action.SimSlower, action.SimFaster:
		speed := next(s.Speed, id == action.SimFaster)
		in.Speed = &speed
	case action.SimStep:
		in.Step = true
	default:
		return nil, false
	}
	ops, before := d.Ops, *s
	return d.acts.send("pacing the simulator", func(ctx context.Context) (sent, error) {
		now, err := ops.World.SetSimulator(ctx, in)
		if err != nil {
			return sent{}, err
		}
		return sent{said: paced(in, before, now)}, nil
	}), true
}

// paced says what came of pacing the simulator.
func paced(in api.SimulatorInput, before api.Simulator, now *api.Simulator) string {
	switch {
	case in.Step && now.LastError != nil:
		return "the step could not be taken: " + layout.Clean(*now.LastError)
	case in.Step && len(before.Upcoming) > 0:
		return "the simulator took its step: " + does(before.Upcoming[0])
	case in.Step:
		return "the simulator took its step"
	case now.Paused:
		return "the simulator is paused"
	default:
		return "the simulator runs at " + pace(now.Speed)
	}
}

// next is the speed above or below another.
func next(speed float64, faster bool) float64 {
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

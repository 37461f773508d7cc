package operations

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// trials are what a service to try things out on takes: its clock is moved,
// requests go wrong, and all begins anew. The next events of a scenario and the
// simulator's next steps stand beside them.
type trials struct{ d *operations }

func newTrials(d *operations) *trials { return &trials{d} }

func (t *trials) Scopes() []action.Scope   { return []action.Scope{action.OpsTrials} }
func (t *trials) Typing() bool             { return false }
func (t *trials) Cursor() *tea.Cursor      { return nil }
func (t *trials) Back() bool               { return false }
func (t *trials) Mouse(page.Mouse) tea.Cmd { return nil }
func (t *trials) Jumps() []page.Jump       { return nil }
func (t *trials) Needs() []cache.Need      { return t.d.world.works.needs() }
func (t *trials) Update(tea.Msg) tea.Cmd   { return nil }

// next is the open quote that expires first, of all orders.
func (t *trials) next() (o *api.OpsOrder, first *api.OpsQuote) {
	for _, one := range t.d.world.works.all() {
		q := openQuote(one, t.d.Now())
		if q == nil {
			continue
		}
		if first == nil || cmp.Or(q.ExpiryDate.Compare(first.ExpiryDate.Time), cmp.Compare(one.OrderCode, o.OrderCode)) < 0 {
			o, first = one, q
		}
	}
	return o, first
}

func (t *trials) Disabled(id action.ID) string {
	d := t.d
	switch {
	case slices.Contains([]action.ID{action.AdvanceClock, action.ExpireQuote, action.Reset, action.TakeSnapshot, action.RestoreSnapshot}, id):
		if why := d.world.adjustable(); why != "" {
			return why
		}
		if id == action.RestoreSnapshot && len(d.world.service().Snapshots) == 0 {
			return "no snapshot yet; press k to take one"
		}
	case d.world.service().Faults == nil:
		return "still loading"
	case id == action.EndFaults && !faulty(d.world.service().Faults):
		return "no faults set"
	}
	if _, q := t.next(); id == action.ExpireQuote && q == nil {
		return "no order has an open quote"
	}
	return ""
}

func (t *trials) Do(id action.ID) tea.Cmd {
	d := t.d
	switch id {
	case action.AdvanceClock:
		d.acts.open(d.clockAsk())
	case action.ExpireQuote:
		d.expireAsk(t.next())
	case action.SetFault:
		d.acts.open(d.faultAsk())
	case action.EndFaults:
		c := commands.EndFaults()
		return d.acts.send(c.Doing, sending(d, c, "", nil))
	case action.Reset:
		d.resetAsk()
	case action.TakeSnapshot:
		d.acts.open(d.snapshotAsk())
	case action.RestoreSnapshot:
		d.acts.open(d.restoreAsk())
	default:
		return nil
	}
	return nil
}

// clockAsk moves the clock ahead.
func (d *operations) clockAsk() *ask {
	var by api.Duration
	q := fillIn(d, &ask{
		title: "Advance clock", yes: "advance clock",
		lines: []string{"Quotes expire, and simulator steps and events of a scenario happen as if that time had passed."},
		change: func(f *form.Form) {
			f.Field("to").Note = format.None
			if n, err := api.ParseDuration(f.Field("advance").Value()); err == nil && n > 0 {
				f.Field("to").Note = "new time: " + format.Moment(d.Now().Add(n), d.Now())
			}
		},
	}, commands.AdvanceClock(&by), "", func(*api.ServiceClock) sent {
		return sent{said: "Clock advanced by " + length(by.Duration)}
	}, &form.Field{ID: "to", Label: "", Kind: form.Note})
	q.form.Field("advance").Set("1d")
	return q
}

// faultAsk has requests go wrong.
func (d *operations) faultAsk() *ask {
	in := commands.FaultValues{Status: http.StatusServiceUnavailable, Rate: 1}
	if now := d.world.service().Faults; faulty(now) {
		in = commands.FaultValues{Status: now.Status, Latency: now.Latency, Rate: commands.Share(now.Rate), Path: now.Path, Callbacks: now.Callbacks}
	}
	was := in.Callbacks
	q := &ask{title: "Set faults", yes: "set faults", change: func(f *form.Form) { // callbacks are not answered
		if now := api.CallbackFault(f.Field("callbacks").Value()); now != was {
			if was = now; now != "" {
				f.Field("status").Set("0")
				f.Field("path").Set("")
			}
		}
	}}
	return fillIn(d, q, commands.SetFaults(&in), "", func(now *api.Faults) sent {
		return sent{said: "Faults set: " + faultText(now)}
	})
}

// snapshotAsk keeps everything under a name; that of the last one is filled in.
func (d *operations) snapshotAsk() *ask {
	name := "training"
	if all := d.world.service().Snapshots; len(all) > 0 {
		name = all[0].Name
	}
	return fillIn(d, &ask{title: "Take snapshot", yes: "take snapshot"}, commands.TakeSnapshot(&name), "", nil)
}

// restoreAsk brings a snapshot back, the last one unless another is chosen.
func (d *operations) restoreAsk() *ask {
	all := d.world.service().Snapshots
	name := all[0].Name
	q := fillIn(d, &ask{title: "Restore snapshot", yes: "restore"}, commands.RestoreSnapshot(&name), "", nil)
	choice := &form.Field{ID: "name", Label: "Snapshot", Kind: form.Choice}
	for _, s := range all {
		choice.Options = append(choice.Options, form.Option{Value: s.Name, Label: s.Name, Help: "taken " + format.Ago(s.TakenAt.Time, time.Now())})
	}
	q.form = form.New(0, d.Now, choice)
	choice.Set(name)
	return q
}

// resetAsk goes back to where the service began.
func (d *operations) resetAsk() {
	const word = "reset"
	d.Overlay(&dialog.Typed{
		Theme: d.Theme, Title: "Reset", Want: word, Yes: "reset", No: "back",
		Lines: []string{
			"Restores the initial orders, quotes, deliveries and callbacks.",
			"Accounts and keys are kept. Cannot be undone.", "",
		},
		OnYes: func() tea.Cmd {
			c := commands.Reset()
			return d.acts.send(c.Doing, sending(d, c, "", nil))
		},
	})
}

func (t *trials) View(w, h int) string {
	d := t.d
	switch _, is := d.world.state(); {
	case is.ReadAt.IsZero() && is.Err != nil:
		return layout.Box(d.problem(is.Err, "", w), w, h)
	case is.ReadAt.IsZero():
		muted := d.Theme.Style(theme.Muted)
		return layout.Box([]string{
			layout.Text(d.Theme.Title, " Clock"), layout.Text(muted, "   ░░░░░░░░░░░░░░░░"), "",
			layout.Text(d.Theme.Title, " Faults"), layout.Text(muted, "   ░░░░░░░░"), "",
			layout.Text(d.Theme.Title, " Reset"), layout.Text(muted, "   ░░░░░░░░░░░░"),
		}, w, h)
	case !d.Theme.IsWide(w, 100):
		airy := h > 16 && d.world.scenario() == nil
		settings := t.settings(w, airy, d.world.scenario() != nil)
		lines := t.scenario(w, max(8, h-len(settings)-3))
		lines = append(lines, settings...)
		if airy {
			lines = append(lines, "")
		}
		return layout.Box(append(lines, t.simulator(w, h-len(lines))...), w, h)
	}
	left := w * 52 / 100
	if d.world.scenario() != nil { // its lines are longer
		left = max(48, w*40/100)
	}
	right := w - left - 1
	lines := t.scenario(right, h*2/3)
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, t.simulator(right, h-len(lines))...)
	return layout.Beside(d.Theme.Rule.Render("│"), layout.Box(t.settings(left, true, false), left, h), layout.Box(lines, right, h))
}

// group is a title with the keys at the right that do something now.
func (t *trials) group(title string, w int, keys ...groupKey) string {
	th, right := t.d.Theme, ""
	for _, k := range keys {
		if !t.d.ReadOnly && t.d.Disabled(k.id) == "" {
			right += layout.Text(th.Key, k.key) + layout.Text(th.Style(theme.Muted), " "+k.title+"  ")
		}
	}
	return layout.Ends(layout.Text(th.Title, " "+title), right, w)
}

// groupKey is a key behind a title.
type groupKey struct {
	id         action.ID
	key, title string
}

// settings are clock, faults and reset with their keys; brief ones have what
// matters most.
func (t *trials) settings(w int, airy, brief bool) []string {
	d := t.d
	s, is := d.world.state()
	text, muted := d.Theme.Style(theme.Text), d.Theme.Style(theme.Muted)
	var lines []string
	say := func(line string) { lines = append(lines, "   "+line) }
	more := func(line string) {
		if !brief {
			say(line)
		}
	}
	lines = append(lines, t.group("Clock", w, groupKey{action.AdvanceClock, "c", "advance"}, groupKey{action.ExpireQuote, "e", "expire next"}))
	say(layout.Text(text, s.Clock.Now.In(d.Now().Location()).Format("Mon 2 Jan 2006 15:04")))
	switch {
	case !s.Clock.Adjustable:
		more(layout.Text(muted, "real time; cannot be changed on this service"))
	case s.Clock.Ahead.Duration > 0:
		more(layout.Text(d.Theme.Style(theme.Attention), length(s.Clock.Ahead.Duration)+" ahead of real time"))
	default:
		more(layout.Text(muted, "real time"))
	}
	if o, q := t.next(); q != nil {
		more(layout.Text(muted, "next: “"+q.QuoteName+"” for "+o.OrderCode+", in "+length(q.ExpiryDate.Sub(d.Now()))))
	}
	if airy {
		lines = append(lines, "")
	}
	lines = append(lines, t.group("Faults", w, groupKey{action.SetFault, "f", "set"}, groupKey{action.EndFaults, "F", "clear"}))
	if faulty(s.Faults) {
		say(layout.Text(d.Theme.Style(theme.Bad), "! "+faultText(s.Faults)))
		more(layout.Text(muted, faultCount(s.Faults)+" so far"))
	} else {
		say(layout.Text(muted, "No faults set"))
	}
	if airy {
		lines = append(lines, "")
	}
	lines = append(lines, t.group("Reset", w, groupKey{action.Reset, "del", "reset"}, groupKey{action.TakeSnapshot, "k", "snapshot"}, groupKey{action.RestoreSnapshot, "b", "restore"}))
	switch n := len(s.Snapshots); {
	case n == 1:
		more(layout.Text(muted, "Snapshot "+s.Snapshots[0].Name))
	case n > 1:
		more(layout.Text(muted, fmt.Sprintf("Snapshot %s and %d more", s.Snapshots[0].Name, n-1)))
	default:
		more(layout.Text(muted, "Restores the initial orders; keeps accounts and keys"))
	}
	if is.Err != nil {
		lines = append(append(lines, ""), d.problem(is.Err, "Showing data loaded "+format.Ago(is.ReadAt, d.Now()), w)...)
	}
	for i := range lines {
		lines[i] = layout.Cut(lines[i], w)
	}
	return lines
}

// scenario is the scenario with its next events, of at most so many lines.
// Nothing where there is none.
func (t *trials) scenario(w, most int) []string {
	d, th := t.d, t.d.Theme
	s := d.world.scenario()
	if s == nil {
		return nil
	}
	muted, text := th.Style(theme.Muted), th.Style(theme.Text)
	lines := []string{t.group("Scenario", w, groupKey{action.SimStep, "=", "next event"}), "   " + layout.Text(text, layout.Clean(s.Title))}
	progress := fmt.Sprintf("%d of %d events done", s.Done, s.Events)
	switch {
	case len(s.Upcoming) == 0:
		progress += " · it is over; a reset restarts it"
	case d.world.service().Simulator.Paused:
		progress += " · paused with the simulator"
	}
	lines = append(lines, "   "+layout.Text(muted, progress))
	if s.LastError != nil {
		lines = append(lines, "   "+layout.Text(th.Style(theme.Bad), "! "+layout.Clean(*s.LastError)))
	}
	if s.Last != nil {
		role, last := muted, "last: "+event(*s.Last)
		if note, is := noteOf(*s.Last); is {
			role, last = th.Style(theme.Attention), note
		}
		for _, part := range layout.Wrap(last, max(1, w-3)) {
			lines = append(lines, "   "+layout.Text(role, part))
		}
	}
	for i, e := range s.Upcoming {
		if left := s.Events - s.Done - i; len(lines) >= most-1 && left > 1 {
			lines = append(lines, "   "+layout.Text(muted, layout.Right(fmt.Sprintf("and %d more", left), 12)))
			break
		}
		lines = append(lines, "   "+layout.Text(muted, layout.Right(e.At.In(d.Now().Location()).Format("2 Jan 15:04"), 12)+"  ")+layout.Text(text, event(e)))
	}
	for i := range lines {
		lines[i] = layout.Cut(lines[i], w)
	}
	return lines
}

// simulator is the simulator with its next steps.
func (t *trials) simulator(w, h int) []string {
	d, th := t.d, t.d.Theme
	s := d.world.service().Simulator
	muted := th.Style(theme.Muted)
	keys := []groupKey{{action.SimPause, "p", map[bool]string{true: "resume", false: "pause"}[s.Paused]}, {action.SimSlower, "( )", "speed"}}
	if next := d.world.scenario(); next == nil || len(next.Upcoming) == 0 {
		keys = append(keys, groupKey{action.SimStep, "=", "step"})
	}
	lines := []string{t.group("Simulator", w, keys...)}
	pacing := "runs at " + pace(s.Speed) + perSecond(s.Speed)
	switch {
	case s.Speed == 0:
		pacing = "off; press p to start it"
	case s.Paused:
		pacing = "paused at " + pace(s.Speed)
	}
	lines = append(lines, "   "+layout.Text(th.Style(theme.Text), pacing)+layout.Text(muted, " · "+format.Count(s.Done, "step", "steps")+" done"))
	if s.LastError != nil {
		lines = append(lines, "   "+layout.Text(th.Style(theme.Bad), "! "+*s.LastError))
	}
	if s.Waiting == 0 {
		return append(lines, "   "+layout.Text(muted, "no steps waiting"))
	}
	for i, step := range s.Upcoming {
		if len(lines) >= h-1 && i < s.Waiting-1 {
			lines = append(lines, "   "+layout.Text(muted, fmt.Sprintf("and %d more", s.Waiting-i)))
			break
		}
		due := "now"
		if step.At.After(d.Now()) {
			due = "in " + length(step.At.Sub(d.Now()))
		}
		lines = append(lines, "   "+layout.Text(muted, layout.Right(due, 12)+"  ")+layout.Text(th.Style(theme.Text), does(step)))
	}
	for i := range lines {
		lines[i] = layout.Cut(lines[i], w)
	}
	return lines
}

// perSecond says what a second is at a speed.
func perSecond(speed float64) string {
	if speed < 60 || speed > 1e6 {
		return ""
	}
	return ", " + length(time.Duration(speed)*time.Second) + " per second"
}

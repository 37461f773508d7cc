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

// testControls are what a service to try things out on takes: its clock is moved,
// requests go wrong, and all begins anew. The next events of a scenario and the
// simulator's next steps stand beside them.
type testControls struct{ d *operationsPage }

func newTestControls(d *operationsPage) *testControls { return &testControls{d} }

func (t *testControls) ActionScopes() []action.Scope        { return []action.Scope{action.TestControls} }
func (t *testControls) IsTyping() bool                      { return false }
func (t *testControls) Cursor() *tea.Cursor                 { return nil }
func (t *testControls) HandleBack() bool                    { return false }
func (t *testControls) HandleMouse(page.MouseInput) tea.Cmd { return nil }
func (t *testControls) JumpTargets() []page.JumpTarget      { return nil }
func (t *testControls) DataNeeds() []cache.Need             { return t.d.world.works.workNeeds() }
func (t *testControls) Update(tea.Msg) tea.Cmd              { return nil }

// nextQuote returns the open quote that expires first, of all orders.
func (t *testControls) nextQuote() (o *api.OpsOrder, first *api.OpsQuote) {
	for _, one := range t.d.world.works.readOrders() {
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

func (t *testControls) DisabledReason(id action.ID) string {
	d := t.d
	switch {
	case slices.Contains([]action.ID{action.AdvanceClock, action.ExpireQuote, action.Reset, action.TakeSnapshot, action.RestoreSnapshot}, id):
		if why := d.world.adjustRefusal(); why != "" {
			return why
		}
		if id == action.RestoreSnapshot && len(d.world.serviceState().Snapshots) == 0 {
			return "no snapshot yet; press k to take one"
		}
	case d.world.serviceState().Faults == nil:
		return "still loading"
	case id == action.EndFaults && !hasFaults(d.world.serviceState().Faults):
		return "no faults set"
	}
	if _, q := t.nextQuote(); id == action.ExpireQuote && q == nil {
		return "no order has an open quote"
	}
	return ""
}

func (t *testControls) HandleAction(id action.ID) tea.Cmd {
	d := t.d
	switch id {
	case action.AdvanceClock:
		d.acts.openForm(d.clockForm())
	case action.ExpireQuote:
		d.confirmExpire(t.nextQuote())
	case action.SetFault:
		d.acts.openForm(d.faultForm())
	case action.EndFaults:
		c := commands.EndFaults()
		return d.acts.sendRequest(c.Doing, sendCommand(d, c, "", nil))
	case action.Reset:
		d.confirmReset()
	case action.TakeSnapshot:
		d.acts.openForm(d.snapshotForm())
	case action.RestoreSnapshot:
		d.acts.openForm(d.restoreForm())
	default:
		return nil
	}
	return nil
}

// clockForm moves the clock ahead.
func (d *operationsPage) clockForm() *requestForm {
	var by api.Duration
	q := fillIn(d, &requestForm{
		title: "Advance clock", yes: "advance clock",
		lines: []string{"Quotes expire, and simulator steps and events of a scenario happen as if that time had passed."},
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
	return q
}

// faultForm has requests go wrong.
func (d *operationsPage) faultForm() *requestForm {
	in := commands.FaultValues{Status: http.StatusServiceUnavailable, Rate: 1}
	if now := d.world.serviceState().Faults; hasFaults(now) {
		in = commands.FaultValues{Status: now.Status, Latency: now.Latency, Rate: commands.PercentShare(now.Rate), Path: now.Path, Callbacks: now.Callbacks}
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
	return fillIn(d, q, commands.SetFaults(&in), "", func(now *api.Faults) requestResult {
		return requestResult{said: "Faults set: " + faultText(now)}
	})
}

// snapshotForm keeps everything under a name; that of the last one is filled in.
func (d *operationsPage) snapshotForm() *requestForm {
	name := "training"
	if all := d.world.serviceState().Snapshots; len(all) > 0 {
		name = all[0].Name
	}
	return fillIn(d, &requestForm{title: "Take snapshot", yes: "take snapshot"}, commands.TakeSnapshot(&name), "", nil)
}

// restoreForm brings a snapshot back, the last one unless another is chosen.
func (d *operationsPage) restoreForm() *requestForm {
	all := d.world.serviceState().Snapshots
	name := all[0].Name
	q := fillIn(d, &requestForm{title: "Restore snapshot", yes: "restore"}, commands.RestoreSnapshot(&name), "", nil)
	choice := &form.Field{ID: "name", Label: "Snapshot", Kind: form.Choice}
	for _, s := range all {
		choice.Options = append(choice.Options, form.Option{Value: s.Name, Label: s.Name, Help: "taken " + format.Ago(s.TakenAt.Time, time.Now())})
	}
	q.form = form.New(0, d.Now, choice)
	choice.Set(name)
	return q
}

// confirmReset goes back to where the service began.
func (d *operationsPage) confirmReset() {
	const word = "reset"
	d.Overlay(&dialog.TypedConfirmation{
		Theme: d.Theme, Title: "Reset", Want: word, Yes: "reset", No: "back",
		Lines: []string{
			"Restores the initial orders, quotes, deliveries and callbacks.",
			"Accounts and keys are kept. Cannot be undone.", "",
		},
		OnYes: func() tea.Cmd {
			c := commands.ResetWorld()
			return d.acts.sendRequest(c.Doing, sendCommand(d, c, "", nil))
		},
	})
}

func (t *testControls) View(w, h int) string {
	d := t.d
	switch _, is := d.world.entryState(); {
	case is.ReadAt.IsZero() && is.Err != nil:
		return layout.FitBox(d.renderProblem(is.Err, "", w), w, h)
	case is.ReadAt.IsZero():
		muted := d.Theme.Style(theme.Muted)
		return layout.FitBox([]string{
			layout.CleanText(d.Theme.Title, " Clock"), layout.CleanText(muted, "   ░░░░░░░░░░░░░░░░"), "",
			layout.CleanText(d.Theme.Title, " Faults"), layout.CleanText(muted, "   ░░░░░░░░"), "",
			layout.CleanText(d.Theme.Title, " Reset"), layout.CleanText(muted, "   ░░░░░░░░░░░░"),
		}, w, h)
	case !d.Theme.IsWide(w, 100):
		airy := h > 16 && d.world.scenarioState() == nil
		settings := t.renderSettings(w, airy, d.world.scenarioState() != nil)
		lines := t.renderScenario(w, max(8, h-len(settings)-3))
		lines = append(lines, settings...)
		if airy {
			lines = append(lines, "")
		}
		return layout.FitBox(append(lines, t.renderSimulator(w, h-len(lines))...), w, h)
	}
	left := w * 52 / 100
	if d.world.scenarioState() != nil { // its lines are longer
		left = max(48, w*40/100)
	}
	right := w - left - 1
	lines := t.renderScenario(right, h*2/3)
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, t.renderSimulator(right, h-len(lines))...)
	return layout.Beside(d.Theme.Rule.Render("│"), layout.FitBox(t.renderSettings(left, true, false), left, h), layout.FitBox(lines, right, h))
}

// renderGroup returns a title with the keys at the right that do something now.
func (t *testControls) renderGroup(title string, w int, keys ...groupKey) string {
	th, right := t.d.Theme, ""
	for _, k := range keys {
		if !t.d.ReadOnly && t.d.DisabledReason(k.id) == "" {
			right += layout.CleanText(th.Key, k.key) + layout.CleanText(th.Style(theme.Muted), " "+k.title+"  ")
		}
	}
	return layout.FitEnds(layout.CleanText(th.Title, " "+title), right, w)
}

// groupKey is a key behind a title.
type groupKey struct {
	id         action.ID
	key, title string
}

// renderSettings returns clock, faults and reset with their keys; brief ones have what
// matters most.
func (t *testControls) renderSettings(w int, airy, brief bool) []string {
	d := t.d
	s, is := d.world.entryState()
	text, muted := d.Theme.Style(theme.Text), d.Theme.Style(theme.Muted)
	var lines []string
	say := func(line string) { lines = append(lines, "   "+line) }
	more := func(line string) {
		if !brief {
			say(line)
		}
	}
	lines = append(lines, t.renderGroup("Clock", w, groupKey{action.AdvanceClock, "c", "advance"}, groupKey{action.ExpireQuote, "e", "expire next"}))
	say(layout.CleanText(text, s.Clock.Now.In(d.Now().Location()).Format("Mon 2 Jan 2006 15:04")))
	switch {
	case !s.Clock.Adjustable:
		more(layout.CleanText(muted, "real time; cannot be changed on this service"))
	case s.Clock.Ahead.Duration > 0:
		more(layout.CleanText(d.Theme.Style(theme.Attention), formatLength(s.Clock.Ahead.Duration)+" ahead of real time"))
	default:
		more(layout.CleanText(muted, "real time"))
	}
	if o, q := t.nextQuote(); q != nil {
		more(layout.CleanText(muted, "next: “"+q.QuoteName+"” for "+o.OrderCode+", in "+formatLength(q.ExpiryDate.Sub(d.Now()))))
	}
	if airy {
		lines = append(lines, "")
	}
	lines = append(lines, t.renderGroup("Faults", w, groupKey{action.SetFault, "f", "set"}, groupKey{action.EndFaults, "F", "clear"}))
	if hasFaults(s.Faults) {
		say(layout.CleanText(d.Theme.Style(theme.Bad), "! "+faultText(s.Faults)))
		more(layout.CleanText(muted, faultCount(s.Faults)+" so far"))
	} else {
		say(layout.CleanText(muted, "No faults set"))
	}
	if airy {
		lines = append(lines, "")
	}
	lines = append(lines, t.renderGroup("Reset", w, groupKey{action.Reset, "del", "reset"}, groupKey{action.TakeSnapshot, "k", "snapshot"}, groupKey{action.RestoreSnapshot, "b", "restore"}))
	switch n := len(s.Snapshots); {
	case n == 1:
		more(layout.CleanText(muted, "Snapshot "+s.Snapshots[0].Name))
	case n > 1:
		more(layout.CleanText(muted, fmt.Sprintf("Snapshot %s and %d more", s.Snapshots[0].Name, n-1)))
	default:
		more(layout.CleanText(muted, "Restores the initial orders; keeps accounts and keys"))
	}
	if is.Err != nil {
		lines = append(append(lines, ""), d.renderProblem(is.Err, "Showing data loaded "+format.Ago(is.ReadAt, d.Now()), w)...)
	}
	for i := range lines {
		lines[i] = layout.CutLine(lines[i], w)
	}
	return lines
}

// renderScenario returns the scenario with its next events, of at most so many lines.
// Nothing where there is none.
func (t *testControls) renderScenario(w, most int) []string {
	d, th := t.d, t.d.Theme
	s := d.world.scenarioState()
	if s == nil {
		return nil
	}
	muted, text := th.Style(theme.Muted), th.Style(theme.Text)
	lines := []string{t.renderGroup("Scenario", w, groupKey{action.SimStep, "=", "next event"}), "   " + layout.CleanText(text, layout.Clean(s.Title))}
	progress := fmt.Sprintf("%d of %d events done", s.Done, s.Events)
	switch {
	case len(s.Upcoming) == 0:
		progress += " · it is over; a reset restarts it"
	case d.world.serviceState().Simulator.Paused:
		progress += " · paused with the simulator"
	}
	lines = append(lines, "   "+layout.CleanText(muted, progress))
	if s.LastError != nil {
		lines = append(lines, "   "+layout.CleanText(th.Style(theme.Bad), "! "+layout.Clean(*s.LastError)))
	}
	if s.Last != nil {
		role, last := muted, "last: "+describeEvent(*s.Last)
		if note, is := noteOf(*s.Last); is {
			role, last = th.Style(theme.Attention), note
		}
		for _, part := range layout.Wrap(last, max(1, w-3)) {
			lines = append(lines, "   "+layout.CleanText(role, part))
		}
	}
	for i, e := range s.Upcoming {
		if left := s.Events - s.Done - i; len(lines) >= most-1 && left > 1 {
			lines = append(lines, "   "+layout.CleanText(muted, layout.FitRight(fmt.Sprintf("and %d more", left), 12)))
			break
		}
		lines = append(lines, "   "+layout.CleanText(muted, layout.FitRight(e.At.In(d.Now().Location()).Format("2 Jan 15:04"), 12)+"  ")+layout.CleanText(text, describeEvent(e)))
	}
	for i := range lines {
		lines[i] = layout.CutLine(lines[i], w)
	}
	return lines
}

// renderSimulator returns the simulator with its next steps.
func (t *testControls) renderSimulator(w, h int) []string {
	d, th := t.d, t.d.Theme
	s := d.world.serviceState().Simulator
	muted := th.Style(theme.Muted)
	keys := []groupKey{{action.SimPause, "p", map[bool]string{true: "resume", false: "pause"}[s.Paused]}, {action.SimSlower, "( )", "speed"}}
	if next := d.world.scenarioState(); next == nil || len(next.Upcoming) == 0 {
		keys = append(keys, groupKey{action.SimStep, "=", "step"})
	}
	lines := []string{t.renderGroup("Simulator", w, keys...)}
	pacing := "runs at " + formatPace(s.Speed) + perSecond(s.Speed)
	switch {
	case s.Speed == 0:
		pacing = "off; press p to start it"
	case s.Paused:
		pacing = "paused at " + formatPace(s.Speed)
	}
	lines = append(lines, "   "+layout.CleanText(th.Style(theme.Text), pacing)+layout.CleanText(muted, " · "+format.Count(s.Done, "step", "steps")+" done"))
	if s.LastError != nil {
		lines = append(lines, "   "+layout.CleanText(th.Style(theme.Bad), "! "+*s.LastError))
	}
	if s.Waiting == 0 {
		return append(lines, "   "+layout.CleanText(muted, "no steps waiting"))
	}
	for i, step := range s.Upcoming {
		if len(lines) >= h-1 && i < s.Waiting-1 {
			lines = append(lines, "   "+layout.CleanText(muted, fmt.Sprintf("and %d more", s.Waiting-i)))
			break
		}
		due := "now"
		if step.At.After(d.Now()) {
			due = "in " + formatLength(step.At.Sub(d.Now()))
		}
		lines = append(lines, "   "+layout.CleanText(muted, layout.FitRight(due, 12)+"  ")+layout.CleanText(th.Style(theme.Text), describeStep(step)))
	}
	for i := range lines {
		lines[i] = layout.CutLine(lines[i], w)
	}
	return lines
}

// perSecond says what a second is at a speed.
func perSecond(speed float64) string {
	if speed < 60 || speed > 1e6 {
		return ""
	}
	return ", " + formatLength(time.Duration(speed)*time.Second) + " per second"
}

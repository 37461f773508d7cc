package orders

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// moves are what can be done to a placed order, by their actions.
var moves = map[action.ID]api.OrderMove{
	action.CancelOrder: api.MoveCancel, action.ArchiveOrder: api.MoveArchive, action.RejectOrder: api.MoveReject,
}

// movable says why an order does not take a move, "" where it does.
func movable(env *page.Env, o *api.Order, move api.OrderMove) string {
	switch {
	case o == nil:
		return "there is no order"
	case env.PendingFor != nil && env.PendingFor(o.UUID) != "":
		return env.PendingFor(o.UUID) + " comes first"
	default:
		return commands.RefuseOrderMove(o, move)
	}
}

// askMove asks before an order is moved: none of the moves can be taken back
// once it is sent, so the order's code is typed, and a reason where the service
// wants one.
func askMove(env *page.Env, o *api.Order, move api.OrderMove) {
	title := strings.ToUpper(string(move[:1])) + string(move[1:]) + " order"
	lines := []string{strings.TrimSpace(o.OrderCode + "  " + o.OrderName), labels.OrderState(o.Status, env.QuotesOf(o.UUID)).Word, ""}
	lines = append(lines, commands.DescribeOrderMove(move)[0])
	if move != api.MoveArchive {
		lines = append(lines, concerned(env, o)...)
	}
	lines = append(append(lines, commands.DescribeOrderMove(move)[1:]...), "You have 8 s to stop it with u.")
	if !move.NeedsReason() {
		env.Overlay(&dialog.Typed{
			Theme: env.Theme, Title: title, Lines: lines, Want: o.OrderCode, Yes: string(move), No: "back",
			OnYes: func() tea.Cmd { return holdMove(env, o, move, "") },
		})
		return
	}
	env.Overlay(&ending{
		theme: env.Theme, title: title, lines: lines, code: o.OrderCode, yes: string(move),
		form: form.New(api.MaxTextLength, env.Now,
			&form.Field{ID: "reason", Label: "Reason", Help: "why; it is kept with the order"},
			&form.Field{ID: "code", Label: "Order code", Help: "type " + o.OrderCode + " to confirm"}),
		onYes: func(reason string) tea.Cmd { return holdMove(env, o, move, reason) },
	})
}

// concerned says in a line what ends with an order, as far as its missions are
// known.
func concerned(env *page.Env, o *api.Order) []string {
	missions, flights, now := 0, 0, env.Now()
	var next *api.Mission
	for _, m := range keptMissions(env, o).Missions {
		if m.Status == api.MissionCancelled {
			continue
		}
		missions++
		if m.Status != api.MissionFlightScheduled || m.FlightDate.Before(now) {
			continue
		}
		if flights++; next == nil || m.FlightDate.Before(next.FlightDate.Time) {
			next = &m
		}
	}
	if missions == 0 {
		return nil
	}
	text := "What ends: " + format.Count(missions, "mission", "missions")
	if next != nil {
		text += " and " + format.Count(flights, "planned flight", "planned flights") + ", the next on " + format.MomentAt(next.FlightDate.Time, now, cache.ZoneOf(next))
	}
	return []string{text + "."}
}

// holdMove holds a move back for a while, and then has it made. The outcome is
// what the order says of itself.
func holdMove(env *page.Env, o *api.Order, move api.OrderMove, reason string) tea.Cmd {
	client, code, uuid := env.Client, o.OrderCode, o.UUID
	return env.Defer(page.Pending{
		Text: string(move) + " of " + code, Done: move.Done() + " " + code, Of: uuid,
		Send: func(ctx context.Context) error { return commands.MoveOrder(ctx, client, uuid, code, move, reason) },
	})
}

// ending asks for a reason and the code of the order that ends.
type ending struct {
	theme *theme.Theme
	title string
	lines []string
	code  string
	yes   string
	form  *form.Form
	onYes func(reason string) tea.Cmd
	y     int // line where the form began in the last view
}

// Update takes keys for the form; enter goes on once both fields are there.
func (e *ending) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		e.form.Update(msg)
		return nil, false
	}
	switch key.String() {
	case "esc":
		return nil, true
	case "enter":
		return e.enter()
	case "tab", "down":
		e.form.Next(1)
	case "shift+tab", "up":
		e.form.Next(-1)
	default:
		e.form.Update(msg)
	}
	return nil, false
}

// enter goes on to what is missing, or ends the dialog.
func (e *ending) enter() (tea.Cmd, bool) {
	reason, code := e.form.Field("reason"), e.form.Field("code")
	reason.Error, code.Error = "", ""
	switch {
	case strings.TrimSpace(reason.Value()) == "":
		reason.Error = "the service wants a reason"
		e.form.Focus("reason")
	case !strings.EqualFold(strings.TrimSpace(code.Value()), e.code):
		if e.form.Focused() == code {
			code.Error = "this is not " + e.code
		}
		e.form.Focus("code")
	default:
		return e.onYes(strings.TrimSpace(reason.Value())), true
	}
	return nil, false
}

// View draws the box.
func (e *ending) View(w, h int) string {
	w = min(w, 72)
	var lines []string
	for _, l := range e.lines {
		for _, part := range layout.Wrap(l, w-4) {
			lines = append(lines, layout.Text(e.theme.Raised(theme.Text), part))
		}
	}
	const fields = 5
	lines = append(lines[:min(len(lines), max(0, h-3-fields))], "")
	e.y = 1 + len(lines)
	lines = append(lines, layout.Lines(e.form.View(e.theme.Raised, w-4, fields))...)
	return dialog.Frame(e.theme, e.title, "enter "+e.yes+"   tab next   esc back", lines, w)
}

// Click goes to the field that is clicked.
func (e *ending) Click(x, y int) (tea.Cmd, bool) {
	e.form.Click(x-2, y-e.y)
	return nil, false
}

// Cursor is the form's.
func (e *ending) Cursor() *tea.Cursor {
	c := e.form.Cursor()
	if c == nil {
		return nil
	}
	return tea.NewCursor(c.X+2, c.Y+e.y)
}

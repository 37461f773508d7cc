package page

import "flightdesk/tui/action"

// mover is a list of lines or rows.
type mover interface {
	Move(n int)
	Len() int
	Half() int
}

// Move performs an action of the list scope on a table, or on a text that
// scrolls, and reports whether it was one.
func Move(t mover, id action.ID) bool {
	switch id {
	case action.Down:
		t.Move(1)
	case action.Up:
		t.Move(-1)
	case action.Top:
		t.Move(-t.Len())
	case action.Bottom:
		t.Move(t.Len())
	case action.HalfDown:
		t.Move(t.Half())
	case action.HalfUp:
		t.Move(-t.Half())
	default:
		return false
	}
	return true
}

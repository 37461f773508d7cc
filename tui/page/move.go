package page

import "flightdesk/tui/action"

// listMover is a list of lines or rows.
type listMover interface {
	Move(n int)
	Len() int
	HalfPage() int
}

// MoveList performs an action of the list scope on a table, or on a text that
// scrolls, and reports whether it was one.
func MoveList(t listMover, id action.ID) bool {
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
		t.Move(t.HalfPage())
	case action.HalfUp:
		t.Move(-t.HalfPage())
	default:
		return false
	}
	return true
}

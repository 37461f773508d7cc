package page

import "flightdesk/tui/app/session"

// earlierNames has the earlier names of lists. Earlier versions of the app saved their layouts under these names.
var earlierNames = map[string]string{
	"operations-tasks":     "desk-queue",
	"client-view-tasks":    "desk-both",
	"operations-orders":    "desk-orders",
	"operations-order":     "desk-parts",
	"operations-keys":      "desk-keys",
	"operations-endpoints": "desk-endpoints",
}

// readLayout reads the saved layout of a list or page into the value that into points to, and reports whether there
// is one. keyOf returns the key of a layout in the UI state. If nothing is saved under the name, readLayout reads
// the layout that is saved under the earlier name.
func readLayout(state *session.UIState, keyOf func(name string) string, name string, into any) bool {
	if state.Get(keyOf(name), into) {
		return true
	}
	earlier, wasRenamed := earlierNames[name]
	return wasRenamed && state.Get(keyOf(earlier), into)
}

package page

import "flightdesk/tui/app/session"

// earlierNames maps the names of lists to the names that they had in earlier versions of the app. Layouts that
// these versions saved are found under the earlier names.
var earlierNames = map[string]string{
	"operations-tasks":     "desk-queue",
	"client-view-tasks":    "desk-both",
	"operations-orders":    "desk-orders",
	"operations-order":     "desk-parts",
	"operations-keys":      "desk-keys",
	"operations-endpoints": "desk-endpoints",
}

// readLayout reads the saved layout of a list or page into the value that into points to, and reports whether
// there is one. name is the name of the list or page, and keyOf returns the key under which the UI state stores
// its layout. If there is no layout, readLayout tries the name in earlierNames.
func readLayout(state *session.UIState, keyOf func(name string) string, name string, into any) bool {
	if state.Get(keyOf(name), into) {
		return true
	}
	earlier, wasRenamed := earlierNames[name]
	return wasRenamed && state.Get(keyOf(earlier), into)
}

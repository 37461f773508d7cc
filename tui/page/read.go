package page

import (
	"time"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

// AsOf says how old what an earlier run has kept is, as long as this one has no
// answer.
func AsOf(at, now time.Time, asking bool) string {
	text := "as of " + format.Ago(at, now)
	if asking {
		text += " · loading…"
	}
	return text
}

// CachedReader is a page that shows what the cache reads. It says what it needs, the
// most urgent first; that is read while the page is on the screen, again once it
// is stale, and each time [ReadMsg] tells that something was read. It is asked
// after every message, so it does little more than name collections and keys.
type CachedReader interface{ DataNeeds() []cache.Need }

// ReadMsg tells the page on the screen that something was read, a few times a
// second at most, and as soon as there is nothing more that it waits for.
type ReadMsg struct{}

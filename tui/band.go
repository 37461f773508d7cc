package tui

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// link is what is known of the connection, by the app's own clock.
type link struct {
	answers int64
	heard   time.Time // of the last answer
	lost    bool      // the last request brought none
	status  int       // of the last answer, where that is a fault of the service or a refusal of the key
}

// listen asks the client what it heard since.
func (a *App) listen() {
	if a.env.Client == nil {
		return
	}
	answers, err := a.env.Client.Contact()
	if answers != a.link.answers {
		a.link.answers, a.link.heard = answers, a.env.Now()
	}
	a.link.lost = err != nil
	a.link.status = a.env.Client.Trouble()
}

// words say how the connection is, and how old the last answer is.
func (l link) words(now time.Time) (state, age string) {
	if !l.heard.IsZero() {
		age = format.Ago(l.heard, now)
	}
	switch {
	case l.lost && age != "":
		return "! no answer", "the last one " + age
	case l.lost:
		return "! no answer", ""
	case l.status == http.StatusUnauthorized:
		return "✗ key refused", age
	case l.status != 0:
		return fmt.Sprintf("! service fails with %d", l.status), age
	case age != "":
		return "● live", age
	default:
		return "○ connecting", ""
	}
}

// band is the row that says whose account this is, at which service, and how
// the connection is. Its colour is the profile's. What does not fit goes: the
// service's address, the date, the connection's age, and its word last of all.
func (a *App) band() string {
	if a.env.Client == nil {
		return a.env.Theme.Band("").Render(layout.Ends(" flightdesk", a.env.Now().Format("15:04 -07")+" ", a.w))
	}
	mode := "read+write"
	if a.opts.ReadOnly {
		mode = "READ-ONLY"
	}
	left := layout.Clean(" " + strings.Join(nonEmpty(a.opts.Account, a.opts.Profile, mode), " · "))
	state, age := a.link.words(a.env.Now())
	host := a.env.Host
	short := ""
	if a.opts.ServerMode {
		short, host = "SERVER MODE", "SERVER MODE "+host
	}
	day, hour := a.env.Now().Format("Mon 2 Jan 15:04 -07"), a.env.Now().Format("15:04 -07")
	full := strings.Join(nonEmpty(state, age), ", ")
	glyph, _, _ := strings.Cut(state, " ")
	var right string
	for _, parts := range [][]string{
		{full, host, day}, {full, host, hour}, {full, short, hour}, {state, short, hour}, {state, hour}, {glyph, hour},
	} {
		right = layout.Clean(strings.Join(nonEmpty(parts...), "   ")) + " "
		if layout.Width(left)+2+layout.Width(right) <= a.w {
			break
		}
	}
	return a.env.Theme.Band(a.opts.band()).Render(layout.Ends(left, right, a.w))
}

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" })
}

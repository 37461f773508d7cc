package tui

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// connectionState is what is known of the connection, by the app's own clock.
type connectionState struct {
	answers int64
	heard   time.Time // of the last answer
	lost    bool      // the last request brought none
	status  int       // of the last answer, where that is a fault of the service or a refusal of the key
}

// updateState asks a client, which may be nil, what it heard since.
func (l *connectionState) updateState(client *api.Client, now time.Time) {
	if client == nil {
		return
	}
	answers, err := client.Contact()
	if answers != l.answers {
		l.answers, l.heard = answers, now
	}
	l.lost = err != nil
	l.status = client.ServiceTrouble()
}

// describeState say how the connection is, and how old the last answer is.
func (l connectionState) describeState(now time.Time) (state, age string) {
	if !l.heard.IsZero() {
		age = format.Ago(l.heard, now)
	}
	switch {
	case l.lost && age != "":
		return "! no response", "last one " + age
	case l.lost:
		return "! no response", ""
	case l.status == http.StatusUnauthorized:
		return "✗ key rejected", age
	case l.status != 0:
		return fmt.Sprintf("! service error %d", l.status), age
	case age != "":
		return "● live", age
	default:
		return "○ connecting", ""
	}
}

// renderBand returns the row that says whose account this is, at which service, and how
// the connection is. Its colour is the profile's. What does not fit goes: the
// service's address, the date, the connection's age, and its word last of all.
func (l *connectionState) renderBand(o *Options, may session.Permissions, f *pageFrame, host string, now time.Time) string {
	day, hour := now.Format("Mon 2 Jan 15:04 -07"), now.Format("15:04 -07")
	if o.Client == nil {
		return f.th.BandStyle("").Render(layout.FitEnds(" flightdesk", hour+" ", f.w))
	}
	mode := may.OrderRights()
	if o.ReadOnly {
		mode = "READ-ONLY"
	}
	left := layout.Clean(" " + strings.Join(nonEmpty(o.Account, o.Profile, mode), " · "))
	short := ""
	if o.ServerMode {
		short, host = "SERVER MODE", "SERVER MODE "+host
	}
	state, age := l.describeState(now)
	full := strings.Join(nonEmpty(state, age), ", ")
	glyph, _, _ := strings.Cut(state, " ")
	var right string
	for _, parts := range [][]string{
		{full, host, day}, {full, host, hour}, {full, short, hour}, {state, short, hour}, {state, hour}, {glyph, hour},
	} {
		right = layout.Clean(strings.Join(nonEmpty(parts...), "   ")) + " "
		if layout.Width(left)+2+layout.Width(right) <= f.w {
			break
		}
	}
	return f.th.BandStyle(o.band()).Render(layout.FitEnds(left, right, f.w))
}

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" })
}

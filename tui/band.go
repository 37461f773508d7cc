package tui

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// connection has when the service responded last.
type connection struct {
	responses   int64 // so far
	lastContact time.Time
}

// update records the time if the client has received a response since the last call.
func (c *connection) update(profile *page.ProfileOptions, now time.Time) {
	if profile.Client == nil {
		return
	}
	responses, _ := connectionOf(profile).Contact()
	if responses != c.responses {
		c.responses = responses
		c.lastContact = now
	}
}

// connectionOf returns the connection of the key that a profile has: that of an account, or of
// the operations API.
func connectionOf(profile *page.ProfileOptions) *api.Connection {
	if profile.NoAccount {
		return profile.Ops.Connection
	}
	return profile.Client.Connection
}

// describeConnection returns the state of the connection in words and the age of the last
// response; status is that of the last response if it is an error, rejects the key or is a
// web page, else 0.
func describeConnection(lastContact, now time.Time, lost bool, status int) (state, age string) {
	if !lastContact.IsZero() {
		age = format.Ago(lastContact, now)
	}
	switch {
	case lost && age != "":
		return "! no response", "last one " + age
	case lost:
		return "! no response", ""
	case status == http.StatusUnauthorized:
		return "✗ key rejected", age
	case status != 0 && status < http.StatusInternalServerError:
		return "! not the service", age
	case status != 0:
		return fmt.Sprintf("! service error %d", status), age
	case age != "":
		return "● connected", age
	default:
		return "○ connecting", ""
	}
}

// band is the content of the first row.
type band struct {
	account      string // company, profile and rights
	environment  string // chooses the colour
	state, age   string // of the connection, from describeConnection
	host         string
	isServerMode bool
	now          time.Time
}

// band returns the content of the first row.
func (a *App) band() band {
	o, now := a.opts, a.ws.env.Clock.Now()
	if o.Client == nil {
		return band{now: now}
	}
	connection := connectionOf(&o.ProfileOptions)
	_, err := connection.Contact()
	state, age := describeConnection(a.ws.connection.lastContact, now, err != nil, connection.ServiceTrouble())
	return band{
		account:      strings.Join(nonEmpty(o.Company, o.Profile, describeRights(&a.ws.env.Profile)), " · "),
		environment:  o.band(),
		state:        state,
		age:          age,
		host:         a.ws.env.Profile.Host,
		isServerMode: o.ServerMode,
		now:          now,
	}
}

// describeRights says what a profile can change: orders with the key of its account, and what
// the role of its operations key allows if that is not everything.
func describeRights(profile *page.ProfileService) string {
	rights := profile.Permissions.OrderRights()
	role := ""
	if profile.Role != "" && profile.Role != ops.RoleAdmin {
		role = "operations: " + string(profile.Role)
	}
	if profile.ReadOnly || profile.NoAccount && profile.Role == ops.RoleRead {
		rights = "READ-ONLY"
	}
	return strings.Join(nonEmpty(rights, role), " · ")
}

// render renders the row in w cells, in the colour of the environment: the account at the
// left, connection, host and time at the right. In a narrow window the host goes first,
// then the date, the age of the last response, and the word for the connection. Without a
// service the row has the program's name and the time.
func (b *band) render(th *theme.Theme, w int) string {
	hour := strings.TrimSuffix(b.now.Format("15:04 -07:00"), ":00")
	if b.state == "" {
		return th.BandStyle("").Render(format.FitEnds(" flightdesk", hour+" ", w))
	}
	day := b.now.Format("Mon 2 Jan ") + hour
	left := format.Clean(" " + b.account)
	host, short := b.host, ""
	if b.isServerMode {
		host, short = "SERVER MODE "+host, "SERVER MODE"
	}
	full := strings.Join(nonEmpty(b.state, b.age), ", ")
	glyph, _, _ := strings.Cut(b.state, " ")
	var right string
	for _, parts := range [][]string{
		{full, host, day}, {full, host, hour}, {full, short, hour}, {b.state, short, hour}, {b.state, hour}, {glyph, hour},
	} {
		right = format.Clean(strings.Join(nonEmpty(parts...), "   ")) + " "
		if format.Width(left)+2+format.Width(right) <= w {
			break
		}
	}
	return th.BandStyle(b.environment).Render(format.FitEnds(left, right, w))
}

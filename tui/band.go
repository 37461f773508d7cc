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

// connection records when the service last responded.
type connection struct {
	responses   int64 // number of responses so far
	lastContact time.Time
}

// update sets lastContact to now if the client has received a response since the last call.
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

// connectionOf returns the connection of a profile's client, or of its operations client if the
// profile has no account.
func connectionOf(profile *page.ProfileOptions) *api.Connection {
	if profile.NoAccount {
		return profile.Ops.Connection
	}
	return profile.Client.Connection
}

// quietTime is how old the last response must be before the first row of the screen shows its age. If the
// connection has a problem, the age is always shown.
const quietTime = 2 * time.Minute

// describeConnection returns the state of the connection, such as "● connected", and the age of the last
// response, such as "3 m ago". The age is "" if there was no response yet, or if the connection works and the
// response is newer than quietTime. isLost means that the last request got no response. trouble describes a
// problem with the last response; see describeTrouble.
func describeConnection(lastContact, now time.Time, isLost bool, trouble api.Trouble) (state, age string) {
	if !lastContact.IsZero() {
		age = format.Ago(lastContact, now)
	}
	if isLost && age != "" {
		return "! no response", "last one " + age
	}
	if isLost {
		return "! no response", ""
	}
	if trouble.Status != 0 {
		return describeTrouble(trouble), age
	}
	if age == "" {
		return "○ connecting", ""
	}
	if now.Sub(lastContact) < quietTime {
		age = ""
	}
	return "● connected", age
}

// describeTrouble describes a response that shows a problem: an error of the service, a rejected key, or a response
// that is not from the service.
func describeTrouble(trouble api.Trouble) string {
	if trouble.Status >= http.StatusInternalServerError {
		return fmt.Sprintf("! service error %d", trouble.Status)
	}
	if trouble.Status == http.StatusUnauthorized && !trouble.Foreign {
		return "✗ key rejected"
	}
	return "! not the service"
}

// band is the content of the account band, the first row of the screen.
type band struct {
	account      string // company, profile and rights
	environment  string // determines the colour of the row
	state        string // state of the connection; "" without a service
	age          string // age of the last response, or ""
	host         string
	isServerMode bool
	now          time.Time
}

// band returns the current content of the account band.
func (a *App) band() band {
	env := a.ws.env
	now := env.Clock.Now()
	if a.opts.Client == nil {
		return band{now: now}
	}
	connection := connectionOf(&a.opts.ProfileOptions)
	_, err := connection.Contact()
	state, age := describeConnection(a.ws.connection.lastContact, now, err != nil, connection.ServiceTrouble())
	account := nonEmpty(a.opts.Company, a.opts.Profile, describeRights(&env.Profile))
	return band{
		account:      strings.Join(account, " · "),
		environment:  a.opts.environment(),
		state:        state,
		age:          age,
		host:         env.Profile.Host,
		isServerMode: a.opts.ServerMode,
		now:          now,
	}
}

// describeRights describes what the keys of a profile can change: the rights of the account's key to orders,
// and the role of the operations key. The role admin is left out, because it has no limits.
func describeRights(profile *page.ProfileService) string {
	rights := profile.Permissions.OrderRights()
	if profile.ReadOnly || profile.NoAccount && profile.Role == ops.RoleRead {
		rights = "READ-ONLY"
	}
	role := ""
	if profile.Role != "" && profile.Role != ops.RoleAdmin {
		role = "operations: " + string(profile.Role)
	}
	return strings.Join(nonEmpty(rights, role), " · ")
}

// render renders the account band in w cells, in the colour of the environment. The account is at the left;
// connection, host and time are at the right. Without a service it shows only the name of the program and the
// time.
func (b *band) render(th *theme.Theme, w int) string {
	if b.state == "" {
		return th.BandStyle("").Render(format.FitEnds(" flightdesk", b.clock()+" ", w))
	}
	left := format.Clean(" " + b.account)
	room := w - format.Width(left) - 2
	return th.BandStyle(b.environment).Render(format.FitEnds(left, b.rightPart(room), w))
}

// clock returns the time with its offset from UTC.
func (b *band) clock() string {
	if _, offset := b.now.Zone(); offset == 0 {
		return b.now.Format("15:04") + " UTC"
	}
	return strings.TrimSuffix(b.now.Format("15:04 -07:00"), ":00")
}

// rightPart returns the longest form of connection, host and time that fits into room cells, or the shortest form if
// none fits.
func (b *band) rightPart(room int) string {
	text := ""
	for _, parts := range b.rightForms() {
		text = joinBand(parts)
		if format.Width(text) <= room {
			return text
		}
	}
	return text
}

// rightForms returns the forms of connection, host and time, the longest first. Each form leaves out one more
// part: first the date, then the host, the age of the last response, the server mode, and finally the text of
// the connection, so that only its glyph is left.
func (b *band) rightForms() [][]string {
	connection := strings.Join(nonEmpty(b.state, b.age), ", ")
	glyph, _, _ := strings.Cut(b.state, " ")
	host := b.host
	mode := ""
	if b.isServerMode {
		host = "SERVER MODE " + b.host
		mode = "SERVER MODE"
	}
	clock := b.clock()
	date := b.now.Format("Mon 2 Jan ")
	return [][]string{
		{connection, host, date + clock},
		{connection, host, clock},
		{connection, mode, clock},
		{b.state, mode, clock},
		{b.state, clock},
		{glyph, clock},
	}
}

// joinBand joins the parts that are not empty, with blanks between the parts and after the last part.
func joinBand(parts []string) string {
	return format.Clean(strings.Join(nonEmpty(parts...), "   ")) + " "
}

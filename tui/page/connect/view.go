package connect

import (
	"errors"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

// showFailure shows what went wrong, at its field where it is about one, and reports
// whether something did.
func (c *ConnectPage) showFailure(err error) bool {
	var fault session.FieldFault
	c.err = nil
	if errors.As(err, &fault) {
		if f := c.form.Field(fault.Field); f != nil {
			f.Error = fault.Problem
			c.form.FocusField(fault.Field)
			c.step = typing
			return true
		}
	}
	c.err = err
	return err != nil
}

// welcomeWidth are the cells of the choices; a map stands beside them where there is
// room for as much again.
const welcomeWidth = 56

// sampleWorld returns the map of some places that are surveyed, to show what is to come.
func sampleWorld() *page.SiteMap {
	world := page.NewSiteMap()
	var features []geomap.Feature
	for _, s := range []struct {
		name   string
		at     orb.Point
		status api.MissionStatus
	}{
		{"Offshore wind park", orb.Point{6.6, 54}, api.MissionFlightScheduled},
		{"Levee", orb.Point{89.4, 23.2}, api.MissionDataDelivered},
		{"Solar farm", orb.Point{-70.4, -24.5}, api.MissionCompleted},
		{"Power line", orb.Point{35.9, 2.5}, api.MissionAwaitingPilot},
		{"Landslide", orb.Point{121.5, 23.9}, api.MissionPilotAssigned},
		{"Mine", orb.Point{117.8, -23.4}, api.MissionDataDelivered},
		{"Bridge", orb.Point{-122.4, 37.8}, api.MissionFlightScheduled},
	} {
		st := format.Status(s.status)
		features = append(features, geomap.Feature{
			ID: s.name, Label: s.name, Geometry: s.at, Mark: []rune(st.Glyph)[0], Role: st.Role,
		})
	}
	world.SetFeatures(features)
	return world
}

func (c *ConnectPage) renderWelcome() []string {
	th := c.Theme
	choice := func(i int, key, title, about string) []string {
		mark, style := "   ", th.Style
		if i == c.choice {
			mark, style = " "+th.SelectionMark()+" ", th.SelectedStyle
		}
		return []string{
			format.CleanText(
				style(theme.Accent),
				mark,
			) + format.CleanText(
				style(theme.Accent),
				key,
			) + format.CleanText(
				style(theme.Text),
				"  "+title+" ",
			),
			"      " + th.PaintMuted(about),
			"",
		}
	}
	lines := append(
		[]string{""},
		choice(
			0,
			"d",
			"Try the demo",
			"Sample data on a local service, deleted on exit",
		)...)
	return append(lines, choice(
		1,
		"c",
		"Connect an account",
		"Enter the service address and your API key",
	)...)
}

// viewForm draws the form, with what went wrong below it.
func (c *ConnectPage) viewForm(w, h int) string {
	title := " Connect an account"
	if c.edited != "" {
		title = " Profile " + format.Clean(c.edited)
	}
	lines := []string{"", c.Theme.PaintTitle(title), ""}
	c.above = len(lines)
	var foot []string
	if c.err != nil {
		foot = c.RenderFault(c.err, "Your input is kept", "ctrl+s", w)
	}
	foot = append(foot, c.renderAddresses(w)...)
	foot = foot[:min(len(foot), h/2)]
	box := format.FitBox(lines, w, len(lines)) + "\n" + c.form.View(c.Theme.Style, w, h-len(lines)-len(foot))
	if len(foot) > 0 {
		box += "\n" + format.FitBox(foot, w, len(foot))
	}
	return box
}

// renderAddresses returns those that were tried, and what each answered.
func (c *ConnectPage) renderAddresses(w int) (lines []string) {
	th := c.Theme
	for _, a := range c.tried.Addresses {
		mark, role, said := "✓", theme.Good, "answers"
		if a.Err != nil {
			mark, role = "✗", theme.Muted
			said, _ = format.ExplainError(a.Err)
		}
		lines = append(
			lines,
			format.CutLine(
				"   "+th.PaintRole(role, mark+" "+format.Clean(a.URL))+th.PaintMuted("  "+format.Clean(said)),
				w,
			),
		)
	}
	return lines
}

func (c *ConnectPage) viewGrants(w int) []string {
	th := c.Theme
	lines := []string{"", th.PaintTitle(" Key accepted. Permissions:"), ""}
	for _, g := range c.tried.Grants {
		mark, role := "?", theme.Attention
		switch g.Grant {
		case api.Granted:
			mark, role = "✓", theme.Good
		case api.NotGranted:
			mark, role = "✗", theme.Muted
		case api.NotKnown:
		}
		lines = append(lines, "   "+th.PaintRole(role, format.FitLeft(mark+" "+g.Grant.String(), 13))+
			th.PaintText(format.FitLeft(string(g.Scope), 16))+th.PaintMuted(format.Word(g.Scope).Description))
	}
	if tried := c.renderAddresses(w); len(tried) > 0 {
		lines = append(append(lines, ""), tried...)
	}
	return append(lines, "", " "+th.PaintHint("enter", "save the account and open it   ")+
		th.PaintHint("esc", "back"))
}

func (c *ConnectPage) viewKept(w int) []string {
	th := c.Theme
	lines := []string{"", th.PaintTitle(" Account saved"), ""}
	lines = append(lines, th.PaintLines(theme.Attention, "   ", c.notice.Text, w-4)...)
	return append(lines, "", " "+th.PaintHint("enter", "open"))
}

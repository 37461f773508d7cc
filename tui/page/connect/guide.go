package connect

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

const (
	// guideWidth is the smallest width of the guide next to the form.
	guideWidth = 50
	// maxStepWidth is the largest width of the texts of the guide.
	maxStepWidth = 72
	// maxFormWidth is the largest width of the form next to the guide.
	maxFormWidth = 72
	// minGuideWindow is the smallest width of a window that shows the guide. In such a window the form next to the
	// guide has room for the help of all fields.
	minGuideWindow = 112
	// minMapHeight is the smallest number of lines for a map below the guide.
	minMapHeight = 8
)

// loadProfiles loads the accounts of the saved profiles in the background. A profile that cannot be loaded is shown
// with only its name.
func (c *ConnectPage) loadProfiles() tea.Cmd {
	names := c.Env.Profile.Profiles
	if len(names) == 0 {
		return nil
	}
	read := func(ctx context.Context) (map[string]session.TypedAccount, error) {
		accounts := map[string]session.TypedAccount{}
		for _, name := range names {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			account, err := c.setup.Current(name)
			if err == nil {
				accounts[name] = account
			}
		}
		return accounts, nil
	}
	show := func(accounts map[string]session.TypedAccount, _ error) tea.Cmd {
		c.accounts = accounts
		return nil
	}
	return page.RunInBackground(c.Base, &c.listing, read, show)
}

// viewGuide renders the guide in h lines of w cells: the saved profiles, what happens with the typed account, and
// in the first run the map of the welcome page.
func (c *ConnectPage) viewGuide(w, h int) string {
	lines := append([]string{""}, c.renderProfiles(w)...)
	if len(lines) > 1 {
		lines = append(lines, "")
	}
	lines = append(lines, c.renderSteps(w)...)
	room := h - len(lines) - 1
	if c.world != nil && room >= minMapHeight {
		world := c.world.View(c.Env.Look.Theme, w, room)
		lines = append(append(lines, ""), format.SplitLines(world)...)
	}
	return format.FitBox(lines, w, h)
}

// renderProfiles renders the saved profiles with their environments and services, and the key that switches to them. It
// returns nil if there are none.
func (c *ConnectPage) renderProfiles(w int) []string {
	names := c.Env.Profile.Profiles
	if len(names) == 0 {
		return nil
	}
	th := c.Env.Look.Theme
	nameWidth := 0
	for _, name := range names {
		nameWidth = max(nameWidth, format.Width(format.Clean(name)))
	}
	lines := []string{" " + th.PaintTitle("Profiles on this machine")}
	for _, name := range names {
		shown := th.PaintText(format.FitLeft(format.Clean(name), nameWidth))
		line := "   " + shown + "  " + th.PaintMuted(c.describeProfile(name))
		lines = append(lines, format.CutLine(line, w))
	}
	if len(names) > 1 {
		hint := th.PaintHint(action.KeyOf(action.Profiles, action.Everywhere), "switches the profile")
		lines = append(lines, "   "+hint)
	}
	return lines
}

// describeProfile returns the environment and the service of a profile, and whether it is in use.
func (c *ConnectPage) describeProfile(name string) string {
	text := ""
	account, isLoaded := c.accounts[name]
	if isLoaded {
		text = DescribeAccount(&account)
	} else if name == session.Demo {
		text = "Demo · sample data on this machine"
	}
	if name == c.Env.Profile.Profile {
		text += "  in use"
	}
	return strings.TrimSpace(format.Clean(text))
}

// DescribeAccount returns the environment and the service of an account, such as "Test · desk.example".
func DescribeAccount(account *session.TypedAccount) string {
	address := account.BaseURL
	if address == "" {
		address = account.OpsURL
	}
	host, _, _ := strings.Cut(timeline.ShortAddress(address), "/")
	if account.Band == "" {
		return host
	}
	return format.CapitalizeFirst(account.Band) + " · " + host
}

// renderSteps renders what happens with the typed account.
func (c *ConnectPage) renderSteps(w int) []string {
	th := c.Env.Look.Theme
	submit := action.KeyOf(action.Submit, action.Account)
	steps := []string{
		submit + " tests the key with read requests. Nothing is changed or saved.",
		"You see what the key can do: orders, files, webhooks.",
		"After you confirm, the key is stored in the keyring, and the profile opens.",
	}
	if c.edited != "" {
		steps[2] = "After you confirm, the profile is saved and connects again. An empty key keeps the stored one."
	}
	lines := []string{" " + th.PaintTitle("What happens next")}
	for i, step := range steps {
		for j, part := range format.Wrap(step, min(w, maxStepWidth)-7) {
			number := "   "
			if j == 0 {
				number = fmt.Sprintf(" %d ", i+1)
			}
			lines = append(lines, "  "+th.PaintMuted(number)+" "+th.PaintText(part))
		}
	}
	return lines
}

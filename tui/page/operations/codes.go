package operations

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api/ops"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/session"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// maxCodes is how many invitations the dialog of codes lists, the newest ones.
const maxCodes = 500

// showCodes shows the invitation codes, and lets them be withdrawn. The viewer and twelve
// participants are invited if they never were.
func (d *operationsPage) showCodes(*session.Visit) tea.Cmd {
	return page.AskInBackground(d.base, &page.Question{}, d.readCodes, func(all []ops.Invitation, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, "no invitation codes: "+err.Error())
		}
		d.base.Env.Nav.Overlay(d.newCodesDialog(all))
		return nil
	})
}

// readCodes invites the usual users and returns all invitations that are not withdrawn.
func (d *operationsPage) readCodes(ctx context.Context) ([]ops.Invitation, error) {
	users := []string{"viewer"}
	for n := range 12 {
		users = append(users, "user"+strconv.Itoa(n+1))
	}
	var valid []ops.Invitation
	listed := 0
	for i, err := range d.env.Profile.Ops.Invitations.All(ctx) {
		if err != nil {
			return nil, err
		}
		users = slices.DeleteFunc(users, func(user string) bool { return user == i.User })
		if i.WithdrawnAt.IsZero() {
			valid = append(valid, *i)
		}
		if listed++; listed == maxCodes {
			break
		}
	}
	slices.Reverse(valid) // as they were invited
	if len(users) == 0 {
		return valid, nil
	}
	made, err := commands.Invite(commands.Target{Context: ctx, Client: d.env.Profile.Ops}, users...)
	return append(made, valid...), err
}

// newCodesDialog returns the dialog that lists invitations.
func (d *operationsPage) newCodesDialog(all []ops.Invitation) *widget.ListDialog {
	l := &widget.ListDialog{
		Title: "Invitation codes", Most: 50,
		Row: "del withdraw   ", Hint: "esc back",
		Empty: "Nobody is invited. flightdesk ops invite USER invites somebody.",
	}
	l.Rows = func() (rows []widget.ListRow) {
		for _, one := range all {
			row := widget.ListRow{Text: one.User, Right: one.Code + " "}
			if !one.WithdrawnAt.IsZero() {
				row.Right, row.Role = "withdrawn ", theme.Muted
			}
			rows = append(rows, row)
		}
		return rows
	}
	l.Take = func(int) (tea.Cmd, bool) { return nil, false }
	withdraw := func(at int) (tea.Cmd, bool) { //nolint:unparam // as the keys of a list are
		if at < 0 || !all[at].WithdrawnAt.IsZero() {
			return nil, false
		}
		return d.askWithdraw(&all[at]), false
	}
	l.Keys = map[string]func(int) (tea.Cmd, bool){"delete": withdraw, "backspace": withdraw}
	return l
}

// askWithdraw asks before a code is withdrawn, and updates the listed invitation.
func (d *operationsPage) askWithdraw(listed *ops.Invitation) tea.Cmd {
	withdraw := func(ctx context.Context) (*ops.Invitation, error) {
		command := commands.WithdrawInvitation()
		target := commands.Target{Context: context.WithoutCancel(ctx), Client: d.env.Profile.Ops, ID: listed.UUID}
		done, err := command.Run(target)
		if err != nil {
			return nil, err
		}
		return done.Value.(*ops.Invitation), nil
	}
	onYes := func() tea.Cmd {
		return page.AskInBackground(d.base, &page.Question{}, withdraw, func(i *ops.Invitation, err error) tea.Cmd {
			if err != nil {
				return page.ShowToast(theme.Bad, err.Error())
			}
			*listed = *i
			return page.ShowToast(theme.Good, "Withdrawn: the code of "+i.User)
		})
	}
	return d.env.AskFirst("Withdraw the code of "+listed.User, "withdraw", onYes,
		fmt.Sprintf("The code %s opens nothing any more, and the sessions of %s end.", listed.Code, listed.User),
		"flightdesk ops invite "+listed.User+" makes another code.")
}

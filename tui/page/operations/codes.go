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

// maxCodes is how many invitations the dialog lists. Older ones are left out.
const maxCodes = 500

// showCodes opens the dialog that lists the invitation codes. The user can withdraw codes in it. Before the
// dialog opens, all users of defaultUsers who have never been invited get an invitation.
func (d *paneTools) showCodes(*session.Visit) tea.Cmd {
	return page.RunInBackground(d.base, &page.Request{}, d.loadCodes, func(codes []ops.Invitation, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, "Could not load or create the invitation codes: "+err.Error())
		}
		d.base.Env.Nav.Overlay(d.newCodesDialog(codes))
		return nil
	})
}

// loadCodes returns all invitations that are not withdrawn, newest first. Before that, it invites all users of
// defaultUsers who have never been invited.
func (d *paneTools) loadCodes(ctx context.Context) ([]ops.Invitation, error) {
	listed, err := d.listInvitations(ctx)
	if err != nil {
		return nil, err
	}
	uninvited := slices.DeleteFunc(defaultUsers(), func(user string) bool {
		return slices.ContainsFunc(listed, func(i ops.Invitation) bool { return i.User == user })
	})
	var valid []ops.Invitation
	for _, i := range slices.Backward(listed) { // in the order of invitation
		if i.WithdrawnAt.IsZero() {
			valid = append(valid, i)
		}
	}
	if len(uninvited) == 0 {
		return valid, nil
	}
	invited, err := commands.Invite(d.env.Profile.OperationsTarget(ctx), uninvited...)
	if err != nil {
		return nil, err
	}
	return append(invited, valid...), nil
}

// defaultUsers returns the users who are invited automatically.
func defaultUsers() []string {
	users := []string{"viewer"}
	for n := range 12 {
		users = append(users, "user"+strconv.Itoa(n+1))
	}
	return users
}

// listInvitations returns the newest invitations, at most maxCodes, newest first.
func (d *paneTools) listInvitations(ctx context.Context) ([]ops.Invitation, error) {
	var listed []ops.Invitation
	for invitation, err := range d.env.Profile.Ops.Invitations.All(ctx) {
		if err != nil {
			return nil, err
		}
		listed = append(listed, *invitation)
		if len(listed) == maxCodes {
			break
		}
	}
	return listed, nil
}

// newCodesDialog returns the dialog that lists invitations.
func (d *paneTools) newCodesDialog(invitations []ops.Invitation) *widget.ListDialog {
	withdraw := func(row int) (tea.Cmd, bool) { //nolint:unparam // the dialog's keys have this type
		if row < 0 || !invitations[row].WithdrawnAt.IsZero() {
			return nil, false
		}
		return d.confirmWithdraw(&invitations[row]), false
	}
	return &widget.ListDialog{
		Title: "Invitation codes",
		Most:  50,
		Row:   "del withdraw   ",
		Hint:  "esc back",
		Empty: "Nobody is invited. flightdesk ops invite USER invites somebody.",
		Rows:  func() []widget.ListRow { return codeRows(invitations) },
		Take:  func(int) (tea.Cmd, bool) { return nil, false },
		Keys:  map[string]func(int) (tea.Cmd, bool){"delete": withdraw, "backspace": withdraw},
	}
}

// codeRows returns a row for each invitation, with its user and its code.
func codeRows(invitations []ops.Invitation) []widget.ListRow {
	var rows []widget.ListRow
	for _, i := range invitations {
		row := widget.ListRow{Text: i.User, Right: i.Code + " "}
		if !i.WithdrawnAt.IsZero() {
			row.Right = "withdrawn "
			row.Role = theme.Muted
		}
		rows = append(rows, row)
	}
	return rows
}

// confirmWithdraw asks the user to confirm that a code is withdrawn. After the withdrawal it updates listed,
// which is the code's row in the dialog.
func (d *paneTools) confirmWithdraw(listed *ops.Invitation) tea.Cmd {
	withdraw := func(ctx context.Context) (*ops.Invitation, error) {
		command := commands.WithdrawInvitation()
		target := d.env.Profile.OperationsTarget(context.WithoutCancel(ctx))
		target.ID = listed.UUID
		outcome, err := command.Run(target)
		if err != nil {
			return nil, err
		}
		return outcome.Value.(*ops.Invitation), nil
	}
	finish := func(withdrawn *ops.Invitation, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, err.Error())
		}
		*listed = *withdrawn
		return page.ShowToast(theme.Good, "Withdrawn: the code of "+withdrawn.User)
	}
	onYes := func() tea.Cmd {
		return page.RunInBackground(d.base, &page.Request{}, withdraw, finish)
	}
	return d.env.Confirm("Withdraw the code of "+listed.User, "withdraw", onYes,
		fmt.Sprintf("The code %s opens nothing any more, and sessions opened with it end.", listed.Code),
		"flightdesk ops invite "+listed.User+" makes another code.")
}

package cli

import (
	"fmt"
	"slices"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

func opsAccounts() *opsCommand {
	return newListCommand("accounts", func(c *Call) error {
		return printFormattedRows(c, "account", columns.Accounts(),
			"uuid companyName clientName clientEmail currency", c.Service.Ops.Accounts.All(c))
	}).withLimit()
}

func opsInvite() *opsCommand {
	count := 12
	v := newCustomCommand("invite", func(c *Call) error {
		users := c.Args
		if len(users) == 0 {
			users = numberedUsers(count)
		}
		return inviteUsers(c, users)
	})
	v.cmd.Flags().IntVar(&count, "count", count, "number of users, if none are named")
	return v
}

// numberedUsers returns the user names user1, user2 and so on.
func numberedUsers(count int) []string {
	var users []string
	for i := range count {
		users = append(users, fmt.Sprintf("user%d", i+1))
	}
	return users
}

// inviteUsers invites users and prints their codes.
func inviteUsers(c *Call, users []string) error {
	for _, user := range users {
		if !ops.IsUserName(user) {
			return fmt.Errorf("%q is not a user name; use up to 32 lower-case letters, digits, dots and dashes", user)
		}
	}
	for chunk := range slices.Chunk(users, ops.MaxInvited) {
		if err := c.program.Interruption.CheckContinue(); err != nil {
			return err
		}
		invited, err := commands.Invite(commands.Target{Context: c, Client: c.Service.Ops}, chunk...)
		if err != nil {
			return err
		}
		for _, user := range invited {
			line := format.FitLeft(user.User, 12) + "  " + user.Code
			if err := c.PrintResult(invitation{user.User, user.Code}, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// invitation is the output of ops invite --output json for one user.
type invitation struct {
	User string `json:"user"`
	Code string `json:"code"`
}

func opsInvitations() *opsCommand {
	v := newListCommand("invitations", func(c *Call) error {
		return printFormattedRows(c, "invitation", columns.Invitations(), "user code createdAt withdrawnAt uuid",
			c.Service.Ops.Invitations.All(c))
	})
	v.cmd.AddCommand(newOpsCommand(commands.WithdrawInvitation()).define())
	v.addMode("withdraw", "withdraw the invitation of this user, whose sessions end", newOpsCommand(commands.WithdrawInvitation()))
	return v
}

func opsKeys() *opsCommand {
	return newListCommand("keys", func(c *Call) error {
		account, err := commands.FindAccount(c, c.Service.Ops, c.Args[0])
		if err != nil {
			return err
		}
		return printFormattedRows(c, "key", columns.Keys(c.Service.Now),
			"uuid hint state scopes description createdAt", c.Service.Ops.Keys.All(c, account.UUID))
	})
}

func opsKeyRequests() *opsCommand {
	v := newListCommand("key-requests", func(c *Call) error {
		companies := map[string]string{} // by the ID of the account
		for account, err := range c.Service.Ops.Accounts.All(c) {
			if err != nil {
				return err
			}
			companies[account.UUID] = account.CompanyName
		}
		all := columns.KeyRequests(func(account string) string { return companies[account] })
		return printFormattedRows(c, "request", all,
			"uuid companyName intendedUse scopes status createdAt", c.Service.Ops.Keys.AllRequests(c))
	})
	choiceFlag(v.cmd, "status", "only requests with this status", ops.KeyRequestStatuses()...)
	return v
}

func opsOperators() *opsCommand {
	v := newListCommand("users", func(c *Call) error {
		return printFormattedRows(c, "user", columns.Operators(),
			"name role hint state lastUsedAt createdAt uuid", c.Service.Ops.Operators.All(c))
	})
	for _, spec := range []commands.Command{
		commands.AddOperator(new(ops.OperatorInput)), commands.RotateOperator(new(ops.RotationInput)), commands.RevokeOperator(),
	} {
		v.cmd.AddCommand(newOpsCommand(spec).define())
	}
	return v
}

// opsClock returns the command that prints or advances the clock of the service.
func opsClock() *opsCommand {
	v := newOpsCommand(commands.AdvanceClock(new(commands.ClockChange)))
	v.addMode("expire", "advance it past the expiry of an open quote of this order", newOpsCommand(commands.ExpireQuote(new(string))),
		&modeOption{flag: "quote", usage: "quote to expire, by name or ID, if the order has several"})
	return v
}

func opsSnapshots() *opsCommand {
	v := newListCommand("snapshots", func(c *Call) error {
		all, err := c.Service.Ops.World.Snapshots(c)
		if err != nil {
			return err
		}
		return printFormattedRows(c, "snapshot", columns.Snapshots(), "", listRows(all))
	})
	v.addMode("take", "save all data as a snapshot of this name", newOpsCommand(commands.TakeSnapshot(new(string))))
	v.addMode("restore", "replace all data with this snapshot", newOpsCommand(commands.RestoreSnapshot(new(string))))
	return v
}

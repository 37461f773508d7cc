package cli

import (
	"fmt"
	"slices"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

func opsAccounts() *opsVerb {
	return listVerb("accounts", func(c *Call) error {
		return printList(c, "account", columns.Accounts(),
			"uuid companyName clientName clientEmail currency", c.Ops.Accounts.All(c))
	}).withLimit()
}

func opsInvite() *opsVerb {
	count := 12
	v := newVerb("invite", func(c *Call) error {
		users := c.Args
		if len(users) == 0 {
			for n := range count {
				users = append(users, fmt.Sprintf("user%d", n+1))
			}
		}
		for _, user := range users {
			if !ops.IsUserName(user) {
				return fmt.Errorf("%q is not a user name; use up to 32 lower-case letters, digits, dots and dashes", user)
			}
		}
		for some := range slices.Chunk(users, ops.MaxInvited) {
			made, err := commands.Invite(commands.Target{Context: c, Client: c.Ops}, some...)
			if err != nil {
				return err
			}
			for _, one := range made {
				shown := invitation{one.User, one.Code}
				if err := c.PrintAnswer(shown, format.FitLeft(one.User, 12)+"  "+one.Code); err != nil {
					return err
				}
			}
		}
		return nil
	})
	addFlag(v.Command, "count,number of users, if none are named", &count)
	return v
}

// invitation is what somebody logs in with.
type invitation struct {
	User string `json:"user"`
	Code string `json:"code"`
}

func opsInvitations() *opsVerb {
	v := listVerb("invitations", func(c *Call) error {
		return printList(c, "invitation", columns.Invitations(), "user code createdAt withdrawnAt uuid",
			c.Ops.Invitations.All(c))
	})
	v.AddCommand(verbOf(commands.WithdrawInvitation()).complete())
	v.addMode("withdraw", "withdraw the invitation of this user, whose sessions end", verbOf(commands.WithdrawInvitation()))
	return v
}

func opsKeys() *opsVerb {
	return listVerb("keys", func(c *Call) error {
		a, err := commands.FindAccount(c, c.Ops, c.Args[0])
		if err != nil {
			return err
		}
		return printList(c, "key", columns.Keys(c.Now),
			"uuid hint state scopes description createdAt", c.Ops.Keys.All(c, a.UUID))
	})
}

func opsKeyRequests() *opsVerb {
	v := listVerb("key-requests", func(c *Call) error {
		companies := map[string]string{}
		for a, err := range c.Ops.Accounts.All(c) {
			if err != nil {
				return err
			}
			companies[a.UUID] = a.CompanyName
		}
		all := columns.KeyRequests(func(account string) string { return companies[account] })
		return printList(c, "request", all,
			"uuid companyName intendedUse scopes status createdAt", c.Ops.Keys.AllRequests(c))
	})
	choiceFlag(v.Command, "status", "only requests with this status", ops.KeyRequestStatuses()...)
	return v
}

func opsOperators() *opsVerb {
	v := listVerb("users", func(c *Call) error {
		return printList(c, "user", columns.Operators(),
			"name role hint state lastUsedAt createdAt uuid", c.Ops.Operators.All(c))
	})
	for _, spec := range []commands.Command{
		commands.AddOperator(new(ops.OperatorInput)), commands.RotateOperator(new(ops.RotationInput)), commands.RevokeOperator(),
	} {
		v.AddCommand(verbOf(spec).complete())
	}
	return v
}

// opsClock returns the command that shows or advances the clock of the service.
func opsClock() *opsVerb {
	v := verbOf(commands.AdvanceClock(new(commands.ClockChange)))
	v.addMode("expire", "advance it past the expiry of the open quote of this order", verbOf(commands.ExpireQuote(new(string))))
	return v
}

func opsSnapshots() *opsVerb {
	v := listVerb("snapshots", func(c *Call) error {
		all, err := c.Ops.World.Snapshots(c)
		if err != nil {
			return err
		}
		return printList(c, "snapshot", columns.Snapshots(), "", listRows(all))
	})
	v.addMode("take", "save all data as a snapshot of this name", verbOf(commands.TakeSnapshot(new(string))))
	v.addMode("restore", "replace all data with this snapshot", verbOf(commands.RestoreSnapshot(new(string))))
	return v
}

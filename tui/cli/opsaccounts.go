package cli

import (
	"fmt"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

func opsAccounts() *opsVerb {
	return listVerb("accounts", "List accounts, newest first",
		"Lists all accounts of the service, newest first.",
		"# all accounts, for a spreadsheet\nflightdesk ops accounts --output csv",
		func(c *Call) error {
			const names = "uuid companyName clientName clientEmail currency"
			return printList(c, "account", columns.Accounts(), names, c.Ops.Accounts.All(c))
		}).withLimit()
}

func opsInvite() *opsVerb {
	var count int
	v := newVerb(
		"invite [USER...]",
		"Print invitation codes for logins over SSH",
		`Prints a code for each user, or for user1, user2 and so on. ssh asks for it when they log in to serve --ssh. The codes are
made from the operations key of the service, not that of an operations user: they stay the same until it changes. With
--ssh, the tab Participants of Operations shows them too (key i).`,
		"# a code for each of 12 participants\nflightdesk ops invite --count 12\n\n# codes for three people\nflightdesk ops invite anna bert carla",
		func(c *Call) error {
			key, err := c.OpsKey(c)
			if err != nil {
				return err
			}
			users := c.Args
			if len(users) == 0 {
				for n := range count {
					users = append(users, fmt.Sprintf("user%d", n+1))
				}
			}
			invitations := session.NewInvitations(key.Reveal())
			for _, user := range users {
				if !session.IsUserName(user) {
					return fmt.Errorf("%q is not a user name; use up to 32 lower-case letters, digits, dots and dashes", user)
				}
				code := invitations.CodeOf(user)
				if err := c.PrintAnswer(invitation{user, code}, format.FitLeft(user, 12)+"  "+code); err != nil {
					return err
				}
			}
			return nil
		},
	)
	v.Flags().IntVar(&count, "count", 12, "number of users, if none are named")
	return v
}

// invitation is what somebody logs in with.
type invitation struct {
	User string `json:"user"`
	Code string `json:"code"`
}

func opsKeys() *opsVerb {
	return listVerb(
		"keys ACCOUNT",
		"List an account's API keys, newest first",
		"Lists an account's keys with their IDs and last four characters. Full keys are shown only once, when they are issued.",
		"# active, expired and revoked keys\nflightdesk ops keys \"Nordwind AG\"",
		func(c *Call) error {
			a, err := commands.FindAccount(c, c.Ops, c.Args[0])
			if err != nil {
				return err
			}
			const names = "uuid hint state scopes description createdAt"
			return printList(c, "key", columns.Keys(c.Now), names, c.Ops.Keys.All(c, a.UUID))
		},
	)
}

func opsKeyRequests() *opsVerb {
	v := listVerb("key-requests", "List requests for API keys, newest first",
		"Lists the clients' requests for keys, newest first.",
		"# requests to decide\nflightdesk ops key-requests --status pending",
		func(c *Call) error {
			companies := map[string]string{}
			for a, err := range c.Ops.Accounts.All(c) {
				if err != nil {
					return err
				}
				companies[a.UUID] = a.CompanyName
			}
			all := columns.KeyRequests(func(account string) string { return companies[account] })
			return printList(c, "request", all, "uuid companyName intendedUse scopes status createdAt", c.Ops.Keys.AllRequests(c))
		})
	choiceFlag(v.Command, "status", "only requests with this status", ops.KeyRequestStatuses()...)
	return v
}

func opsOperators(p *program) *opsVerb {
	v := listVerb(
		"users",
		"List operations users; add, replace or revoke keys",
		`Lists operations users: the people and programs with a separate key of the operations API, and their roles. What
they do is in the audit trail: flightdesk list audit. Needs an admin's key, such as that of serve --ops-key-file.`,
		"# who can use the operations API\nflightdesk ops users",
		func(c *Call) error {
			const names = "name role hint state lastUsedAt createdAt uuid"
			return printList(c, "user", columns.Operators(), names, c.Ops.Operators.All(c))
		},
	)
	v.Aliases = []string{"operators"}
	for _, spec := range []commands.Command{
		commands.AddOperator(new(ops.OperatorInput)), commands.RotateOperator(new(ops.RotationInput)), commands.RevokeOperator(),
	} {
		v.AddCommand(verbOf(spec).complete(p))
	}
	return v
}

func opsSnapshots() *opsVerb {
	return listVerb("snapshots", "List snapshots, newest first",
		"Lists the snapshots of a service with --memory or --demo, and when they were taken.",
		"# the snapshots\nflightdesk ops snapshots",
		func(c *Call) error {
			all, err := c.Ops.World.Snapshots(c)
			if err != nil {
				return err
			}
			return printList(c, "snapshot", columns.Snapshots(), "", listRows(all))
		})
}

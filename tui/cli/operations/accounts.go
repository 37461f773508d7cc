package operations

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/session"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

func opsAccounts() opsVerb {
	return opsVerb{
		use:     "accounts",
		short:   "List accounts, newest first",
		long:    "Lists all accounts of the service, newest first.",
		example: "# all accounts, for a spreadsheet\nflightdesk ops accounts --output csv",
		rows:    true,

		limited: true,
		do: func(ctx context.Context, r *opsRun) error {
			s := run.NewSheet("account", "accounts", columns.Accounts(), r.Now, "uuid companyName clientName clientEmail currency")
			return printRows(r, s, r.Ops.Accounts.All(ctx))
		},
	}
}

func opsInvite() opsVerb {
	count := 12
	return opsVerb{
		use: "invite [USER...]", short: "Print invitation codes for logins over SSH",
		long: "Prints a code for each user, or for user1, user2 and so on. It is what ssh asks for when they log in to serve --ssh or demo --ssh. " +
			"The codes are made from the operations key: they stay the same, and a new operations key ends them.",
		example: "# a code for each of 12 participants\nflightdesk ops invite --count 12\n\n# codes for three people\nflightdesk ops invite anna bert viewer",
		flags: []func(*cobra.Command){func(cmd *cobra.Command) {
			cmd.Flags().IntVar(&count, "count", count, "number of users, if none are named")
		}},
		do: func(ctx context.Context, r *opsRun) error {
			key, err := r.OpsKey(ctx)
			if err != nil {
				return err
			}
			users := r.Args
			if len(users) == 0 {
				for n := range count {
					users = append(users, fmt.Sprintf("user%d", n+1))
				}
			}
			invitations, err := session.NewInvitations(key.Reveal())
			for _, user := range users {
				switch code := invitations.CodeOf(user); {
				case err != nil:
				case session.IsUserName(user):
					err = r.PrintAnswer(Invitation{user, code}, layout.FitLeft(user, 12)+"  "+code)
				default:
					err = fmt.Errorf("%q is not a user name; use up to 32 lower-case letters, digits, dots and dashes", user)
				}
			}
			return err
		},
	}
}

// Invitation is what somebody logs in with.
type Invitation struct {
	User string `json:"user"`
	Code string `json:"code"`
}

func opsKeys() opsVerb {
	return opsVerb{
		use:   "keys ACCOUNT",
		short: "List an account's API keys, newest first",
		rows:  true,

		long:    "Lists an account's keys by their last four characters. Full keys are shown only once, when they are issued.",
		example: "# active, expired and revoked keys\nflightdesk ops keys \"Nordwind AG\"",
		do: func(ctx context.Context, r *opsRun) error {
			a, err := commands.FindAccount(ctx, r.Ops, r.Args[0])
			if err != nil {
				return err
			}
			s := run.NewSheet("key", "keys", columns.Keys(r.Now), r.Now, "uuid hint state scopes description createdAt")
			return printRows(r, s, r.Ops.Keys.All(ctx, a.UUID))
		},
	}
}

func opsKeyRequests() opsVerb {
	var status string
	known := run.Names(ops.KeyRequestStatuses())
	return opsVerb{
		use: "key-requests", short: "List requests for API keys, newest first", rows: true,
		long:    "Lists the clients' requests for keys, newest first.",
		example: "# requests to decide\nflightdesk ops key-requests --status pending",
		flags:   statusFlag(&status, "only requests with this status", known),
		checks:  statusCheck(&status, known),
		do: func(ctx context.Context, r *opsRun) error {
			companies := map[string]string{}
			for a, err := range r.Ops.Accounts.All(ctx) {
				if err != nil {
					return err
				}
				companies[a.UUID] = a.CompanyName
			}
			all := columns.KeyRequests(func(account string) string { return companies[account] })
			s := run.NewSheet("request", "requests", all, r.Now, "uuid companyName intendedUse scopes status createdAt")
			return printRows(r, s, run.RowsOf(r.Ops.Keys.AllRequests(ctx), 0, func(k *ops.KeyRequest) bool {
				return status == "" || string(k.Status) == status
			}))
		},
	}
}

func opsOperators() opsVerb {
	return opsVerb{
		use: "operators", short: "List operators; add, rotate, revoke their keys", rows: true,
		long: "Lists the people and programs that have a separate key of the operations API, with their roles. What they do is in the audit " +
			"trail: flightdesk list audit. Needs an admin's key.",
		example: "# who can use the operations API\nflightdesk ops operators",
		below: []opsVerb{
			verbOf(commands.AddOperator(new(ops.OperatorInput))), verbOf(commands.RotateOperator(new(ops.RotationInput))),
			verbOf(commands.RevokeOperator()),
		},
		do: func(ctx context.Context, r *opsRun) error {
			s := run.NewSheet("operator", "operators", columns.Operators(), r.Now, "name role hint state lastUsedAt createdAt uuid")
			return printRows(r, s, r.Ops.Operators.All(ctx))
		},
	}
}

package operations

import (
	"context"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
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

package operations

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
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
		do: func(ctx context.Context, r *opsRun, _ []string) error {
			names := "uuid companyName clientName clientEmail currency createdAt"
			s := run.NewSheet("account", "accounts", columns.Accounts(), r.Now, names, names)
			return printRows(r, s, r.Accounts.All(ctx))
		},
	}
}

func opsCreateAccount() opsVerb {
	return verbOf(commands.CreateAccount(new(api.AccountInput)), opsVerb{
		row:     "create-account",
		short:   "Create an account",
		long:    "Creates an account without a key; issue one with flightdesk ops issue-key. The currency is USD unless you set another.",
		example: "# an account that is quoted in euros\nflightdesk ops new-account \"Nordwind AG\" --client \"Ada Holm\" --email ada@nordwind.example --currency EUR",
	}, showAccount)
}

func showAccount(r *opsRun, _ string, a *api.Account) error {
	shown := columns.PickColumns(columns.Accounts(), "uuid", "companyName", "clientName", "clientEmail", "currency")
	return r.printFacts(a, columns.RowFacts(shown, a, r.Now()))
}

func opsChangeAccount() opsVerb {
	return verbOf(commands.ChangeAccount(new(api.AccountChange)), opsVerb{
		short:   "Change an account's contact or currency",
		long:    "Changes only the fields you name. Existing quotes keep their currency.",
		example: "# quote in francs from now on\nflightdesk ops change-account \"Nordwind AG\" --currency CHF",
	}, showAccount)
}

func opsKeys() opsVerb {
	return opsVerb{
		use:   "keys ACCOUNT",
		short: "List an account's API keys, newest first",
		rows:  true,

		long:    "Lists an account's keys by their last four characters. Full keys are shown only once, when they are issued.",
		example: "# active, expired and revoked keys\nflightdesk ops keys \"Nordwind AG\"",
		do: func(ctx context.Context, r *opsRun, args []string) error {
			a, err := r.findAccount(ctx, args[0])
			if err != nil {
				return err
			}
			s := run.NewSheet("key", "keys", columns.Keys(r.Now), r.Now, "uuid hint state scopes description createdAt",
				"uuid hint state scopes description createdAt expiresAt revokedAt")
			return printRows(r, s, r.Keys.All(ctx, a.UUID))
		},
	}
}

func scopesOf(scopes []api.Scope) string {
	if len(scopes) == len(api.Scopes()) {
		return "all"
	}
	return columns.JoinValues(scopes)
}

func opsIssueKey() opsVerb {
	return verbOf(commands.IssueKey(new(api.KeyInput)), opsVerb{
		short: "Issue an API key for an account",
		long:  "Creates a key and prints it; it is not shown again. Without --expires it never expires.",
		example: "# a key that can only read, for 90 days\nflightdesk ops issue-key \"Nordwind AG\" --scopes orders:read,files:read " +
			`--description "nightly import" --expires 90d`,
	}, func(r *opsRun, company string, k *api.AccountKey) error { return r.printIssued(k, company) })
}

// printIssued prints a key that was made, this once.
func (r *opsRun) printIssued(k *api.AccountKey, company string) error {
	return r.printFacts(k, [][2]string{
		{"Key", k.Key},
		{"Company", company},
		{"Scopes", scopesOf(k.Scopes)},
		{"For", k.Description},
		{"Expires", columns.FormatMoment(k.ExpiresAt)},
		{"To revoke it", "flightdesk ops revoke-key " + k.UUID},
	})
}

func opsRevokeKey() opsVerb {
	c := commands.RevokeKey()
	return verbOf(c, opsVerb{
		short:    "Revoke an API key immediately",
		long:     "Revokes a key by its uuid (see flightdesk ops keys). The next request with it is rejected. Asks for confirmation; --yes skips it.",
		example:  "# in a script\nflightdesk ops revoke-key 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes",
		question: func(*opsRun, []string) (string, error) { return c.Effects, nil },
	}, nil)
}

func opsKeyRequests() opsVerb {
	var status string
	known := run.Names(api.KeyRequestStatuses())
	return opsVerb{
		use: "key-requests", short: "List requests for API keys, newest first", rows: true,
		long:    "Lists the clients' requests for keys, newest first.",
		example: "# requests to decide\nflightdesk ops key-requests --status pending",
		flags: func(cmd *cobra.Command, f *pflag.FlagSet) {
			f.StringVar(&status, "status", "", "only requests with this status")
			run.CompleteValues(cmd, "status", known)
		},
		check: func([]string) error { return run.CheckKnown("--status", status, known) },
		do: func(ctx context.Context, r *opsRun, _ []string) error {
			companies := map[string]string{}
			for a, err := range r.Accounts.All(ctx) {
				if err != nil {
					return err
				}
				companies[a.UUID] = a.CompanyName
			}
			all := columns.KeyRequests(func(account string) string { return companies[account] })
			s := run.NewSheet("request", "requests", all, r.Now, "uuid companyName intendedUse scopes status createdAt",
				"uuid intendedUse scopes status reason createdAt accountUid")
			return printRows(r, s, run.RowsOf(r.Keys.AllRequests(ctx), 0, func(k *api.KeyRequest) bool {
				return status == "" || string(k.Status) == status
			}))
		},
	}
}

func opsRequestKey() opsVerb {
	return verbOf(commands.RequestKey(new(api.KeyRequestInput)), opsVerb{
		row:     "request-key",
		short:   "Request a key as a client would",
		long:    "Creates the request that a client would make in the service's dashboard, with its intended use.",
		example: "# request a key that can only read\nflightdesk ops play-request \"Nordwind AG\" \"nightly import into our GIS\" --scopes orders:read,files:read",
	}, func(r *opsRun, company string, k *api.KeyRequest) error {
		return r.printAnswer(k, "request %s of %s is %s", k.UUID, company, k.Status)
	})
}

func opsApproveKey() opsVerb {
	return verbOf(commands.ApproveRequest(), opsVerb{
		row: "approve-key", short: "Approve a request and issue the key",
		long:    "Issues the requested key and prints it; it is not shown again. A request can be decided only once.",
		example: "# approve a request by its uuid\nflightdesk ops approve-request 01a1f8f0-4ba0-79b8-8433-3deb27c49f82",
	}, func(r *opsRun, _ string, k *api.AccountKey) error { return r.printIssued(k, "") })
}

func opsDeclineKey() opsVerb {
	return verbOf(commands.DeclineRequest(new(string)), opsVerb{
		row:     "decline-key",
		short:   "Decline a request for a key",
		long:    "Declines a request for a key, with a reason. A request can be decided only once.",
		example: "# decline a request by its uuid\nflightdesk ops decline-request 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 \"no contract yet\"",
	}, nil)
}

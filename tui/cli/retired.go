package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// retiredCommands are the commands that the next version no longer has, and what to use
// instead. They still work, are not in the help, and say so when they run.
var retiredCommands = map[string]string{
	"about":                    "version --licences",
	"man":                      "help --man",
	"template":                 "parse --template",
	"profiles rename":          "profiles edit PROFILE --name NAME",
	"order record":             "order show --view record",
	"ops order":                "order show --view operations",
	"ops review":               "ops orders --undecided, or --waiting",
	"ops webhooks":             "list endpoints --of ACCOUNT",
	"ops callbacks":            "list callbacks --of ENDPOINT",
	"ops resend-callback":      "ops resend",
	"ops resend-notice":        "ops resend",
	"ops clear-faults":         "ops faults --off",
	"ops expire-quote":         "ops clock --expire ORDER",
	"ops take-snapshot":        "ops snapshots --take NAME",
	"ops restore-snapshot":     "ops snapshots --restore NAME",
	"ops invitations withdraw": "ops invitations --withdraw USER",
}

// retiredFlags are the flags of serve that the next version no longer has, and what to use
// instead.
var retiredFlags = map[string]string{
	"copy-from":      "use flightdesk restore FOLDER --database ... --files ...",
	"files-redirect": "downloads go through the service",
	"ssh-accounts":   "each user gets an account",
}

// hideRetired hides the retired commands and flags below root.
func hideRetired(root *cobra.Command) {
	for path, instead := range retiredCommands {
		cmd, rest, err := root.Find(strings.Fields(path))
		if err != nil || len(rest) > 0 {
			panic("retired command " + path + " does not exist")
		}
		cmd.Hidden = true
		run := cmd.Run
		cmd.Run = func(cmd *cobra.Command, args []string) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s is an old name, for this version only; use %s %s\n",
				cmd.CommandPath(), root.Name(), instead)
			run(cmd, args)
		}
	}
	for _, cmd := range root.Commands() {
		for name, instead := range retiredFlags {
			if cmd.Flags().Lookup(name) != nil {
				_ = cmd.Flags().MarkDeprecated(name, "and works in this version only; "+instead) // fails without text
			}
		}
	}
}

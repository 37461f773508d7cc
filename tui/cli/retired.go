package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// retiredCommands maps the commands that the next version removes to the commands that replace them.
// Retired commands still work, but are hidden from the help and print a note.
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
	"ops expire-quote":         "ops clock --expire ORDER --quote QUOTE",
	"ops take-snapshot":        "ops snapshots --take NAME",
	"ops restore-snapshot":     "ops snapshots --restore NAME",
	"ops invitations withdraw": "ops invitations --withdraw USER",
}

// retiredFlags are the flags of serve, demo, backup and restore that the next version no longer
// has, and what to use instead.
var retiredFlags = map[string]string{
	"copy-from":              "use flightdesk restore FOLDER --database ... --files ...",
	"files-redirect":         "downloads go through the service",
	"ssh-accounts":           "each user gets an account",
	"ops-key-file":           "use the file ops-key in the folder --secrets",
	"smtp-password-file":     "use the file smtp-password in the folder --secrets",
	"database-password-file": "use the file database-password in the folder --secrets",
	"files-key-file":         "use the file bucket-key in the folder --secrets",
	"secrets-key":            "use the file secrets.key in the folder --secrets",
	"database-connections":   "use the option pool_max_conns of the address in --database",
	"name":                   "use the option application_name of the address in --database",
	"demo-orders":            "use --demo-size 100000",
	"demo-file-size":         "use --demo-size 20MB",
}

var commandsWithRetiredFlags = []string{"serve", "demo", "backup", "restore"}

// isRetired reports whether the next version removes a command.
func isRetired(cmd *cobra.Command) bool {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ") // without "flightdesk"
	_, isRetired := retiredCommands[path]
	return isRetired
}

// hideRetired hides the retired commands and flags from the help, and makes them print a note.
func hideRetired(root *cobra.Command) {
	hideRetiredCommands(root)
	for _, cmd := range root.Commands() {
		if slices.Contains(commandsWithRetiredFlags, cmd.Name()) {
			hideRetiredFlags(cmd)
		}
	}
}

// hideRetiredCommands hides the retired commands, and makes them print a note before they run.
func hideRetiredCommands(root *cobra.Command) {
	for path, replacement := range retiredCommands {
		cmd, rest, err := root.Find(strings.Fields(path))
		if err != nil || len(rest) > 0 {
			panic("retired command " + path + " does not exist")
		}
		cmd.Hidden = true
		run := cmd.Run
		cmd.Run = func(cmd *cobra.Command, args []string) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s is an old name, for this version only; use %s %s\n",
				cmd.CommandPath(), root.Name(), replacement)
			run(cmd, args)
		}
	}
}

// hideRetiredFlags hides the retired flags that the command has. If one of them is set, pflag prints the note.
func hideRetiredFlags(cmd *cobra.Command) {
	for name, advice := range retiredFlags {
		if cmd.Flags().Lookup(name) == nil {
			continue // a flag of another command
		}
		_ = cmd.Flags().MarkDeprecated(name, "and works in this version only; "+advice) // fails without a text
	}
}

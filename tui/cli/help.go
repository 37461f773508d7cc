package cli

import "github.com/spf13/cobra"

func helpCommand(root *cobra.Command) *cobra.Command {
	manual := false
	cmd := &cobra.Command{
		Use:                   "help [command]",
		Short:                 "Show the help of a command",
		Example:               "# the help of parse\nflightdesk help parse\n\n# the manual page of all commands\nflightdesk help --man > flightdesk.1",
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	cmd.Flags().BoolVar(&manual, "man", false, "print the manual page of all commands, formatted for man")
	return defineCommand(cmd, func(c *Call) error {
		if manual {
			return printManual(c, root)
		}
		found, rest, err := root.Find(c.Args)
		if err != nil || len(rest) > 0 && found.HasSubCommands() {
			return refuseArguments(found, rest)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	})
}

// environmentCommand returns the command that shows the environment variables. It is hidden in the list of
// commands, because it is a help topic: flightdesk help environment.
func environmentCommand() *cobra.Command {
	text := "Variables override the configuration file, and flags override variables.\n\n"
	for _, variable := range environmentVariables {
		text += variable[0] + ": " + variable[1] + ".\n\n"
	}
	cmd := &cobra.Command{
		Use:   "environment",
		Short: "Show the environment variables that are read",
		Long: text + `Drafts, views and offline data are in the state folder, and the data of a local service in its subfolder
server; flightdesk config path --output json prints the folders.`,
		Example: `# the variables and what they set
flightdesk environment`,
	}
	cmd.Hidden = true
	return defineCommand(cmd, func(c *Call) error { return c.Cmd.Help() })
}

// environmentVariables are the variables that the program reads, with descriptions.
var environmentVariables = [][2]string{
	{"FLIGHTDESK_CONFIG", "path of the configuration file"},
	{"FLIGHTDESK_BASE_URL", "address of the public API"},
	{"FLIGHTDESK_LEGACY_BASE_URL", "address of the v2 API"},
	{"FLIGHTDESK_API_KEY", "API key"},
	{"FLIGHTDESK_OPS_URL", "address of the operations API"},
	{"FLIGHTDESK_OPS_KEY", "key of the operations API"},
	{
		"FLIGHTDESK_DEBUG",
		"if set to api, requests and responses are printed on standard error, with secrets masked",
	},
	{"FLIGHTDESK_SERVE_…", "flags of serve, such as FLIGHTDESK_SERVE_ADDR for --addr"},
	{"PGPASSWORD", "password for the serve database"},
	{"AWS_ACCESS_KEY_ID", "access key ID for the serve bucket"},
	{"AWS_SECRET_ACCESS_KEY", "secret access key for the serve bucket"},
	{"NO_COLOR", "turns colours off, as TERM=dumb does"},
}

// exitStatuses are the exit statuses of the program, with descriptions.
var exitStatuses = [][2]string{
	{"0", "done"},
	{"1", "failed"},
	{"2", "wrong usage"},
	{"75", "sent and not confirmed"},
	{"130", "interrupted"},
	{"129, 143", "stopped by a hang-up, or by a request to terminate"},
}

package cli

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"flightdesk/config"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// profilesCommand returns the command that lists the profiles of the configuration.
func profilesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "profiles",
		Short: "List and edit profiles",
		Long:  "Lists the profiles of the configuration, starting with the default. Sends no requests and reads no keys. flightdesk login adds a profile, flightdesk logout removes one.",
		Example: `# all profiles
flightdesk profiles`,
	}
	cmd.AddCommand(renameProfile(), editProfile())
	cmd.Args = refuseArguments
	return definePrinting(cmd, func(c *Call) error {
		masked, err := c.program.loadMaskedConfig("")
		if err != nil {
			return err
		}
		return printFormattedRows(c, "profile", profileColumns(), "", listRows(masked.Profiles))
	})
}

func profileColumns() []columns.Column[*configuredProfile] {
	return columns.MakeColumns("profiles", columns.Values[*configuredProfile]{
		"chosen": func(p *configuredProfile) columns.Cell {
			if p.Chosen {
				return columns.TextCell("yes")
			}
			return columns.TextCell("")
		},
		"baseUrl": func(p *configuredProfile) columns.Cell {
			return columns.TextCell(cmp.Or(p.BaseURL, p.OpsURL))
		},
		"credential": func(p *configuredProfile) columns.Cell {
			source := p.Credential
			if source.IsZero() {
				source = p.OpsCredential
			}
			return columns.TextCell(describeSource(source))
		},
		"readOnly": func(p *configuredProfile) columns.Cell {
			if p.ReadOnly {
				return columns.TextCell("read-only")
			}
			return columns.TextCell("read+write")
		},
	})
}

// describeSource returns where a key is read from, such as "variable DESK_KEY", or "" if the
// credential is empty.
func describeSource(c config.Credential) string {
	switch {
	case c.File != "":
		return "file " + c.File
	case c.Env != "":
		return "variable " + c.Env
	case len(c.Command) > 0:
		return "command " + c.Command[0]
	case c.Keyring != "":
		return "keyring"
	}
	return ""
}

func renameProfile() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rename PROFILE NAME",
		Short: "Rename a profile; its key and drafts are kept",
		Long: `Renames a profile in the configuration. It keeps its key, drafts, views and offline data; on disk and in the keyring
they stay under its first name. After an error nothing has changed.`,
		Example: `# a clearer name
flightdesk profiles rename north training`,
	}
	return defineCommand(cmd, func(c *Call) error {
		return changeProfile(c, func(a *session.TypedAccount) { a.Name = c.Args[1] })
	})
}

func editProfile() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edit PROFILE",
		Short: "Change the name, addresses and environment of a profile",
		Long: `Changes the name, the addresses, the CA file and the environment of a profile in the configuration. Values without a flag are
unchanged; an empty --v2-address, --ops-address or --ca-file removes it. A renamed profile keeps its key, drafts, views and
offline data; on disk and in the keyring they stay under its first name. Sends no requests; flightdesk doctor tests the
addresses.`,
		Example: `# add the operations API; a host is enough
flightdesk profiles edit training --ops-address desk.example

# the service has moved
flightdesk profiles edit training --address https://new.example/api/v1/public --v2-address https://new.example/api/v2

# a clearer name
flightdesk profiles edit training --name north`,
	}
	// applyProfileFlags finds out by the name of a flag whether it was typed: the typed value ""
	// removes an address, but a flag that was not typed changes nothing.
	flags := cmd.Flags()
	flags.String("name", "", "new name of the profile")
	flags.String("address", "", "address of the public API; ends in /api/v1/public")
	flags.String("v2-address", "", "address of the v2 API; ends in /api/v2")
	flags.String("ops-address", "", "address of the operations API, or its host")
	flags.String("ca-file", "", "file with the certificate of a private authority (PEM)")
	choiceFlag(cmd, "environment", "environment of the service", "live", "test", "demo")
	return defineCommand(cmd, func(c *Call) error {
		if flags.NFlag() == 0 {
			return wrongUsage("nothing to change; use --name, --address, --v2-address, --ops-address, --ca-file or --environment")
		}
		return changeProfile(c, func(a *session.TypedAccount) { applyProfileFlags(c, a) })
	})
}

// applyProfileFlags sets the fields of a profile to the values of the flags that are on the command line.
func applyProfileFlags(c *Call, a *session.TypedAccount) {
	fields := map[string]*string{
		"name":        &a.Name,
		"address":     &a.BaseURL,
		"v2-address":  &a.LegacyBaseURL,
		"ops-address": &a.OpsURL,
		"ca-file":     &a.CAFile,
		"environment": &a.Band,
	}
	for name, field := range fields {
		flag := c.Cmd.Flag(name)
		if flag.Changed {
			*field = flag.Value.String()
		}
	}
	a.OpsURL = config.OpsAddress(a.OpsURL)
	if c.Cmd.Flag("ca-file").Changed {
		a.CAFile = c.program.Env.FilePath(a.CAFile)
	}
}

// fieldFlags are the flags that set the fields of a profile, by the name of the field in errors.
var fieldFlags = map[string]string{
	session.FieldBaseURL:   "--address",
	session.FieldLegacyURL: "--v2-address",
	session.FieldOpsURL:    "--ops-address",
}

// changeProfile applies a change to the profile in the first argument, saves it, and prints where its key is stored.
func changeProfile(c *Call, change func(*session.TypedAccount)) error {
	a, err := session.CurrentAccount(c.program.Env, c.Args[0])
	if err != nil {
		return err
	}
	change(&a)
	notice, err := session.SaveAccount(c, c.program.Env, a)
	fault, isFault := errors.AsType[config.Fault](err)
	if isFault && fieldFlags[fault.Key] != "" {
		return prefixError(fieldFlags[fault.Key], err)
	}
	if err != nil {
		return err
	}
	return c.PrintResult(notice, format.CapitalizeFirst(notice.Text))
}

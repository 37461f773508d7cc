package profile

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"flightdesk/config"
	"flightdesk/tui/app/session"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
)

func renameProfile(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rename PROFILE NAME",
		Short: "Rename a profile; its key and drafts are kept",
		Long: `Renames a profile in the configuration. Its key, drafts, views and offline data stay stored under its first
name. After an error nothing has changed.`,
		Example: "# a clearer name\nflightdesk profiles rename training north",
	}
	return p.Command(cmd, func(ctx context.Context, c *run.Call) error {
		return changeProfile(ctx, c, func(a *session.TypedAccount) { a.Name = c.Args[1] })
	})
}

func editProfile(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edit PROFILE",
		Short: "Change the addresses and environment of a profile",
		Long: `Changes the addresses and the environment of a profile in the configuration. Values without a flag are
unchanged; an empty --v2-address or --ops-address removes the address. Sends no requests; flightdesk doctor tests the
addresses.`,
		Example: `# add the operations API; a host is enough
flightdesk profiles edit training --ops-address desk.example

# the service has moved
flightdesk profiles edit training --address https://new.example/api/v1/public --v2-address https://new.example/api/v2`,
	}
	var edited struct {
		BaseURL   string `flag:"address,address of the public API; ends in /api/v1/public"`
		LegacyURL string `flag:"v2-address,address of the v2 API; ends in /api/v2"`
		OpsURL    string `flag:"ops-address,address of the operations API, or its host"`
	}
	run.AddFlags(cmd, &edited)
	environment := run.ChoiceFlag(cmd, "environment", "environment of the service", "live", "test", "demo")
	return p.Command(cmd, func(ctx context.Context, c *run.Call) error {
		if cmd.Flags().NFlag() == 0 {
			return run.WrongUsage(
				cmd,
				"nothing to change; use --address, --v2-address, --ops-address or --environment",
			)
		}
		return changeProfile(ctx, c, func(a *session.TypedAccount) {
			for name, set := range map[string]func(){
				"address": func() { a.BaseURL = edited.BaseURL }, "v2-address": func() { a.LegacyURL = edited.LegacyURL },
				"ops-address": func() { a.OpsURL = config.OpsAddress(edited.OpsURL) }, "environment": func() { a.Band = environment.Value },
			} {
				if cmd.Flags().Changed(name) {
					set()
				}
			}
		})
	})
}

// flagOf are the flags of what can be wrong with a profile.
var flagOf = map[string]string{
	session.FieldBaseURL:   "--address",
	session.FieldLegacyURL: "--v2-address",
	session.FieldOpsURL:    "--ops-address",
}

// changeProfile gives a profile other values.
func changeProfile(ctx context.Context, c *run.Call, change func(*session.TypedAccount)) error {
	a, err := session.CurrentAccount(c.Env, c.Args[0])
	if err != nil {
		return err
	}
	change(&a)
	notice, err := session.ChangeAccount(ctx, c.Env, a)
	var fault session.FieldFault
	if errors.As(err, &fault) && flagOf[fault.Field] != "" {
		return fmt.Errorf("%s: %w", flagOf[fault.Field], err)
	}
	if err != nil {
		return err
	}
	return c.PrintAnswer(notice, format.CapitalizeFirst(notice.Text))
}

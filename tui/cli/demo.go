package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/server"
	"flightdesk/api/server/sample"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/page/connect"
)

func (p *program) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try everything: the app on a service of its own",
		Long: "Starts the service in this process, with accounts and orders to try, and the app on it. It needs no " +
			"configuration and no network, and keeps nothing: all is gone with the end.",
		Example: "flightdesk demo",
	}
	var world demoWorld
	world.flags(cmd.Flags(), api.DemoSpeed)
	plain := plainFlag(cmd)
	return p.command(cmd, noArguments, func(cmd *cobra.Command, _ []string) error {
		if err := world.check(); err != nil {
			return usageError{cmd.CommandPath(), err}
		}
		on := shownOn(cmd, *plain)
		if !on.plain && !isTerminal(cmd.OutOrStdout()) {
			return errors.New("the demo needs a terminal, and standard output is none; flightdesk serve --demo runs the service alone")
		}
		return demo(cmd.Context(), on, p.demoLooks(), world)
	})
}

// demoLooks are the configured theme and keys. A configuration with faults does
// not keep the demo from starting.
func (p *program) demoLooks() tui.Options {
	c, err := config.Load(p.env)
	if err != nil {
		return tui.Options{}
	}
	_, _ = bindKeys(c) // with a fault the keys stay the app's own
	return tui.Options{Theme: string(c.Theme), Themes: ownThemes(c)}
}

func demo(ctx context.Context, on shown, looks tui.Options, world demoWorld) (err error) {
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d, err := startDemo(ctx, cancel, world)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }() //nolint:contextcheck // it closes also when ctx has ended
	d.options.Theme, d.options.Themes = looks.Theme, looks.Themes
	err = on.run(running, d.options)
	if cause := context.Cause(running); errors.Is(cause, errServiceEnded) {
		return cause
	}
	return err
}

// demoService is a service of this process, with data to try.
type demoService struct {
	service *server.Server
	folder  string // all that is written stands here
	options tui.Options
}

// startDemo starts the service with a world. ended is called when it ends by
// itself.
func startDemo(ctx context.Context, ended context.CancelCauseFunc, world demoWorld) (d *demoService, err error) {
	folder, err := os.MkdirTemp("", "flightdesk-demo-")
	if err != nil {
		return nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	d = &demoService{service: &server.Server{Demo: true}, folder: folder}
	world.of(d.service)
	surveys := filepath.Join(folder, "surveys")
	if err := os.CopyFS(surveys, sample.Surveys()); err != nil {
		return nil, fmt.Errorf("unpacking the sample survey files: %w", err)
	}
	// The service outlasts the app, which may still be saving when ctx ends.
	lasting := context.WithoutCancel(ctx)
	if err := d.service.Start(lasting); err != nil {
		return nil, fmt.Errorf("the service does not start: %w", err)
	}
	if _, err := d.service.Listen(lasting, "127.0.0.1:0"); err != nil {
		return nil, errors.Join(fmt.Errorf("the service finds no port: %w", err), d.service.Close()) //nolint:contextcheck // as above
	}
	account := d.service.Accounts()[0]
	client, err := api.NewClient(d.service.BaseURL(), api.WithKey(account.Key), api.WithLegacyURL(d.service.LegacyURL()), api.WithUserAgent(userAgent()))
	if err != nil {
		return nil, errors.Join(err, d.service.Close()) //nolint:contextcheck // as above
	}
	ops, err := api.NewOps(d.service.OpsURL(), d.service.OpsKey, api.WithUserAgent(userAgent()))
	if err != nil {
		return nil, errors.Join(err, d.service.Close()) //nolint:contextcheck // as above
	}
	go watch(ended, d.service.Wait)
	d.options = tui.Options{
		Client: client, Ops: ops, Account: account.CompanyName, Profile: connect.Demo, ServerMode: true,
		Fetch:  fetch.Options{Dir: filepath.Join(folder, "deliveries"), UserAgent: userAgent()},
		Drafts: filepath.Join(folder, "drafts"), Views: filepath.Join(folder, "views.json"), Decisions: filepath.Join(folder, "decisions.jsonl"), Samples: surveys,
	}
	return d, nil
}

// Close ends the service and removes what it wrote.
func (d *demoService) Close() error { return errors.Join(d.service.Close(), os.RemoveAll(d.folder)) }

var errServiceEnded = errors.New("the service has ended by itself")

// watch ends the app when the service does: nobody would answer. A panic ends
// it, too, where it would leave the terminal in the app's hands otherwise.
func watch(cancel context.CancelCauseFunc, wait func() error) {
	defer func() {
		if r := recover(); r != nil {
			cancel(fmt.Errorf("%w: panic: %v", errServiceEnded, r))
		}
	}()
	if err := wait(); err != nil {
		cancel(fmt.Errorf("%w: %w", errServiceEnded, err))
		return
	}
	cancel(errServiceEnded)
}

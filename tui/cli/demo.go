package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/sample"
	"flightdesk/config"
	"flightdesk/tui"
)

func (p *program) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try everything: the app on a service of its own",
		Long: "Starts the service in this process, with accounts and orders to try, and the app on it. It needs no " +
			"configuration and no network, and keeps nothing: all is gone with the end.",
		Example: "flightdesk demo",
	}
	var size fileSize
	sampleSizeFlag(cmd.Flags(), &size)
	return p.command(cmd, noArguments, func(cmd *cobra.Command, _ []string) error {
		if !isTerminal(cmd.OutOrStdout()) {
			return errors.New("the demo needs a terminal, and standard output is none; flightdesk serve --demo runs the service alone")
		}
		return demo(cmd.Context(), p.demoTheme(), int64(size))
	})
}

// demoTheme is the configured theme. A configuration with faults does not keep
// the demo from starting.
func (p *program) demoTheme() string {
	c, err := config.Load(p.env)
	if err != nil {
		return string(config.Auto)
	}
	return string(c.Theme)
}

func demo(ctx context.Context, theme string, sampleSize int64) (err error) {
	folder, err := os.MkdirTemp("", "flightdesk-demo-")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	surveys := filepath.Join(folder, "surveys")
	if err := os.CopyFS(surveys, sample.Surveys()); err != nil {
		return fmt.Errorf("unpacking the sample survey files: %w", err)
	}
	s := &server.Server{Demo: true, SampleFileSize: sampleSize}
	if err := s.Start(ctx); err != nil {
		return fmt.Errorf("the service does not start: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }() //nolint:contextcheck // it closes also when ctx has ended
	// The service outlasts the app, which may still be saving when ctx ends.
	if _, err := s.Listen(context.WithoutCancel(ctx), "127.0.0.1:0"); err != nil {
		return fmt.Errorf("the service finds no port: %w", err)
	}
	account := s.Accounts()[0]
	client, err := api.NewClient(s.BaseURL(), api.WithKey(account.Key), api.WithLegacyURL(s.LegacyURL()), api.WithUserAgent(userAgent()))
	if err != nil {
		return err
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go watch(cancel, s.Wait)
	err = show(running, tui.Options{
		Client: client, Account: account.CompanyName, Profile: "demo", ServerMode: true, Theme: theme,
		Drafts: filepath.Join(folder, "drafts"), Views: filepath.Join(folder, "views.json"), Samples: surveys,
	})
	if cause := context.Cause(running); errors.Is(cause, errServiceEnded) {
		return cause
	}
	return err
}

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

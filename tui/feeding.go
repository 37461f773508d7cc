package tui

import (
	"context"
	"net"
	"net/url"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/feed"
	"flightdesk/tui/listen"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// feed is what receives events while the app runs. A service on this machine
// with a desk can reach it by itself.
func (o Options) feed() *feed.Feed {
	options := feed.Options{Client: o.Client, Account: o.Profile, Runs: listen.Runs(o.Listens), Log: feed.Open(o.Received)}
	if base, err := url.Parse(o.Client.BaseURL()); err == nil && o.Ops != nil && isHere(base.Hostname()) {
		options.Trust = func(ctx context.Context, pem []byte) error {
			_, err := o.Ops.TrustWebhooks(ctx, pem)
			return err
		}
	}
	if o.Post != nil {
		options.Wake = func() { o.Post(page.HeardMsg{}) }
	}
	return feed.New(options)
}

// isHere reports whether a host is this machine.
func isHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// stopFeed ends the listening of a profile that is left.
func stopFeed(f *feed.Feed) tea.Cmd {
	if f == nil {
		return nil
	}
	return func() tea.Msg {
		if err := f.Stop(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return nil
	}
}

package tui

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// newFeed returns what receives events while the app runs. A service on this machine
// with an operations API can reach it by itself.
func (o Options) newFeed() *webhooks.EventFeed {
	options := webhooks.FeedOptions{Client: o.Client, Account: o.Profile, Runs: webhooks.RunFolder(o.Listens), Log: webhooks.OpenLog(o.Received)}
	if base, err := url.Parse(o.Client.BaseURL()); err == nil && o.Ops != nil && isHere(base.Hostname()) {
		options.Trust = func(ctx context.Context, pem []byte) error {
			_, err := o.Ops.Webhooks.Trust(ctx, pem)
			return err
		}
	}
	if o.Post != nil {
		options.Wake = func() { o.Post(page.HeardMsg{}) }
	}
	return webhooks.NewFeed(options)
}

// isHere reports whether a host is this machine.
func isHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// leftFeeds are of profiles that were left, until they have ended.
type leftFeeds []*webhooks.EventFeed

// stopFeed ends the listening of the profile that is left. The app's end waits
// for what that has not done by then.
func (l *leftFeeds) stopFeed(f *webhooks.EventFeed) tea.Cmd {
	if f == nil {
		return nil
	}
	*l = append(slices.DeleteFunc(*l, (*webhooks.EventFeed).IsOver), f)
	return func() tea.Msg {
		if err := f.Close(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return nil
	}
}

// closeAll ends all listening, that of the profile on the screen too. It takes as
// long as that does.
func (l *leftFeeds) closeAll(now *webhooks.EventFeed) error {
	l.stopFeed(now)
	var err error
	for _, f := range *l {
		err = errors.Join(err, f.Close())
	}
	return err
}

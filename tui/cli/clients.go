package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"path/filepath"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/ops"
	"flightdesk/config"
	"flightdesk/tui/app/session"
)

// hasOnlyOpsKey reports whether a profile has a key of the operations API, but no key of an account.
func hasOnlyOpsKey(s config.Settings) bool { return s.HasOpsKey() && !s.HasKey() }

// newClient returns a client with the account key of a profile. To get the key it can query the keyring or run a
// command. If i is not nil, the client reports each request that changes data to i, so that an interrupted command
// can say whether it was sent.
func (p *program) newClient(ctx context.Context, s config.Settings, i *interruption) (*api.Client, error) {
	if hasOnlyOpsKey(s) {
		return nil, fmt.Errorf("profile %s has an operations key only; this needs a key of an account: "+
			"add a credential to the profile or set FLIGHTDESK_API_KEY", s.Name)
	}
	key, err := s.Key(ctx)
	if err != nil {
		return nil, err
	}
	options, err := connectionOptions(s, i)
	if err != nil {
		return nil, err
	}
	methods := session.OpenMethodFile(filepath.Join(p.Env.Dirs.State, "methods", s.StateName()+".json"))
	options = append(options, api.WithKey(key.Reveal()), methods.Option())
	if s.LegacyBaseURL != "" {
		options = append(options, api.WithLegacyURL(s.LegacyBaseURL))
	}
	return api.NewClient(s.BaseURL, options...)
}

// newKeylessClient returns a client without a key, for a profile that has only an operations key. The app
// needs the client only for the address of the service.
func newKeylessClient(s config.Settings) (*api.Client, error) {
	options, err := connectionOptions(s, nil)
	if err != nil {
		return nil, err
	}
	address := s.BaseURL
	if address == "" {
		address = config.CandidateAddresses(s.OpsURL)[0]
	}
	return api.NewClient(address, options...)
}

// newOps returns a client with the key of the operations API of a profile, or nil if the profile has no address or no
// key of that API. If i is not nil, the client reports each request that changes data to i, as the client of
// newClient does.
func newOps(ctx context.Context, s config.Settings, i *interruption) (*ops.Client, error) {
	if s.OpsURL == "" {
		return nil, nil
	}
	key, err := s.OpsKey(ctx)
	if err != nil || key.IsZero() {
		return nil, err
	}
	options, err := connectionOptions(s, i)
	if err != nil {
		return nil, err
	}
	return ops.NewClient(s.OpsURL, key.Reveal(), options...)
}

// connectionOptions returns the options of a client for a profile's service. If i is not nil, the client reports each
// request that changes data to i, as the client of newClient does.
func connectionOptions(s config.Settings, i *interruption) ([]api.Option, error) {
	pool, err := s.CAs()
	if err != nil {
		return nil, err
	}
	var transport http.RoundTripper = transportTo(pool)
	if i != nil {
		transport = watchedTransport{transport, i}
	}
	return []api.Option{api.WithUserAgent(userAgent()), api.WithTransport(transport)}, nil
}

// transportTo returns a transport that trusts the certificates of a pool, or of the system if the
// pool is nil.
func transportTo(pool *x509.CertPool) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	transport.TLSClientConfig = trustedTLS(pool)
	return transport
}

// fetchOptions returns the options for downloads from a profile's service.
func fetchOptions(s config.Settings, client *api.Client) (fetch.Options, error) {
	pool, err := s.CAs()
	if err != nil {
		return fetch.Options{}, err
	}
	return fetch.Options{
		UserAgent: userAgent(),
		Now:       client.Now,
		Transport: fetch.NewTransport(trustedTLS(pool)),
	}, nil
}

// trustedTLS returns a TLS configuration that trusts the certificates of a pool, or of the system
// if the pool is nil.
func trustedTLS(pool *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// userAgent returns the User-Agent header of requests.
func userAgent() string { return "flightdesk/" + Version() }

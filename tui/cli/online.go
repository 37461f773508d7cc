package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// online is the service that a command speaks to: a profile and its client.
type online struct {
	config.Settings
	config *config.Config
	client *api.Client
	seen   seen

	interruption *interruption
}

// connect gets the client of a profile. It may ask the keyring or run a
// command for the key.
func (p *program) connect(ctx context.Context, profile string) (*online, error) {
	c, err := config.Load(p.env)
	if err != nil {
		return nil, err
	}
	s, err := c.Resolve(profile)
	if err != nil {
		return nil, err
	}
	client, err := newClient(ctx, s, p.interruption)
	if err != nil {
		return nil, err
	}
	format.Use(units(c.WaysOf(s.Profile)))
	return &online{Settings: s, config: c, client: client, interruption: p.interruption}, nil
}

// mayChange is an error where the profile is for looking only.
func (o *online) mayChange() error {
	o.interruption.changing()
	return mayChange(o.Settings)
}

func mayChange(s config.Settings) error {
	if s.ReadOnly {
		return fmt.Errorf("profile %s is read-only, and this changes something; choose another with --profile", s.Name)
	}
	return nil
}

// mayOrder is an error where nothing about orders can be changed: the profile
// is for looking only, or its key lacks the scope. What the service does not say
// of the key is for the change itself to find out.
func (o *online) mayOrder(ctx context.Context) error {
	if err := o.mayChange(); err != nil {
		return err
	}
	grants, _ := o.client.Scopes(ctx, api.ScopeOrdersWrite)
	for _, g := range grants {
		if refused := session.Refusal(g.Scope, g.Grant); refused != "" {
			return fmt.Errorf("profile %s: %s", o.Name, refused)
		}
	}
	return nil
}

// mayQuote is an error where the profile has no second generation, which
// quotes and datasets are of.
func (o *online) mayQuote(what string) error {
	if o.LegacyBaseURL == "" {
		return fmt.Errorf("%s come from the second generation, which profile %s does not name; add its legacy_base_url", what, o.Name)
	}
	return nil
}

// printValue writes a value of the wire on one line. What a terminal would
// obey is escaped, also where JSON lets it pass.
func printValue(w io.Writer, v any) error {
	line, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, harmless(string(line))+"\n")
	return err
}

// harmless is JSON with what a terminal would obey, or show in another order,
// as escapes.
func harmless(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r <= '~' || !unicode.In(r, unicode.Cc, unicode.Cf):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

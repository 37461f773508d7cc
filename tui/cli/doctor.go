package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/zalando/go-keyring"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// The states of what doctor looks at.
const (
	stateOK    = "ok"
	stateNote  = "note"  // works, though not as well as it could
	stateFault = "error" // does not work
)

// doctorFinding is one line of doctor.
type doctorFinding struct {
	Area  string `json:"area"` // terminal, configuration, keyring, service, operations
	State string `json:"state"`
	Text  string `json:"text"`
	Do    string `json:"do,omitzero"` // what to do about it
}

// doctorCommand says what works here, and what does not.
func doctorCommand(p *program) *cobra.Command {
	cmd := newCommand(
		"doctor",
		"Check terminal, configuration, keyring and service",
		`Checks the terminal, the configuration, the keyring and the service of a profile, and shows what works, what
does not, and what to do about it. Changes nothing. The exit status is 1 if something does not work. --output json
prints {"area", "state", "text", "do"} for each check; state is ok, note or error.`,
		"# the default profile\nflightdesk doctor\n\n# another profile, as JSON\nflightdesk doctor --profile prod --output json",
	)
	profileFlag(cmd)
	return p.PrintCommand(cmd, func(c *Call) error {
		faults := 0
		for _, area := range []struct {
			name  string
			about func(*Call) []doctorFinding
		}{
			{"terminal", aboutTerminal},
			{"configuration", aboutConfig},
			{"keyring", aboutKeyring},
			{"service", aboutService},
			{"operations", aboutDesk},
		} {
			found := area.about(c)
			if c.Err() != nil {
				return c.Err()
			}
			for _, f := range found {
				f.Area = area.name
				if f.State == stateFault {
					faults++
				}
				if err := f.printFinding(c.Out(), c.Output); err != nil {
					return err
				}
			}
		}
		if faults > 0 {
			return fmt.Errorf("%s; see above", format.Count(faults, "error"))
		}
		return nil
	})
}

// findings are those of an area, which is put in where they are printed.
type findings []doctorFinding

func (f *findings) add(state, text, do string) {
	*f = append(*f, doctorFinding{State: state, Text: text, Do: do})
}

func found(state, text, do string) []doctorFinding {
	return findings{{State: state, Text: text, Do: do}}
}

// explained returns what an error of a service at an address means.
func explained(address string, err error) []doctorFinding {
	what, do := format.ExplainError(err)
	return found(stateFault, address+": "+strings.TrimSuffix(what, "."), do)
}

func (f doctorFinding) printFinding(out io.Writer, output string) error {
	if output == "json" {
		return printValue(out, f)
	}
	role := map[string]theme.Role{stateOK: theme.Good, stateNote: theme.Attention, stateFault: theme.Bad}[f.State]
	line := format.FitLeft(
		f.Area,
		14,
	) + styleText(
		shellTheme(out),
		role,
		format.FitLeft(f.State, 6),
	) + " " + format.Clean(
		f.Text,
	)
	switch {
	case f.Do == "":
	case f.Do[0] >= 'A' && f.Do[0] <= 'Z': // a sentence of its own
		line += ". " + format.Clean(f.Do)
	default:
		line += "; " + format.Clean(f.Do)
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

func aboutConfig(c *Call) []doctorFinding {
	checked, err := c.checkConfig()
	if errors.Is(err, config.ErrNoProfile) {
		return found(stateNote, "no profile configured", "run flightdesk login to add one")
	}
	if err != nil {
		return found(stateFault, err.Error(), "")
	}
	var f findings
	for _, good := range checked.Good {
		f.add(stateOK, good, "")
	}
	for _, fault := range checked.Faults {
		f.add(stateFault, fault.Error(), "")
	}
	return f
}

// aboutKeyring asks the keyring for a key that it has not.
func aboutKeyring(c *Call) []doctorFinding {
	_, err := c.Env.Keyring.Get("flightdesk", "flightdesk-doctor")
	var missing *exec.Error
	switch {
	case errors.As(err, &missing):
		return found(stateNote, "no system keyring ("+missing.Name+" not found)", "install one, or use env, command or file as credential")
	case err != nil && !errors.Is(err, keyring.ErrNotFound):
		return found(stateNote, "unavailable: "+err.Error(), "start or unlock it, or use env, command or file as credential")
	}
	return found(stateOK, "responds", "")
}

// skewed is how wrong this machine's clock may be: callbacks are refused
// beyond.
const skewed = api.DefaultTolerance

const unchecked = "not checked: fix the configuration first"

func aboutService(c *Call) []doctorFinding {
	o, err := c.Connect()
	if errors.Is(err, config.ErrNoProfile) || errors.Is(err, config.ErrUndecided) {
		return found(
			stateNote,
			"not checked: no profile selected",
			"select one with --profile; flightdesk demo needs none",
		)
	}
	if err != nil {
		return found(stateNote, unchecked, "")
	}
	grants, err := o.Client.Scopes(c)
	if err == nil && grants[0].Err != nil && !isAnswer(grants[0].Err) {
		err = grants[0].Err
	}
	if err != nil {
		return explained(o.Client.BaseURL(), err)
	}
	var f findings
	f.add(stateOK, o.Client.BaseURL()+" responds", "")
	for _, g := range grants {
		switch g.Grant {
		case api.NotGranted:
			f.add(stateNote, "the key lacks "+string(g.Scope), "request a key with this scope if you need it")
		case api.NotKnown:
			f.add(stateNote, "scope "+string(g.Scope)+" not checked: "+g.Err.Error(), "")
		default:
			f.add(stateOK, "the key has "+string(g.Scope), "")
		}
	}
	if skew := time.Until(o.Client.Now()).Round(time.Second); skew > skewed || skew < -skewed {
		f.add(
			stateNote,
			fmt.Sprintf("the service's clock differs by %v from this machine's", skew),
			"correct this machine's clock",
		)
	}
	return append(f, aboutLegacy(c, o)...)
}

func isAnswer(err error) bool {
	var e *api.Error
	return errors.As(err, &e)
}

func aboutLegacy(ctx context.Context, o *Service) []doctorFinding {
	if o.LegacyBaseURL == "" {
		return found(stateNote, "quotes and datasets need the v2 API", "add legacy_base_url to the profile")
	}
	address := "v2 API, " + o.LegacyBaseURL
	if _, err := o.Client.Records.List(ctx, api.RecordListOptions{Limit: 1}); err != nil {
		return explained(address, err)
	}
	return found(stateOK, address+" responds", "")
}

// aboutDesk looks at the operations API, which most profiles have none of.
func aboutDesk(c *Call) []doctorFinding {
	s, err := c.ConnectOps()
	switch {
	case s == nil || s.OpsURL == "":
		return nil // the configuration's faults are told
	case err != nil:
		return found(stateNote, unchecked, "")
	case s.Ops == nil:
		return found(
			stateNote,
			s.OpsURL+" has no key",
			"add ops_credential to the profile, or set FLIGHTDESK_OPS_KEY",
		)
	}
	_, err = s.Ops.World.Clock(c)
	switch {
	case api.IsStatus(err, http.StatusUnauthorized):
		return found(
			stateFault,
			s.OpsURL+": key rejected",
			"check ops_credential of the profile, or FLIGHTDESK_OPS_KEY",
		)
	case err != nil:
		return explained(s.OpsURL, err)
	}
	return found(stateOK, s.OpsURL+" responds", "")
}

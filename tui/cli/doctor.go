package cli

import (
	"errors"
	"fmt"
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
func doctorCommand() *cobra.Command {
	cmd := newCommand(
		"doctor",
		"Check terminal, configuration, keyring and service",
		`Checks the terminal, the configuration, the keyring and the service of a profile, and shows what works, what
does not, and what to do about it. Changes nothing. The exit status is 1 if something does not work. --output json
prints {"area", "state", "text", "do"} for each check; state is ok, note or error.`,
		"# the default profile\nflightdesk doctor\n\n# another profile, as JSON\nflightdesk doctor --profile prod --output json",
	)
	profileFlag(cmd)
	return definePrinting(cmd, func(c *Call) error {
		d := doctor{Call: c}
		for _, area := range []struct {
			name  string
			check func()
		}{
			{"terminal", d.checkTerminal},
			{"configuration", d.checkConfiguration},
			{"keyring", d.checkKeyring},
			{"service", d.checkService},
			{"operations", d.checkOperations},
		} {
			d.area = area.name
			if area.check(); c.Err() != nil {
				return c.Err()
			}
		}
		if d.faults > 0 {
			return fmt.Errorf("%s; see above", format.Count(d.faults, "error"))
		}
		return nil
	})
}

// doctor is one run of the command.
type doctor struct {
	*Call
	area   string
	faults int
}

func (d *doctor) ok(text string)        { d.print(stateOK, text, "") }
func (d *doctor) note(text, do string)  { d.print(stateNote, text, do) }
func (d *doctor) fault(text, do string) { d.print(stateFault, text, do) }

func (d *doctor) print(state, text, do string) {
	if state == stateFault {
		d.faults++
	}
	role := map[string]theme.Role{
		stateOK:    theme.Good,
		stateNote:  theme.Attention,
		stateFault: theme.Bad,
	}[state]
	between := "; "
	if do == "" {
		between = ""
	} else if do[0] >= 'A' && do[0] <= 'Z' { // a new sentence
		between = ". "
	}
	_ = d.PrintParts(doctorFinding{d.area, state, text, do}, func(to *paper) {
		painted := to.paintText(role, format.FitLeft(state, 6))
		fmt.Fprintln(to, format.FitLeft(d.area, 14)+painted+" "+format.Clean(text+between+do))
	})
}

func (d *doctor) checkConfiguration() {
	checked, err := d.checkConfig()
	switch {
	case errors.Is(err, config.ErrNoProfile):
		d.note("no profile configured", "run flightdesk login to add one")
	case err != nil:
		d.fault(err.Error(), "")
	default:
		for _, good := range checked.Good {
			d.ok(good)
		}
		for _, fault := range checked.Faults {
			d.fault(fault.Error(), "")
		}
	}
}

// checkKeyring asks the keyring for a key that it has not.
func (d *doctor) checkKeyring() {
	_, err := d.Env.Keyring.Get("flightdesk", "flightdesk-doctor")
	missing, isMissing := errors.AsType[*exec.Error](err)
	switch {
	case isMissing:
		d.note("no system keyring ("+missing.Name+" not found)", "install one, or use env, command or file as credential")
	case err != nil && !errors.Is(err, keyring.ErrNotFound):
		d.note("unavailable: "+err.Error(), "start or unlock it, or use env, command or file as credential")
	default:
		d.ok("responds")
	}
}

// skewed is how wrong this machine's clock may be: callbacks are refused
// beyond.
const skewed = api.DefaultTolerance

const unchecked = "not checked: fix the configuration first"

func (d *doctor) checkService() {
	s, err := d.Connect()
	switch {
	case errors.Is(err, config.ErrNoProfile) || errors.Is(err, config.ErrUndecided):
		d.note("not checked: no profile selected", "select one with --profile; flightdesk demo needs none")
		return
	case err != nil:
		d.note(unchecked, "")
		return
	}
	grants, err := s.Client.Scopes(d)
	if err == nil && grants[0].Err != nil {
		if _, answered := errors.AsType[*api.Error](grants[0].Err); !answered {
			err = grants[0].Err
		}
	}
	if d.printAnswer(s.Client.BaseURL(), err); err != nil {
		return
	}
	for _, g := range grants {
		switch g.Grant {
		case api.NotGranted:
			d.note("the key lacks "+string(g.Scope), "request a key with this scope if you need it")
		case api.NotKnown:
			d.note("scope "+string(g.Scope)+" not checked: "+g.Err.Error(), "")
		default:
			d.ok("the key has " + string(g.Scope))
		}
	}
	if skew := time.Until(s.Client.Now()).Round(time.Second); skew.Abs() > skewed {
		d.note(fmt.Sprintf("the service's clock differs by %v from this machine's", skew), "correct this machine's clock")
	}
	if s.LegacyBaseURL == "" {
		d.note("quotes and datasets need the v2 API", "add legacy_base_url to the profile")
		return
	}
	_, err = s.Client.Records.List(d, api.RecordListOptions{Limit: 1})
	d.printAnswer("v2 API, "+s.LegacyBaseURL, err)
}

// printAnswer prints whether a service responds at an address, or what its error means.
func (d *doctor) printAnswer(address string, err error) {
	if err == nil {
		d.ok(address + " responds")
		return
	}
	what, do := format.ExplainError(err)
	d.fault(address+": "+strings.TrimSuffix(what, "."), do)
}

// checkOperations looks at the operations API, which most profiles have none of.
func (d *doctor) checkOperations() {
	s, err := d.ConnectOps()
	switch {
	case s == nil || s.OpsURL == "": // the configuration's faults are told
		return
	case err != nil:
		d.note(unchecked, "")
		return
	case s.Ops == nil:
		d.note(s.OpsURL+" has no key", "add ops_credential to the profile, or set FLIGHTDESK_OPS_KEY")
		return
	}
	_, err = s.Ops.World.Clock(d)
	if api.IsStatus(err, http.StatusUnauthorized) {
		d.fault(s.OpsURL+": key rejected", "check ops_credential of the profile, or FLIGHTDESK_OPS_KEY")
		return
	}
	d.printAnswer(s.OpsURL, err)
}

package cli

import (
	"errors"
	"fmt"
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

// The states of a check of doctor.
const (
	stateOK    = "ok"
	stateNote  = "note"  // works, but could work better
	stateFault = "error" // does not work
)

// doctorFinding is the result of one check of the command doctor, which prints it on one line.
type doctorFinding struct {
	Area  string `json:"area"` // terminal, configuration, keyring, service or operations
	State string `json:"state"`
	Text  string `json:"text"`
	Do    string `json:"do,omitzero"` // advice for the user
}

// doctorCommand returns the command that checks the terminal, the configuration and the services.
func doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check terminal, configuration, keyring and service",
		Long: `Checks the terminal, the configuration, the keyring and the service of a profile, and shows what works, what
does not, and what to do about it. Changes nothing. The exit status is 1 if something does not work. --output json
prints {"area", "state", "text", "do"} for each check; state is ok, note or error.`,
		Example: `# the default profile
flightdesk doctor

# another profile, as JSON
flightdesk doctor --profile prod --output json`,
	}
	profileFlag(cmd)
	return definePrinting(cmd, func(c *Call) error {
		d := doctor{call: c}
		return d.checkAll()
	})
}

// doctor is one run of the command flightdesk doctor.
type doctor struct {
	call       *Call
	area       string // area of the current check
	errorCount int    // number of checks that found something that does not work
}

// checkAll checks all areas, one after the other, and prints the findings. It returns an error if something does
// not work.
func (d *doctor) checkAll() error {
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
		area.check()
		if err := d.call.Err(); err != nil {
			return err
		}
	}
	if d.errorCount > 0 {
		return fmt.Errorf("%s; see above", format.Count(d.errorCount, "error"))
	}
	return nil
}

func (d *doctor) printOK(text string)            { d.print(stateOK, text, "") }
func (d *doctor) printNote(text, advice string)  { d.print(stateNote, text, advice) }
func (d *doctor) printError(text, advice string) { d.print(stateFault, text, advice) }

func (d *doctor) print(state, text, advice string) {
	if state == stateFault {
		d.errorCount++
	}
	line := text
	if advice != "" {
		line = joinAdvice(text, advice)
	}
	role := map[string]theme.Role{
		stateOK:    theme.Good,
		stateNote:  theme.Attention,
		stateFault: theme.Bad,
	}[state]
	_ = d.call.PrintParts(doctorFinding{d.area, state, text, advice}, func(to *textWriter) {
		painted := to.paintText(role, format.FitLeft(state, 6))
		fmt.Fprintln(to, format.FitLeft(d.area, 14)+painted+" "+format.Clean(line))
	})
}

// joinAdvice joins a text and advice with a semicolon, or with a full stop if the advice begins with
// a capital letter.
func joinAdvice(text, advice string) string {
	isSentence := advice[0] >= 'A' && advice[0] <= 'Z'
	if isSentence {
		return text + ". " + advice
	}
	return text + "; " + advice
}

func (d *doctor) checkConfiguration() {
	check, err := d.call.checkConfig()
	if errors.Is(err, config.ErrNoProfile) {
		d.printNote("no profile configured", "run flightdesk login to add one")
		return
	}
	if err != nil {
		d.printError(err.Error(), "")
		return
	}
	for _, good := range check.Good {
		d.printOK(good)
	}
	for _, doubt := range check.Doubts {
		d.printNote(doubt.Error(), "")
	}
	for _, fault := range check.Faults {
		d.printError(fault.Error(), "")
	}
}

// checkKeyring checks whether the keyring responds, by querying a key that does not exist.
func (d *doctor) checkKeyring() {
	_, err := d.call.program.Env.Keyring.Get("flightdesk", "flightdesk-doctor")
	missing, isMissing := errors.AsType[*exec.Error](err)
	if isMissing {
		d.printNote("no system keyring ("+missing.Name+" not found)",
			"install one, or use env, command or file as credential")
		return
	}
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		d.printNote("unavailable: "+err.Error(), "start or unlock it, or use env, command or file as credential")
		return
	}
	d.printOK("responds")
}

// maxClockSkew is the largest difference between the clocks of this machine and of the service that is not
// reported. With a larger difference, receivers on this machine refuse callbacks as too old.
const maxClockSkew = api.DefaultTolerance

const notChecked = "not checked: fix the configuration first"

func (d *doctor) checkService() {
	// Connect returns both the service and an error if the profile is valid but has no key of an account.
	s, err := d.call.Connect()
	if s != nil && hasOnlyOpsKey(s.Settings) {
		d.printNote("not checked: the profile has an operations key only", "")
		return
	}
	if errors.Is(err, config.ErrNoProfile) {
		d.printNote("not checked: no profile configured", "flightdesk demo needs none")
		return
	}
	if errors.Is(err, config.ErrUndecided) {
		d.printNote("not checked: no profile selected", "select one with --profile")
		return
	}
	if err != nil { // checkConfiguration has printed it
		d.printNote(notChecked, "")
		return
	}
	if !d.checkScopes(s.Client) {
		return
	}
	d.checkClock(s.Client)
	d.checkV2(s)
}

// checkClock prints a note if the clock of the service differs much from the clock of this machine.
func (d *doctor) checkClock(client *api.Client) {
	skew := time.Until(client.Now()).Round(time.Second)
	if skew.Abs() <= maxClockSkew {
		return
	}
	d.printNote(fmt.Sprintf("the service's clock differs by %v from this machine's", skew),
		"correct the wrong clock; that of a training service may have been advanced")
}

// checkV2 prints whether the v2 API responds.
func (d *doctor) checkV2(s *Service) {
	if s.LegacyBaseURL == "" {
		d.printNote("quotes and datasets need the v2 API", "add legacy_base_url to the profile")
		return
	}
	_, err := s.Client.Records.List(d.call, api.RecordListOptions{Limit: 1})
	d.printResponse("v2 API, "+s.LegacyBaseURL, err)
}

// checkScopes prints whether the service responds, and the permissions of the key. It returns false if
// the service does not respond.
func (d *doctor) checkScopes(client *api.Client) bool {
	grants, err := client.Scopes(d.call)
	if err == nil {
		err = connectionError(grants[0].Err)
	}
	d.printResponse(client.BaseURL(), err)
	if err != nil {
		return false
	}
	for _, grant := range grants {
		switch grant.Grant {
		case api.NotGranted:
			d.printNote("the key lacks "+string(grant.Scope), "request a key with this scope if you need it")
		case api.NotKnown:
			d.printNote("scope "+string(grant.Scope)+" not checked: "+grant.Err.Error(), "")
		default:
			d.printOK("the key has " + string(grant.Scope))
		}
	}
	return true
}

// connectionError returns the error of a request to which the service has not responded: there was no response, or
// it came from something else, such as a proxy. It returns nil if the service responded, even with an error.
func connectionError(err error) error {
	response, isResponse := errors.AsType[*api.Error](err)
	if isResponse && !response.Foreign {
		return nil
	}
	return err
}

// printResponse prints that a service responds at an address, or the explanation of the error.
func (d *doctor) printResponse(address string, err error) {
	if err == nil {
		d.printOK(address + " responds")
		return
	}
	problem, advice := format.ExplainError(err)
	d.printError(address+": "+strings.TrimSuffix(problem, "."), advice)
}

// checkOperations checks the operations API. It prints nothing if the profile does not have that API. It
// also prints nothing if the configuration is invalid, because checkConfiguration has printed the errors.
func (d *doctor) checkOperations() {
	s, err := d.call.ConnectOps()
	if s == nil || s.OpsURL == "" {
		return
	}
	if err != nil {
		d.printNote(notChecked, "")
		return
	}
	if s.Ops == nil {
		d.printNote(s.OpsURL+" has no key", "add ops_credential to the profile, or set FLIGHTDESK_OPS_KEY")
		return
	}
	_, err = s.Ops.World.Clock(d.call)
	if api.IsKeyRejected(err) {
		d.printError(s.OpsURL+": key rejected", "check ops_credential of the profile, or FLIGHTDESK_OPS_KEY")
		return
	}
	d.printResponse(s.OpsURL, err)
}

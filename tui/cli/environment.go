package cli

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/scenario"
	"flightdesk/config/atomicfile"
	"flightdesk/tui/format"
)

// settingPrefix is the prefix of the environment variables that set flags of serve.
const settingPrefix = "FLIGHTDESK_SERVE_"

// settingVariable returns the name of the environment variable that sets a flag of serve.
func settingVariable(flag string) string {
	return settingPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// applySettings sets the flags that are not on the command line. It takes their values from environment
// variables such as FLIGHTDESK_SERVE_ADDR=:80, or else from the file of --settings.
func applySettings(cmd *cobra.Command, environment []string) error {
	flags := cmd.LocalFlags()
	variables, err := findSettings(flags, environment)
	if err != nil {
		return err
	}
	file := cmp.Or(flags.Lookup("settings").Value.String(), variables[settingVariable("settings")])
	settings, err := readSettings(flags, file)
	if err != nil {
		return err
	}
	var firstErr error
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == "help" {
			return
		}
		variable := settingVariable(f.Name)
		var err error
		if text, isSet := variables[variable]; isSet {
			err = setFlag(cmd, f.Name, text, variable)
		} else if value := settings[f.Name]; value != nil {
			err = setFlag(cmd, f.Name, value, f.Name+" in "+file)
		}
		if firstErr == nil {
			firstErr = err
		}
	})
	return firstErr
}

// setFlag sets a flag to a value, or to each value of a list. The error names the source of the value, but
// not the value, which can be secret.
func setFlag(cmd *cobra.Command, name string, value any, source string) error {
	values, isList := value.([]any)
	if !isList {
		values = []any{value}
	}
	for _, element := range values {
		if cmd.Flags().Set(name, fmt.Sprint(element)) != nil {
			return fmt.Errorf("%s is not a valid value of --%s", source, name)
		}
	}
	return nil
}

// kubernetesVariable matches the variables that Kubernetes sets in every container if it has a service
// called flightdesk-serve, flightdesk-serve-ssh or the like.
var kubernetesVariable = regexp.MustCompile(`^` + settingPrefix + `([A-Z0-9_]+_)?` +
	`(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)=|` +
	`^` + settingPrefix + `([A-Z0-9_]+_)?PORT=(tcp|udp|sctp)://`)

// findSettings returns the variables with settingPrefix, by name. A variable that matches no flag is an
// error, because otherwise nobody would notice a mistyped name. The variables that Kubernetes sets are
// ignored.
func findSettings(flags *pflag.FlagSet, environment []string) (map[string]string, error) {
	known := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) { known[settingVariable(f.Name)] = f.Name != "help" })
	found := map[string]string{}
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, settingPrefix) {
			continue
		}
		if known[name] {
			found[name] = value
			continue
		}
		if !kubernetesVariable.MatchString(pair) {
			return nil, fmt.Errorf("%s sets no flag of serve; remove it, or correct its name", format.Clean(name))
		}
	}
	return found, nil
}

// readSettings returns the values in the file of --settings, by the name of the flag. The
// result is empty if file is "".
func readSettings(flags *pflag.FlagSet, file string) (map[string]any, error) {
	settings := map[string]any{}
	if file == "" {
		return settings, nil
	}
	content, err := atomicfile.ReadSettings(file)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	if _, err := toml.Decode(string(content), &settings); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if flags.Lookup(name) == nil || name == "settings" || name == "help" {
			return nil, fmt.Errorf("%s: serve has no flag --%s", file, name)
		}
	}
	return settings, nil
}

// readCertificate reads a certificate and its key from PEM files.
func readCertificate(certFile, keyFile string) (pair tls.Certificate, err error) {
	cert, err := atomicfile.ReadSettings(certFile)
	if err != nil {
		return pair, err
	}
	key, err := atomicfile.ReadSettings(keyFile)
	if err != nil {
		return pair, err
	}
	return tls.X509KeyPair(cert, key)
}

// certificateFiles is the certificate of the service. It is reloaded when its files change.
type certificateFiles struct {
	cert, key string // paths
	log       *slog.Logger

	mu     sync.Mutex // guards the fields below
	loaded *tls.Certificate
	state  string // state of both files when they were last read
}

// load returns the certificate, and reloads it if its files have changed. If they cannot be read, it
// returns the previous certificate, or an error if there is none.
func (c *certificateFiles) load(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := fileState(c.cert) + fileState(c.key)
	if state == c.state {
		return c.loaded, nil
	}
	c.state = state
	certificate, err := readCertificate(c.cert, c.key)
	if err != nil {
		if c.loaded == nil {
			return nil, err
		}
		c.log.Warn("the certificate cannot be reloaded; the earlier one is used", "error", err)
		return c.loaded, nil
	}
	if c.loaded != nil {
		c.log.Info("the certificate was reloaded", "file", c.cert)
	}
	c.loaded = &certificate
	return c.loaded, nil
}

// fileState returns a text that changes if a file changes: its modification time and size, or the error if
// they cannot be read.
func fileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size(), " ")
}

// setKeepLogs parses the value of --keep-logs, a duration such as 90d. It fails if the duration
// is shorter than a day and not 0.
func (f *serveFlags) setKeepLogs(text string) error {
	duration, err := api.ParseDuration(text)
	if err != nil {
		return err
	}
	if duration != 0 && duration < 24*time.Hour {
		return errors.New("must be at least 1d")
	}
	f.KeepLogs = duration
	return nil
}

// addNetworks returns a function that parses networks separated by commas and appends them to
// a slice.
func addNetworks(networks *[]netip.Prefix) func(string) error {
	return func(text string) error {
		for network := range strings.SplitSeq(text, ",") {
			prefix, err := netip.ParsePrefix(network)
			if err != nil {
				return errors.New("use a network such as 127.0.0.0/8")
			}
			*networks = append(*networks, prefix.Masked())
		}
		return nil
	}
}

// listScenarios is the value of --scenario that lists the built-in scenarios.
const listScenarios = "list"

const simulatorUsage = "speed of the simulator; 3600 does what happens in an hour in a second, the clock is unchanged; "

// addWorld adds the flags of a demo. The default of --simulate is the speed in the server.
func (d *localService) addWorld(cmd *cobra.Command) {
	d.SSH.addFlags(cmd)
	flagTable{
		"scenario,scenario to play, as a built-in name or a file; list shows the names":   &d.Script,
		"demo-orders,number of additional orders in the first account":                    &d.DemoOrders,
		"demo-file-size,size of generated delivery files, such as 20MB; small if omitted": d.setFileSize,
		"simulate," + simulatorUsage + "0 is off":                                         &d.Simulate,
	}.addTo(cmd)
	_ = cmd.RegisterFlagCompletionFunc(
		"scenario",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(scenario.BuiltinNames(), listScenarios), cobra.ShellCompDirectiveDefault
		},
	)
}

// printScenarios prints the built-in scenarios, and the events that a file with a scenario can have.
func printScenarios(out io.Writer) error {
	_, err := fmt.Fprintf(
		out,
		"A file has a line for each event: its time since the start, such as 90m or 1d6h, and one of\n\n%s\nBuilt in are\n\n",
		scenario.EventHelp(),
	)
	if err != nil {
		return err
	}
	for _, name := range scenario.BuiltinNames() {
		s, err := scenario.Load(name)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%-15s %s\n", name, s.Title); err != nil {
			return err
		}
	}
	return nil
}

// ReadScenario loads the scenario of --scenario, if set. Because the simulator plays its
// events, it also turns the simulator on at the demo's speed, unless --simulate is set.
func (d *localService) ReadScenario(cmd *cobra.Command) error {
	if d.Script == "" {
		return nil
	}
	if !cmd.Flags().Changed("simulate") {
		d.Simulate = ops.DemoSpeed
	}
	loaded, err := scenario.Load(d.Script)
	if err != nil {
		return fmt.Errorf("--scenario: %w", err)
	}
	d.Scenario = loaded
	return nil
}

// checkWorld returns an error if a flag of the demo is out of its range or needs --demo.
func (d *localService) checkWorld() error {
	if err := d.SSH.checkFlags(d.Demo); err != nil {
		return err
	}
	return flagRules{
		{d.Script != "" && !d.Demo, "--scenario needs --demo"},
		{
			d.DemoOrders < 0 || d.DemoOrders > server.MaxDemoOrders,
			fmt.Sprint("--demo-orders must be from 0 to ", server.MaxDemoOrders),
		},
		{
			!isRate(d.Simulate, ops.MinSpeed, ops.MaxSpeed),
			fmt.Sprintf("--simulate must be from %v to %s, or 0 for off", ops.MinSpeed, format.GroupDigits(ops.MaxSpeed, 0)),
		},
	}.check()
}

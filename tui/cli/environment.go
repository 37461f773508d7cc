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

// settingPrefix begins the variables that set flags of serve.
const settingPrefix = "FLIGHTDESK_SERVE_"

// settingVariable returns the variable that sets a flag of serve.
func settingVariable(flag string) string {
	return settingPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// applySettings sets the flags that the command line does not: from the variables of the
// environment such as FLIGHTDESK_SERVE_ADDR=:80, and what is left from the file of --settings.
func applySettings(cmd *cobra.Command, environment []string) (err error) {
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
	flags.VisitAll(func(f *pflag.Flag) {
		source, value := f.Name+" in "+file, settings[f.Name]
		variable := settingVariable(f.Name)
		if text, found := variables[variable]; found {
			source, value = variable, text
		}
		if value == nil || f.Changed || f.Name == "help" {
			return
		}
		values, several := value.([]any)
		if !several {
			values = []any{value}
		}
		for _, each := range values { // which may be secret
			if cmd.Flags().Set(f.Name, fmt.Sprint(each)) != nil {
				err = cmp.Or(err, fmt.Errorf("%s is not a valid value of --%s", source, f.Name))
			}
		}
	})
	return err
}

// kubernetesVariable matches the variables that Kubernetes sets in every container for a
// service called flightdesk-serve, or flightdesk-serve-ssh and so on.
var kubernetesVariable = regexp.MustCompile(`^` + settingPrefix + `([A-Z0-9_]+_)?` +
	`(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)=|` +
	`^` + settingPrefix + `([A-Z0-9_]+_)?PORT=(tcp|udp|sctp)://`)

// findSettings returns the variables of an environment that set flags. A variable that
// sets none is an error: a mistyped name must not leave a service without its setting.
// The variables of Kubernetes are ignored.
func findSettings(flags *pflag.FlagSet, environment []string) (map[string]string, error) {
	known := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) { known[settingVariable(f.Name)] = f.Name != "help" })
	found := map[string]string{}
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case !strings.HasPrefix(name, settingPrefix):
		case !known[name] && kubernetesVariable.MatchString(pair):
		case !known[name]:
			return nil, fmt.Errorf("%s sets no flag of serve; remove it, or correct its name", format.Clean(name))
		default:
			found[name] = value
		}
	}
	return found, nil
}

// readSettings reads the flags in the file of --settings; "" has none.
func readSettings(flags *pflag.FlagSet, file string) (map[string]any, error) {
	settings := map[string]any{}
	if file == "" {
		return settings, nil
	}
	content, err := atomicfile.ReadSettings(file)
	if err == nil {
		_, err = toml.Decode(string(content), &settings)
	}
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if flags.Lookup(name) == nil || name == "settings" || name == "help" {
			return nil, fmt.Errorf("%s: serve has no flag --%s", file, name)
		}
	}
	return settings, nil
}

// readCertificate reads a certificate and its key.
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

// certificateFiles are the certificate of the service, loaded again when its files change.
type certificateFiles struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	state  string // of the files when they were loaded, or could not be
}

// load returns the certificate; where the new files do not fit, that of the old ones.
func (c *certificateFiles) load(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := fileState(c.cert) + fileState(c.key)
	if state == c.state {
		return c.loaded, nil
	}
	c.state = state
	pair, err := readCertificate(c.cert, c.key)
	switch {
	case err != nil && c.loaded == nil:
		return nil, err
	case err != nil:
		c.log.Warn("the certificate cannot be reloaded; the earlier one is used", "error", err)
		return c.loaded, nil
	case c.loaded != nil:
		c.log.Info("the certificate was reloaded", "file", c.cert)
	}
	c.loaded = &pair
	return c.loaded, nil
}

// fileState returns what changes when a file is replaced.
func fileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size(), " ")
}

// setKeepLogs reads a time such as 90d.
func (f *serveFlags) setKeepLogs(text string) error {
	kept, err := api.ParseDuration(text)
	if err == nil && kept != 0 && kept < 24*time.Hour {
		err = errors.New("must be at least 1d")
	}
	f.KeepLogs = kept
	return err
}

// addNetworks returns what reads networks, and adds them.
func addNetworks(to *[]netip.Prefix) func(string) error {
	return func(text string) error {
		for network := range strings.SplitSeq(text, ",") {
			prefix, err := netip.ParsePrefix(network)
			if err != nil {
				return errors.New("use a network such as 127.0.0.0/8")
			}
			*to = append(*to, prefix.Masked())
		}
		return nil
	}
}

// listScenarios stands for the names of the built-in scenarios.
const listScenarios = "list"

const simulatorUsage = "speed of the simulator; 3600 does what happens in an hour in a second, the clock is unchanged; "

// addWorld adds the flags of a demo. The speed of the server is the one without a flag.
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

// ListScenarios prints the built-in scenarios, and what a file can have, if the flag asks for them.
func (d *localService) ListScenarios(out io.Writer) (bool, error) {
	if d.Script != listScenarios {
		return false, nil
	}
	_, err := fmt.Fprintf(
		out,
		"A file has a line for each event: its time since the start, such as 90m or 1d6h, and one of\n\n%s\nBuilt in are\n\n",
		scenario.EventHelp(),
	)
	for _, name := range scenario.BuiltinNames() {
		s, wrong := scenario.Load(name)
		if err = errors.Join(err, wrong); err == nil {
			_, err = fmt.Fprintf(out, "%-15s %s\n", name, s.Title)
		}
	}
	return true, err
}

// ReadScenario reads the scenario. Its events need the simulator's loop, which runs at
// the demo's speed unless a speed was given.
func (d *localService) ReadScenario(cmd *cobra.Command) (err error) {
	if d.Script == "" {
		return nil
	}
	if !cmd.Flags().Changed("simulate") {
		d.Simulate = ops.DemoSpeed
	}
	if d.Scenario, err = scenario.Load(d.Script); err != nil {
		return fmt.Errorf("--scenario: %w", err)
	}
	return nil
}

// checkWorld returns an error where a flag is out of its range, or needs a demo.
func (d *localService) checkWorld() error {
	return cmp.Or(d.SSH.checkFlags(d.Demo), flagFaults{
		{d.Script != "" && !d.Demo, "--scenario needs --demo"},
		{
			d.DemoOrders < 0 || d.DemoOrders > server.MaxDemoOrders,
			fmt.Sprint("--demo-orders must be from 0 to ", server.MaxDemoOrders),
		},
		{
			!isRate(d.Simulate, ops.MinSpeed, ops.MaxSpeed),
			fmt.Sprintf("--simulate must be from %v to %s, or 0 for off", ops.MinSpeed, format.GroupDigits(ops.MaxSpeed, 0)),
		},
	}.check())
}

package cli

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/config/atomicfile"
	"flightdesk/tui/format"
)

// settingPrefix is the prefix of the environment variables that set flags of serve.
const settingPrefix = "FLIGHTDESK_SERVE_"

// settingVariable returns the name of the environment variable that sets a flag of serve.
func settingVariable(flag string) string {
	return settingPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// applySettings sets the flags that are not on the command line. It takes the value of a flag from its
// environment variable, such as FLIGHTDESK_SERVE_ADDR=:80, or otherwise from the file of --settings.
//
// After an error, applySettings still sets the other flags. It then prints a note for every flag with an old name,
// and not only for the flags before the error. It returns the first error.
func applySettings(cmd *cobra.Command, environment []string) error {
	flags := cmd.LocalFlags()
	variables, err := findSettings(flags, environment)
	if err != nil {
		return err
	}
	file := cmp.Or(flags.Lookup("settings").Value.String(), variables[settingVariable("settings")])
	values, err := readSettings(flags, file)
	if err != nil {
		return err
	}
	settings := serveSettings{variables: variables, file: file, values: values}
	var firstErr error
	for _, f := range flagsNotOnCommandLine(flags) {
		err := settings.apply(cmd, f)
		if firstErr == nil {
			firstErr = err
		}
	}
	return firstErr
}

// serveSettings are the settings of serve that are not on the command line.
type serveSettings struct {
	variables map[string]string // by the name of the variable
	file      string            // path of the file of --settings
	values    map[string]any    // values in the file, by the name of the flag
}

// apply sets a flag to the value of its environment variable, see [settingVariable]. If the variable is not set, it
// uses the value in the file that --settings names. If the file has no value either, the flag stays unchanged. If
// apply sets a flag that is an old name of another flag, it prints a note.
func (s *serveSettings) apply(cmd *cobra.Command, f *pflag.Flag) error {
	variable := settingVariable(f.Name)
	var value any
	var source string
	if text, isSet := s.variables[variable]; isSet {
		value = text
		source = variable
	} else if inFile, isSet := s.values[f.Name]; isSet {
		value = inFile
		source = f.Name + " in " + s.file
	} else {
		return nil
	}
	if err := setFlag(cmd, f.Name, value, source); err != nil {
		return err
	}
	if f.Deprecated != "" && f.Changed { // an empty list in the file changes nothing
		fmt.Fprintf(cmd.ErrOrStderr(), "--%s is an old name, %s\n", f.Name, f.Deprecated)
	}
	return nil
}

// flagsNotOnCommandLine returns the flags that are not set, except --help.
func flagsNotOnCommandLine(flags *pflag.FlagSet) []*pflag.Flag {
	var unset []*pflag.Flag
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed && f.Name != "help" {
			unset = append(unset, f)
		}
	})
	return unset
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
var kubernetesVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^` + settingPrefix + `([A-Z0-9_]+_)?` +
		`(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)=|` +
		`^` + settingPrefix + `([A-Z0-9_]+_)?PORT=(tcp|udp|sctp)://`)
})

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
		if !kubernetesVariable().MatchString(pair) {
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

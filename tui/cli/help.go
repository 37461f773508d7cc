package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// The library that prints the help uses so many cells of the terminal, and cuts
// examples that are longer by so many.
const (
	widestHelp = 120
	helpMargin = 8
)

// completeHelp has the help of each command below root show its examples in full,
// and name what the command reads.
func completeHelp(root, cmd *cobra.Command) {
	if cmd.Flags().Lookup("help") == nil {
		cmd.Flags().BoolP("help", "h", false, "show this help")
	}
	for _, sub := range cmd.Commands() {
		completeHelp(root, sub)
		sub.SetHelpFunc(func(cmd *cobra.Command, args []string) {
			width := run.TerminalWidth(os.Stdout)
			if width == 0 || width > widestHelp {
				width = widestHelp
			}
			cmd.Example = wrapExample(cmd.Example, width-helpMargin)
			if reads := readsOf(cmd); reads != "" {
				cmd.Long = strings.TrimSpace(cmd.Long + "\n\n" + reads)
			}
			root.HelpFunc()(cmd, args)
		})
	}
}

// What commands read besides their arguments, as their help says it.
const (
	readsFile    = "Reads the configuration file, or the one named by FLIGHTDESK_CONFIG."
	readsProfile = "Reads the configuration file, or the one named by FLIGHTDESK_CONFIG, and the profile's key."
	ofService    = "FLIGHTDESK_BASE_URL, FLIGHTDESK_LEGACY_BASE_URL and FLIGHTDESK_API_KEY override the profile."
	ofOperations = "FLIGHTDESK_OPS_URL and FLIGHTDESK_OPS_KEY override the operations API."
	ofEndpoint   = "With --endpoint, reads the configuration file, or the one named by FLIGHTDESK_CONFIG, and the secret in the keyring."
	debugs       = "FLIGHTDESK_DEBUG=api prints the requests."
	decisionLog  = "Reads the decision log (decisions.jsonl in the state folder)."
	dataFolder   = "Without --data, the data folder is server in the state folder."
	stateFolder  = "Keeps drafts, views and offline data in the state folder; flightdesk config path --output json prints it."
	colours      = "NO_COLOR and TERM=dumb turn colours off."
)

// reads says what each command reads; one that is not in it reads what the command
// above it does.
var reads = map[string][]string{
	"":               {readsProfile, ofService, ofOperations, stateFolder},
	"parse":          {readsProfile, ofService, debugs},
	"template":       {readsProfile, ofService, debugs},
	"place":          {readsProfile, ofService, debugs},
	"list":           {readsProfile, ofService, ofOperations, debugs},
	"order":          {readsProfile, ofService, debugs},
	"mission":        {readsProfile, ofService, debugs},
	"quote":          {readsProfile, ofService, debugs, decisionLog},
	"fetch":          {readsProfile, ofService, debugs},
	"timeline":       {readsProfile, ofService, ofOperations, debugs, decisionLog},
	"inspect":        {readsProfile, ofService, ofOperations, debugs, decisionLog},
	"webhook":        {readsProfile, ofService, debugs},
	"webhook test":   {ofEndpoint},
	"webhook verify": {ofEndpoint},
	"listen":         {readsProfile, ofService, ofOperations, debugs},
	"demo":           {},
	"serve": {
		"Reads FLIGHTDESK_OPS_KEY, PGPASSWORD, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
		dataFolder,
	},
	"backup":          {dataFolder},
	"restore":         {dataFolder},
	"ops":             {readsProfile, ofOperations, debugs},
	"login":           {readsProfile, ofService, debugs},
	"logout":          {"Changes the configuration file, or the one named by FLIGHTDESK_CONFIG."},
	"profiles":        {readsFile, ofService, ofOperations},
	"profiles rename": {"Changes the configuration file, or the one named by FLIGHTDESK_CONFIG."},
	"profiles edit":   {"Changes the configuration file, or the one named by FLIGHTDESK_CONFIG."},
	"config path":     {"Reads FLIGHTDESK_CONFIG."},
	"config":          {readsFile, ofService, ofOperations},
	"config check":    {readsProfile, ofService, ofOperations},
	"doctor":          {readsProfile, ofService, ofOperations, debugs},
	"about":           {},
	"version":         {},
	"man":             {},
	"completion":      {},
}

// readsOf names the variables and files that a command reads, "" for none.
func readsOf(cmd *cobra.Command) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	all, known := reads[path]
	for above := path; !known; all, known = reads[above] {
		above = above[:max(0, strings.LastIndexByte(above, ' '))]
	}
	all = slices.Clone(all)
	if cmd.LocalFlags().Lookup("output") != nil || cmd.LocalFlags().Lookup("plain") != nil {
		all = append(all, colours)
	}
	return strings.Join(all, " ")
}

// wrapExample continues lines of an example that are too wide on the next one, as
// the shell reads them. A word in quotes stays whole.
func wrapExample(example string, width int) string {
	var lines []string
	for line := range strings.Lines(example) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			for _, part := range layout.Wrap(strings.TrimSpace(strings.TrimPrefix(line, "#")), width-2) {
				lines = append(lines, "# "+part)
			}
			continue
		}
		lines = append(lines, continued(line, width)...)
	}
	return strings.Join(lines, "\n")
}

// continued returns the lines of a command, all but the last with a backslash.
func continued(line string, width int) (lines []string) {
	if layout.Width(line) <= width {
		return []string{line}
	}
	const end = 4 // cells of the indent and of what ends a line
	current := ""
	for _, word := range shellWordsOf(line) {
		if current != "" && layout.Width(current)+1+layout.Width(word) > width-end {
			lines = append(lines, current+" \\")
			current = ""
		}
		current = strings.TrimSpace(current + " " + word)
	}
	return append(lines, current)
}

// shellWordsOf splits a command at spaces outside quotes.
func shellWordsOf(line string) (words []string) {
	quoted, start := false, 0
	for i, r := range line + " " {
		switch {
		case r == '"':
			quoted = !quoted
		case r == ' ' && !quoted:
			if i > start {
				words = append(words, line[start:i])
			}
			start = i + 1
		}
	}
	return words
}

// inWords says of a flag's value what is wrong with it, without the library's
// names for it.
func inWords(err error) error {
	var wrong *pflag.InvalidValueError
	var number *strconv.NumError
	switch {
	case !errors.As(err, &wrong):
		return err
	case !errors.As(err, &number):
		return fmt.Errorf("--%s %q is not valid: %w", wrong.GetFlag().Name, wrong.GetValue(), wrong.Unwrap())
	}
	kind := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false"}[wrong.GetFlag().Value.Type()]
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("--%s %s is too large", wrong.GetFlag().Name, wrong.GetValue())
	case kind == "":
		return err
	}
	return fmt.Errorf("--%s %q is not %s", wrong.GetFlag().Name, wrong.GetValue(), kind)
}

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/config"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// addCompletion adds the completion command of Cobra, with one subcommand for each shell. It redefines the commands
// in the way of all other commands. Otherwise Cobra would print the help for an unknown shell instead of an error.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, _ := root.Find([]string{"completion"}) // was just added
	cmd.Use = "completion SHELL"
	cmd.Short = "Print the completion script of a shell"
	cmd.Example = "# print the script for bash\nflightdesk completion bash"
	cmd.Long = `Prints the completion script of a shell: bash, zsh, fish or powershell. To load it in each session, add a line to the file that the shell reads
when it starts.

~/.bashrc: source <(flightdesk completion bash)

~/.zshrc: source <(flightdesk completion zsh)

~/.config/fish/config.fish: flightdesk completion fish | source

$PROFILE: flightdesk completion powershell | Out-String | Invoke-Expression`
	shells := cmd.Commands()
	for _, shell := range shells {
		defineShellCompletion(shell)
	}
	cmd.RemoveCommand(shells...) // because defineGroup adds its subcommands
	defineGroup(cmd, shells...)
}

// defineShellCompletion redefines the command of Cobra that prints the completion script of a shell. The command is
// hidden from the help, because the help of completion already names the shells.
func defineShellCompletion(cmd *cobra.Command) {
	cmd.Short = "Print the completion script for " + cmd.Name()
	cmd.Long = ""
	cmd.Example = "# print the script\nflightdesk completion " + cmd.Name()
	cmd.Hidden = true
	cmd.Args = nil
	writeScript := cmd.RunE
	cmd.RunE = nil // Cobra would prefer it to Run, which defineCommand sets
	defineCommand(cmd, func(c *Call) error { return writeScript(c.Cmd, c.Args) })
}

// maxNames is the largest number of names that are stored for completion.
const maxNames = 500

// codePattern matches the codes of orders and missions.
var codePattern = regexp.MustCompile(`^(ORD|MSN)-[0-9]{1,18}$`)

// The kinds of names for completion. Codes of orders and missions begin with their kind.
const (
	kindOrder    = "ORD"
	kindMission  = "MSN"
	kindQuote    = "quote"
	kindEndpoint = "endpoint"
	kindAccount  = "account"
)

// nameCollector collects the names in the responses of this run, for completion in the shell.
type nameCollector struct {
	mu    sync.Mutex
	lines []string // lines of the file: kind, name and description, separated by tabs
}

// AddCodes adds codes of orders and missions. The codes come from the service and are not trusted: texts that
// do not look like a code are ignored, because the shell would insert them into the command line.
func (n *nameCollector) AddCodes(codes ...string) {
	for _, code := range codes {
		if codePattern.MatchString(code) {
			n.add(code[:3], code, "")
		}
	}
}

// AddRow adds the names of an object in a response, such as the code of an order and the codes of its missions.
// Objects of other types are ignored.
func (n *nameCollector) AddRow(row any) {
	switch r := row.(type) {
	case *api.Order:
		n.AddCodes(r.OrderCode)
		for _, m := range r.Missions {
			n.AddCodes(m.MissionCode)
		}
	case *ops.Order:
		n.AddCodes(r.OrderCode)
		for _, m := range r.Missions {
			n.AddCodes(m.MissionCode)
		}
	case *api.OrderRecord:
		n.AddCodes(r.OrderCode)
	case *api.Mission:
		n.AddCodes(r.OrderCode, r.MissionCode)
	case *api.WebhookEndpoint:
		n.add(kindEndpoint, r.UUID, r.URL)
	case *ops.Account:
		n.add(kindAccount, r.CompanyName, r.UUID)
	case *columns.ListedQuote:
		n.add(kindQuote, r.QuoteID, r.OrderCode+" "+r.QuoteName)
	}
}

// add adds a name with its description. It ignores empty names, and all names after the first maxNames.
func (n *nameCollector) add(kind, name, description string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if name == "" || len(n.lines) >= maxNames {
		return
	}
	n.lines = append(n.lines, kind+"\t"+format.Clean(name)+"\t"+format.Clean(description))
}

// namesFile returns the path of the file with the names of a profile.
func (p *program) namesFile(profile string) string {
	return filepath.Join(p.Env.Dirs.State, "codes", profile+".txt")
}

// saveNames stores the names of this run in front of the names of earlier runs. Errors are ignored,
// because completion is only a convenience.
func (c *Call) saveNames() {
	profile := c.Service.StateName()
	if len(c.Names.lines) == 0 || profile == "" || !filepath.IsLocal(profile) {
		return
	}
	if c.Service.Client == nil {
		profile = withOpsSuffix(profile)
	}
	lines := c.Names.lines
	for _, earlier := range c.program.loadNames(profile) {
		if len(lines) < maxNames && !slices.Contains(lines, earlier) {
			lines = append(lines, earlier)
		}
	}
	path := c.program.namesFile(profile)
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
	}
}

// loadNames reads the file with the names of a profile and returns its lines. Damaged lines are left out. Without a
// file it returns nothing.
func (p *program) loadNames(profile string) []string {
	data, _ := os.ReadFile(p.namesFile(profile))
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool {
		return strings.Count(line, "\t") != 2
	})
}

// withOpsSuffix adds a suffix to the name of a profile, for the file with the names that the operations API returned.
// They are stored separately from the names of the profile's account, because they belong to all accounts.
func withOpsSuffix(profile string) string { return profile + ".ops" }

// argumentKinds says with which kinds of stored names an argument is completed. The keys are the names of arguments
// in Cobra's Use: the argument ORDER, for example, is completed with the codes of orders.
var argumentKinds = map[string][]string{
	"ACCOUNT":  {kindAccount},
	"CODE":     {kindOrder, kindMission},
	"ENDPOINT": {kindEndpoint},
	"ORDER":    {kindOrder},
	"MISSION":  {kindMission},
	"QUOTE":    {kindQuote},
	"NAME":     {kindOrder, kindMission, kindEndpoint},
}

// completeArguments completes the next argument of a command with stored names. The use of the
// command, such as "accept ORDER QUOTE", says which kind of name it is. No request is sent.
func completeArguments(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := strings.Fields(cmd.Use)
	next := len(args) + 1
	argument := strings.Trim(words[min(next, len(words)-1)], "[].")
	if argument == "FILE" || argument == "FOLDER" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if next >= len(words) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if argument == "PROFILE" {
		return completeProfiles(cmd, args, typed)
	}
	return programOf(cmd).completeNames(cmd, args, typed, argumentKinds[argument])
}

// completeNames completes a typed text with stored names of the given kinds. If the first argument is an order, only
// the quotes of that order are offered.
func (p *program) completeNames(
	cmd *cobra.Command, args []string, typed string, kinds []string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	flag, _ := cmd.Flags().GetString("profile")
	s, err := p.Resolve(flag, true)
	if err != nil || !filepath.IsLocal(s.StateName()) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	profile := s.StateName()
	if strings.Contains(cmd.CommandPath(), " ops ") {
		profile = withOpsSuffix(profile)
	}
	order := ""
	if len(args) > 0 {
		order = orderCode(args[0])
	}
	found := matchNames(p.loadNames(profile), kinds, typed, order)
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeFlag makes the shell complete the value of a flag with stored names of the given kinds.
func completeFlag(cmd *cobra.Command, flag string, kinds ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return programOf(cmd).completeNames(cmd, nil, typed, kinds)
	})
}

// matchNames returns the names of the given kinds that begin with the typed text, ignoring case, with their
// descriptions. If order is not "", quotes of other orders do not match.
func matchNames(lines, kinds []string, typed, order string) []cobra.Completion {
	var found []cobra.Completion
	for _, line := range lines {
		kind, completion, _ := strings.Cut(line, "\t")
		name, description, _ := strings.Cut(completion, "\t")
		if !slices.Contains(kinds, kind) || !strings.HasPrefix(strings.ToUpper(name), strings.ToUpper(typed)) {
			continue
		}
		isOfOtherOrder := kind == kindQuote && order != "" && !strings.HasPrefix(description, order+" ")
		if !isOfOtherOrder {
			found = append(found, strings.TrimSpace(completion))
		}
	}
	return found
}

// completeProfiles completes the names of the configured profiles.
func completeProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	c, err := config.Load(config.SystemEnv())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return profileNames(c), cobra.ShellCompDirectiveNoFileComp
}

func profileNames(c *config.Config) []string {
	var names []string
	for _, profile := range c.Profiles {
		names = append(names, profile.Name)
	}
	return names
}

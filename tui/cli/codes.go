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

const maxCodes = 500 // that are offered to complete

// CodeForm matches the codes of orders and missions.
var CodeForm = regexp.MustCompile(`^(ORD|MSN)-[0-9]{1,18}$`)

// NameKind is what a name that is offered to complete stands for.
type NameKind string

// The kinds. Codes are kept for themselves, other names with what they are.
const (
	Orders    NameKind = "ORD"
	Missions  NameKind = "MSN"
	Quotes    NameKind = "quote"
	Endpoints NameKind = "endpoint"
	Accounts  NameKind = "account"
)

// SeenNames are the names in the answers of this run.
type SeenNames struct {
	mu    sync.Mutex
	names []string // lines of the file
}

// NoteCode keeps codes to be offered to the shell later. What is none is dropped:
// it comes from outside and goes to a shell.
func (s *SeenNames) NoteCode(codes ...string) {
	for _, code := range codes {
		if CodeForm.MatchString(code) {
			s.keepLine(code)
		}
	}
}

// NoteRow keeps the names of a row of a list, and those of an order's missions.
func (s *SeenNames) NoteRow(row any) {
	switch r := row.(type) {
	case *api.Order:
		s.NoteCode(r.OrderCode)
		for _, m := range r.Missions {
			s.NoteCode(m.MissionCode)
		}
	case *ops.Order:
		s.NoteCode(r.OrderCode)
		for _, m := range r.Missions {
			s.NoteCode(m.MissionCode)
		}
	case *api.OrderRecord:
		s.NoteCode(r.OrderCode)
	case *api.Mission:
		s.NoteCode(r.OrderCode, r.MissionCode)
	case *api.WebhookEndpoint:
		s.noteName(Endpoints, r.UUID, r.URL)
	case *ops.Account:
		s.noteName(Accounts, r.CompanyName, r.UUID)
	case *columns.ListedQuote:
		s.noteName(Quotes, r.QuoteID, r.OrderCode+" "+r.QuoteName)
	}
}

// noteName keeps a name and what is said of it.
func (s *SeenNames) noteName(kind NameKind, name, about string) {
	line := string(kind) + "\t" + format.Clean(name) + "\t" + format.Clean(about)
	if name != "" && strings.Count(line, "\t") == 2 {
		s.keepLine(line)
	}
}

func (s *SeenNames) keepLine(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.names) < maxCodes {
		s.names = append(s.names, line)
	}
}

// codesFile has the names of the last answers of a service, by profile.
func (p *Program) codesFile(store string) string {
	return filepath.Join(p.Env.Dirs.State, "codes", store+".txt")
}

// rememberNames keeps the names of this run's answers before those of earlier runs. It
// is a convenience: where it cannot be written, nothing is said.
func (c *Call) rememberNames() {
	store, s := c.StateName(), &c.Seen
	if c.Client == nil {
		store = opsStore(store)
	}
	if len(s.names) == 0 || store == "" || !filepath.IsLocal(store) {
		return
	}
	names := s.names
	for _, old := range c.rememberedNames(store) {
		if len(names) < maxCodes && !slices.Contains(names, old) {
			names = append(names, old)
		}
	}
	path := c.codesFile(store)
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = os.WriteFile(path, []byte(strings.Join(names, "\n")+"\n"), 0o600)
	}
}

func (p *Program) rememberedNames(store string) []string {
	data, err := os.ReadFile(p.codesFile(store))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool {
		return !CodeForm.MatchString(line) && strings.Count(line, "\t") != 2
	})
}

// opsStore returns where the names of the answers of a profile's operations API are
// kept: they are those of all accounts.
func opsStore(profile string) string { return profile + ".ops" }

// argumentKinds are the kinds of the names that arguments are completed with.
var argumentKinds = map[string][]NameKind{
	"ACCOUNT":  {Accounts},
	"CODE":     {Orders, Missions},
	"ENDPOINT": {Endpoints},
	"ORDER":    {Orders},
	"MISSION":  {Missions},
	"QUOTE":    {Quotes},
	"NAME":     {Orders, Missions, Endpoints},
}

// completeArguments completes an argument by its name in the use of the command, with
// names of the last answers. It asks no service.
func (p *Program) completeArguments(
	cmd *cobra.Command,
	args []string,
	typed string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := strings.Fields(cmd.Use)[1:]
	if len(names) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	switch name := strings.Trim(names[min(len(args), len(names)-1)], "[]."); name {
	case "FILE", "FOLDER":
		return nil, cobra.ShellCompDirectiveDefault
	case "PROFILE":
		return p.completeProfiles(cmd, args, typed)
	default:
		if len(args) >= len(names) {
			name = ""
		}
		return p.complete(cmd, args, typed, argumentKinds[name])
	}
}

// complete completes with names of some kinds; quotes are those of the first argument.
func (p *Program) complete(
	cmd *cobra.Command,
	args []string,
	typed string,
	kinds []NameKind,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	none := cobra.ShellCompDirectiveNoFileComp
	profile, _ := cmd.Flags().GetString("profile")
	s, err := p.Resolve(profile, true)
	if err != nil || !filepath.IsLocal(s.StateName()) {
		return nil, none
	}
	store, order := s.StateName(), ""
	if strings.Contains(cmd.CommandPath(), " ops ") {
		store = opsStore(store)
	}
	if len(args) > 0 {
		order = OrderCode(args[0])
	}
	return matchingNames(
		p.rememberedNames(store),
		kinds,
		typed,
		order,
	), none | cobra.ShellCompDirectiveKeepOrder
}

// CompleteFlag completes a flag with names of some kinds, whatever the arguments.
func (p *Program) CompleteFlag(cmd *cobra.Command, flag string, kinds ...NameKind) {
	complete := func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return p.complete(cmd, nil, typed, kinds)
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, complete)
}

// matchingNames returns the names of some kinds that begin with what is typed; quotes are
// those of an order, where one is named.
func matchingNames(names []string, kinds []NameKind, typed, order string) (found []cobra.Completion) {
	for _, line := range names {
		kind, rest, described := strings.Cut(line, "\t")
		if !described {
			kind, rest = line[:3], line
		}
		name, about, _ := strings.Cut(rest, "\t")
		of, _, _ := strings.Cut(about, " ")
		switch {
		case !slices.Contains(kinds, NameKind(kind)) || !strings.HasPrefix(strings.ToUpper(name), strings.ToUpper(typed)):
		case NameKind(kind) == Quotes && order != "" && of != order:
		case described:
			found = append(found, cobra.CompletionWithDesc(name, about))
		default:
			found = append(found, name)
		}
	}
	return found
}

// CompleteProfileFlags has every --profile completed.
func (p *Program) CompleteProfileFlags(cmd *cobra.Command) {
	if cmd.LocalFlags().Lookup("profile") != nil {
		_ = cmd.RegisterFlagCompletionFunc("profile", p.completeProfiles)
	}
	for _, sub := range cmd.Commands() {
		p.CompleteProfileFlags(sub)
	}
}

// completeProfiles completes the names of the configured profiles.
func (p *Program) completeProfiles(
	*cobra.Command,
	[]string,
	string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if c, err := config.Load(p.Env); err == nil {
		for _, profile := range c.Profiles {
			names = append(names, profile.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

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

// codeForm matches the codes of orders and missions.
var codeForm = regexp.MustCompile(`^(ORD|MSN)-[0-9]{1,18}$`)

// nameKind is what a name that is offered to complete stands for.
type nameKind string

// The kinds. Codes are kept for themselves, other names with what they are.
const (
	orders    nameKind = "ORD"
	missions  nameKind = "MSN"
	quotes    nameKind = "quote"
	Endpoints nameKind = "endpoint"
	accounts  nameKind = "account"
)

// seenNames are the names in the answers of this run.
type seenNames struct {
	mu    sync.Mutex
	names []string // lines of the file
}

// NoteCode keeps codes to be offered to the shell later. What is none is dropped:
// it comes from outside and goes to a shell.
func (s *seenNames) NoteCode(codes ...string) {
	for _, code := range codes {
		if codeForm.MatchString(code) {
			s.keepLine(code)
		}
	}
}

// NoteRow keeps the names of a row of a list, and those of an order's missions.
func (s *seenNames) NoteRow(row any) {
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
		s.noteName(accounts, r.CompanyName, r.UUID)
	case *columns.ListedQuote:
		s.noteName(quotes, r.QuoteID, r.OrderCode+" "+r.QuoteName)
	}
}

// noteName keeps a name and what is said of it.
func (s *seenNames) noteName(kind nameKind, name, about string) {
	line := string(kind) + "\t" + format.Clean(name) + "\t" + format.Clean(about)
	if name != "" && strings.Count(line, "\t") == 2 {
		s.keepLine(line)
	}
}

func (s *seenNames) keepLine(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.names) < maxCodes {
		s.names = append(s.names, line)
	}
}

// codesFile has the names of the last answers of a service, by profile.
func (p *program) codesFile(store string) string {
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

func (p *program) rememberedNames(store string) []string {
	data, err := os.ReadFile(p.codesFile(store))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool {
		return !codeForm.MatchString(line) && strings.Count(line, "\t") != 2
	})
}

// opsStore returns where the names of the answers of a profile's operations API are
// kept: they are those of all accounts.
func opsStore(profile string) string { return profile + ".ops" }

// argumentKinds are the kinds of the names that arguments are completed with.
var argumentKinds = map[string][]nameKind{
	"ACCOUNT":  {accounts},
	"CODE":     {orders, missions},
	"ENDPOINT": {Endpoints},
	"ORDER":    {orders},
	"MISSION":  {missions},
	"QUOTE":    {quotes},
	"NAME":     {orders, missions, Endpoints},
}

// completeArguments completes an argument by its name in the use of the command, with
// names of the last answers. It asks no service.
func (p *program) completeArguments(
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
func (p *program) complete(
	cmd *cobra.Command,
	args []string,
	typed string,
	kinds []nameKind,
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
		order = orderCode(args[0])
	}
	return matchingNames(
		p.rememberedNames(store),
		kinds,
		typed,
		order,
	), none | cobra.ShellCompDirectiveKeepOrder
}

// CompleteFlag completes a flag with names of some kinds, whatever the arguments.
func (p *program) CompleteFlag(cmd *cobra.Command, flag string, kinds ...nameKind) {
	complete := func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return p.complete(cmd, nil, typed, kinds)
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, complete)
}

// matchingNames returns the names of some kinds that begin with what is typed; quotes are
// those of an order, where one is named.
func matchingNames(names []string, kinds []nameKind, typed, order string) (found []cobra.Completion) {
	for _, line := range names {
		kind, rest, described := strings.Cut(line, "\t")
		if !described {
			kind, rest = line[:3], line
		}
		name, about, _ := strings.Cut(rest, "\t")
		of, _, _ := strings.Cut(about, " ")
		switch {
		case !slices.Contains(kinds, nameKind(kind)) || !strings.HasPrefix(strings.ToUpper(name), strings.ToUpper(typed)):
		case nameKind(kind) == quotes && order != "" && of != order:
		case described:
			found = append(found, cobra.CompletionWithDesc(name, about))
		default:
			found = append(found, name)
		}
	}
	return found
}

// CompleteProfileFlags has every --profile completed.
func (p *program) CompleteProfileFlags(cmd *cobra.Command) {
	if cmd.LocalFlags().Lookup("profile") != nil {
		_ = cmd.RegisterFlagCompletionFunc("profile", p.completeProfiles)
	}
	for _, sub := range cmd.Commands() {
		p.CompleteProfileFlags(sub)
	}
}

// completeProfiles completes the names of the configured profiles.
func (p *program) completeProfiles(
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

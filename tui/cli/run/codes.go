package run

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
	"flightdesk/tui/layout"
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

// NoteCode keeps a code to be offered to the shell later. What is none is dropped:
// it comes from outside and goes to a shell.
func (s *SeenNames) NoteCode(code string) {
	if CodeForm.MatchString(code) {
		s.keepLine(code)
	}
}

// NoteQuote keeps the id of a quote of an order.
func (s *SeenNames) NoteQuote(id, order, name string) { s.noteName(Quotes, id, order+" "+name) }

// NoteEndpoint keeps the id of an endpoint.
func (s *SeenNames) NoteEndpoint(e *api.WebhookEndpoint) { s.noteName(Endpoints, e.UUID, e.URL) }

// NoteAccount keeps the company of an account.
func (s *SeenNames) NoteAccount(a *ops.Account) { s.noteName(Accounts, a.CompanyName, a.UUID) }

// NoteRow keeps the names of a row of a list, and those of an order's missions.
func (s *SeenNames) NoteRow(row any) {
	switch r := row.(type) {
	case *api.Order:
		s.NoteCode(r.OrderCode)
		for _, m := range r.Missions {
			s.NoteCode(m.MissionCode)
		}
	case *ops.Order:
		s.NoteRow(&r.Order)
	case *api.OrderRecord:
		s.NoteCode(r.OrderCode)
	case *api.Mission:
		s.NoteCode(r.OrderCode)
		s.NoteCode(r.MissionCode)
	case *api.WebhookEndpoint:
		s.NoteEndpoint(r)
	case *ops.Account:
		s.NoteAccount(r)
	case *columns.ListedQuote:
		s.NoteQuote(r.QuoteID, r.OrderCode, r.QuoteName)
	}
}

// noteName keeps a name and what is said of it.
func (s *SeenNames) noteName(kind NameKind, name, about string) {
	line := string(kind) + "\t" + layout.Clean(name) + "\t" + layout.Clean(about)
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

// RememberNames keeps the names of this run's answers.
func (p *Program) RememberNames(o *OnlineService) { p.RememberAs(o.StateName(), &o.Seen) }

// RememberAs keeps names before those of earlier runs. It is a convenience:
// where it cannot be written, nothing is said.
func (p *Program) RememberAs(store string, s *SeenNames) {
	if len(s.names) == 0 || store == "" || !filepath.IsLocal(store) {
		return
	}
	names := s.names
	for _, old := range p.rememberedNames(store) {
		if len(names) < maxCodes && !slices.Contains(names, old) {
			names = append(names, old)
		}
	}
	path := p.codesFile(store)
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

// CompleteArguments completes each argument with the names of the last answers that are of
// its kinds. It asks no service.
func (p *Program) CompleteArguments(arguments ...[]NameKind) cobra.CompletionFunc {
	return p.CompleteOf(OwnStore, arguments...)
}

// CompleteOf completes names as [Program.Complete] does, of what a profile has them
// kept as.
func (p *Program) CompleteOf(store func(profile string) string, arguments ...[]NameKind) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		none := cobra.ShellCompDirectiveNoFileComp
		c, err := config.Load(p.Env)
		if err != nil || len(args) >= len(arguments) {
			return nil, none
		}
		name, _ := cmd.Flags().GetString("profile")
		s, err := c.ResolveOps(name)
		if err != nil || !filepath.IsLocal(s.StateName()) {
			return nil, none
		}
		order := ""
		if len(args) > 0 {
			order = OrderCode(args[0])
		}
		found := matchingNames(p.rememberedNames(store(s.StateName())), arguments[len(args)], typed, order)
		return found, none | cobra.ShellCompDirectiveKeepOrder
	}
}

// CompleteFlag completes a flag with names of some kinds, whatever the arguments.
func (p *Program) CompleteFlag(store func(profile string) string, kinds ...NameKind) cobra.CompletionFunc {
	complete := p.CompleteOf(store, kinds)
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return complete(cmd, nil, typed)
	}
}

// OwnStore returns where the names of the answers of a profile's account are kept.
func OwnStore(profile string) string { return profile }

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
		_ = cmd.RegisterFlagCompletionFunc("profile", p.CompleteProfiles)
	}
	for _, sub := range cmd.Commands() {
		p.CompleteProfileFlags(sub)
	}
}

// CompleteProfiles completes the names of the configured profiles.
func (p *Program) CompleteProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if c, err := config.Load(p.Env); err == nil {
		for _, profile := range c.Profiles {
			names = append(names, profile.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

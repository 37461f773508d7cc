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

// The kinds of names that are offered to complete.
const (
	orders    = "ORD"
	missions  = "MSN"
	quotes    = "quote"
	Endpoints = "endpoint"
	accounts  = "account"
)

// seenNames collects the names in the responses of this run, for completion in the shell.
type seenNames struct {
	mu    sync.Mutex
	names []string // lines of the file: the kind, the name and what is said of it, between tabs
}

// NoteCode adds a code to the names. A text that is not a code is ignored, because it comes from the
// service and would be passed to a shell.
func (s *seenNames) NoteCode(codes ...string) {
	for _, code := range codes {
		if codeForm.MatchString(code) {
			s.noteName(code[:3], code, "")
		}
	}
}

// NoteRow adds the names of a row of a list, and of the missions if the row is an order.
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

// noteName adds a name with its description.
func (s *seenNames) noteName(kind, name, about string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := kind + "\t" + format.Clean(name) + "\t" + format.Clean(about)
	if name != "" && len(s.names) < maxCodes {
		s.names = append(s.names, line)
	}
}

// codesFile is the content of the file with names for completion, by profile.
func (p *program) codesFile(store string) string {
	return filepath.Join(p.Env.Dirs.State, "codes", store+".txt")
}

// rememberNames stores the names of this run before the names of earlier runs. Because completion is
// only a convenience, errors are ignored.
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
	data, _ := os.ReadFile(p.codesFile(store))
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool {
		return strings.Count(line, "\t") != 2
	})
}

// opsStore returns where the names of the answers of a profile's operations API are
// kept: they are those of all accounts.
func opsStore(profile string) string { return profile + ".ops" }

// argumentKinds are the kinds of the names that arguments are completed with.
var argumentKinds = map[string][]string{
	"ACCOUNT":  {accounts},
	"CODE":     {orders, missions},
	"ENDPOINT": {Endpoints},
	"ORDER":    {orders},
	"MISSION":  {missions},
	"QUOTE":    {quotes},
	"NAME":     {orders, missions, Endpoints},
}

// completeArguments completes an argument with stored names of the kind that the use of the command
// names. It sends no request.
func completeArguments(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := strings.Fields(cmd.Use)
	switch name := strings.Trim(names[min(len(args)+1, len(names)-1)], "[]."); {
	case name == "FILE" || name == "FOLDER":
		return nil, cobra.ShellCompDirectiveDefault
	case len(args)+1 >= len(names):
		return nil, cobra.ShellCompDirectiveNoFileComp
	case name == "PROFILE":
		return completeProfiles(cmd, args, typed)
	default:
		return programOf(cmd).complete(cmd, args, typed, argumentKinds[name])
	}
}

// complete completes with names of some kinds; quotes are those of the first argument.
func (p *program) complete(cmd *cobra.Command, args []string, typed string, kinds []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	profile, _ := cmd.Flags().GetString("profile")
	s, err := p.Resolve(profile, true)
	if err != nil || !filepath.IsLocal(s.StateName()) {
		return nil, none
	}
	store := s.StateName()
	if strings.Contains(cmd.CommandPath(), " ops ") {
		store = opsStore(store)
	}
	order := orderCode(strings.Join(args[:min(1, len(args))], ""))
	return matchingNames(p.rememberedNames(store), kinds, typed, order), none | cobra.ShellCompDirectiveKeepOrder
}

// completeFlag completes a flag with names of some kinds, whatever the arguments.
func completeFlag(cmd *cobra.Command, flag string, kinds ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return programOf(cmd).complete(cmd, nil, typed, kinds)
	})
}

// matchingNames returns the names of some kinds that begin with what is typed; quotes are
// those of an order, where one is named.
func matchingNames(names, kinds []string, typed, order string) (found []cobra.Completion) {
	for _, line := range names {
		kind, described, _ := strings.Cut(line, "\t")
		name, about, _ := strings.Cut(described, "\t")
		ofAnother := kind == quotes && order != "" && !strings.HasPrefix(about, order+" ")
		if slices.Contains(kinds, kind) && strings.HasPrefix(strings.ToUpper(name), strings.ToUpper(typed)) && !ofAnother {
			found = append(found, strings.TrimSpace(described))
		}
	}
	return found
}

// completeProfiles completes the names of the configured profiles.
func completeProfiles(*cobra.Command, []string, string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	if c, err := config.Load(config.SystemEnv()); err == nil {
		names = profileNames(c)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func profileNames(c *config.Config) (names []string) {
	for _, profile := range c.Profiles {
		names = append(names, profile.Name)
	}
	return names
}

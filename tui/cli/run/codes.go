package run

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"flightdesk/config"
)

const maxCodes = 500 // that are offered to complete

// CodeForm matches the codes of orders and missions.
var CodeForm = regexp.MustCompile(`^(ORD|MSN)-[0-9]{1,18}$`)

// Seen are the codes of the answers of this run.
type Seen struct {
	mu    sync.Mutex
	codes []string
}

// Note keeps a code to be offered to the shell later. What is none is dropped:
// it comes from outside and goes to a shell.
func (s *Seen) Note(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if CodeForm.MatchString(code) && len(s.codes) < maxCodes {
		s.codes = append(s.codes, code)
	}
}

// codesFile has the codes of the last answers of a service, by profile.
func (p *Program) codesFile(store string) string {
	return filepath.Join(p.Env.Dirs.State, "codes", store+".txt")
}

// Remember keeps the codes of this run's answers.
func (p *Program) Remember(o *Online) { p.RememberAs(o.Name, &o.Seen) }

// RememberAs keeps codes before those of earlier runs. It is a convenience:
// where it cannot be written, nothing is said.
func (p *Program) RememberAs(store string, s *Seen) {
	if len(s.codes) == 0 || store == "" || !filepath.IsLocal(store) {
		return
	}
	codes := s.codes
	for _, old := range p.remembered(store) {
		if len(codes) < maxCodes && !slices.Contains(codes, old) {
			codes = append(codes, old)
		}
	}
	path := p.codesFile(store)
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = os.WriteFile(path, []byte(strings.Join(codes, "\n")+"\n"), 0o600)
	}
}

func (p *Program) remembered(store string) []string {
	data, err := os.ReadFile(p.codesFile(store))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Fields(string(data)), func(code string) bool { return !CodeForm.MatchString(code) })
}

// CompleteCodes completes the codes of the last answers that begin with one of
// the kinds, all kinds where none is named. It asks no service.
func (p *Program) CompleteCodes(kinds []string) cobra.CompletionFunc {
	return p.CompleteCodesOf(kinds, func(profile string) string { return profile })
}

// CompleteCodesOf completes codes as completeCodes does, of what a profile has
// them kept as.
func (p *Program) CompleteCodesOf(kinds []string, store func(profile string) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		none := cobra.ShellCompDirectiveNoFileComp
		c, err := config.Load(p.Env)
		if err != nil || len(args) > 0 && kinds != nil {
			return nil, none
		}
		name, _ := cmd.Flags().GetString("profile")
		s, err := c.ResolveOps(name)
		if err != nil || !filepath.IsLocal(s.Name) {
			return nil, none
		}
		var found []cobra.Completion
		for _, code := range p.remembered(store(s.Name)) {
			fits := kinds == nil || slices.Contains(kinds, code[:3])
			if fits && strings.HasPrefix(code, strings.ToUpper(typed)) {
				found = append(found, code)
			}
		}
		return found, none | cobra.ShellCompDirectiveKeepOrder
	}
}

// Completions has every --profile completed.
func (p *Program) Completions(cmd *cobra.Command) {
	if cmd.LocalFlags().Lookup("profile") != nil {
		_ = cmd.RegisterFlagCompletionFunc("profile", p.CompleteProfiles)
	}
	for _, sub := range cmd.Commands() {
		p.Completions(sub)
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

package config

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Change gives a profile of the configuration file other addresses and another
// environment; "" is none. Its name, its key and the rest of the file stay.
func (e Env) Change(ctx context.Context, p Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	path, err := e.Path()
	if err != nil {
		return err
	}
	return e.rewrite(ctx, path, func(c *Config, before []byte) ([]byte, error) {
		old, known := c.Profile(p.Name)
		if !known {
			return nil, Fault{File: path, Key: "profiles", Problem: fmt.Sprintf("no profile %q; %s", p.Name, c.known())}
		}
		text := withValues(string(before), p.Name, [][2]string{{"base_url", p.BaseURL}, {"legacy_base_url", p.LegacyBaseURL}, {"band", p.Band}})
		wanted := slices.Clone(c.Profiles)
		i := slices.IndexFunc(wanted, func(p Profile) bool { return p.Name == old.Name })
		wanted[i].BaseURL, wanted[i].LegacyBaseURL, wanted[i].Band = p.BaseURL, p.LegacyBaseURL, p.Band
		// Tables can be written in other ways than the one that is looked for.
		if after, err := parse(path, []byte(text), e); err != nil || !reflect.DeepEqual(after.Profiles, wanted) {
			return nil, fmt.Errorf("%s: profile %q has no separate table; edit it manually", path, p.Name)
		}
		return []byte(text), nil
	})
}

// withValues is a file in which the table of a profile has other values of some
// keys; "" is none.
func withValues(text, name string, values [][2]string) string {
	var kept []string
	header, inside := profileTable(name, "]"), false
	for line := range strings.Lines(text) {
		switch words := strings.TrimSpace(line); {
		case strings.HasPrefix(words, "["):
			if inside = header.MatchString(line); !inside {
				break
			}
			kept = append(kept, strings.TrimSuffix(line, "\n")+"\n")
			for _, v := range values {
				if v[1] != "" {
					kept = append(kept, fmt.Sprintf("%s = %q\n", v[0], v[1]))
				}
			}
			continue
		case inside:
			key, _, _ := strings.Cut(words, "=")
			if slices.ContainsFunc(values, func(v [2]string) bool { return v[0] == strings.TrimSpace(key) }) {
				continue
			}
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}

// profileTable matches the head of a profile's table, where one of some characters
// follows its name.
func profileTable(name, next string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(name)
	return regexp.MustCompile(`^\s*\[\s*profiles\s*\.\s*("` + quoted + `"|'` + quoted + `'|` + quoted + `)\s*[` + next + `]`)
}

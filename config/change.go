package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Change updates the name, the addresses and the environment of a profile in the
// configuration file to those of p; "" removes one. A key that [Env.Keep] stored moves
// to the new name, and key replaces it unless key is zero. Other settings, and what is
// stored for the profile, are unchanged: see [Profile.StateName].
//
// After an error nothing has changed. left explains why the key is still stored under
// the old name as well, "" if it is not.
func (e Env) Change(ctx context.Context, name string, p Profile, key Secret) (left string, err error) {
	if err := p.Validate(); err != nil {
		return "", err
	}
	path, err := e.existingPath()
	if err != nil {
		return "", err
	}
	moved := keyMove{undo: noChange, finish: noChange}
	err = e.rewriteFile(ctx, path, func(c *Config, before []byte) ([]byte, error) {
		i := slices.IndexFunc(c.Profiles, func(p Profile) bool { return p.Name == name })
		if i < 0 {
			return nil, Fault{
				File:    path,
				Key:     "profiles",
				Problem: fmt.Sprintf("no profile %q; %s", name, c.knownNames()),
			}
		}
		old := c.Profiles[i]
		now, err := c.changeProfile(old, p)
		if err != nil {
			return nil, err
		}
		text := string(before)
		if now.Name != name {
			text = withName(text, name, now.Name)
		}
		text = withValues(text, now.Name, [][2]string{
			{
				"base_url",
				now.BaseURL,
			},
			{"legacy_base_url", now.LegacyBaseURL},
			{"ops_url", now.OpsURL},
			{"band", now.Band},
			{"state", now.State},
		})
		wanted := slices.Clone(c.Profiles)
		wanted[i] = now
		after, err := parseFile(path, []byte(text), e)
		// A table can be written in ways that the pattern does not match.
		if err != nil || !reflect.DeepEqual(after.Profiles, wanted) ||
			c.DefaultProfile == name && after.DefaultProfile != now.Name {
			return nil, fmt.Errorf("%s: profile %q has no separate table; edit it manually", path, name)
		}
		moved, err = e.moveKey(ctx, c, old, now, key)
		return []byte(text), err
	})
	if err != nil {
		return "", errors.Join(err, moved.undo())
	}
	if err := moved.finish(); err != nil {
		left = oneLine(err.Error())
	}
	return left, nil
}

// changeProfile returns old with the name, addresses and environment of p.
func (c *Config) changeProfile(old, p Profile) (Profile, error) {
	now := old
	now.BaseURL, now.LegacyBaseURL, now.OpsURL, now.Band = p.BaseURL, p.LegacyBaseURL, p.OpsURL, p.Band
	if p.Name == old.Name {
		return now, nil
	}
	if _, taken := c.Profile(p.Name); taken {
		return now, Fault{Key: "name", Problem: fmt.Sprintf("a profile %q already exists; use another name", p.Name)}
	}
	if now.Name, now.State = p.Name, old.StateName(); now.State == p.Name {
		now.State = ""
	}
	switch file := keyFile(c.Path, old.Name); {
	case old.Credential.Keyring == old.Name:
		now.Credential.Keyring = p.Name
	case old.Credential.File == file:
		now.Credential.File = keyFile(c.Path, p.Name)
	default:
		return now, nil
	}
	if c.countUses(now.Credential) > 0 {
		return now, Fault{
			Key:     "name",
			Problem: fmt.Sprintf("another profile uses the key stored as %q; use another name", p.Name),
		}
	}
	return now, nil
}

// countUses returns how many profiles refer to the stored key.
func (c *Config) countUses(of Credential) (n int) {
	for _, p := range c.Profiles {
		for _, other := range []Credential{p.Credential, p.OpsCredential} {
			if !other.IsZero() && other.Keyring == of.Keyring && other.File == of.File {
				n++
			}
		}
	}
	return n
}

// keyMove is the result of storing a key in a new place.
type keyMove struct {
	undo   func() error
	finish func() error // removes the key from its old place
}

func noChange() error { return nil }

// moveKey stores the key of a profile where its changed version looks for it.
func (e Env) moveKey(ctx context.Context, c *Config, old, now Profile, key Secret) (keyMove, error) {
	m := keyMove{undo: noChange, finish: noChange}
	moves := old.Credential.Keyring != now.Credential.Keyring || old.Credential.File != now.Credential.File
	if key.IsZero() && !moves {
		return m, nil
	}
	if key.IsZero() {
		text, err := old.Credential.readSource(ctx, e)
		if err != nil {
			return m, fmt.Errorf("the key of profile %s: %w", old.Name, err)
		}
		key = NewSecret(text)
	}
	before, unread := now.Credential.readSource(ctx, e)
	if _, err := e.Replace(now, key); err != nil {
		return m, err
	}
	m.undo = func() error {
		if unread == nil {
			_, err := e.Replace(now, NewSecret(before))
			return err
		}
		_, err := e.forgetKey(now, c.Path)
		return err
	}
	if moves && c.countUses(old.Credential) == 1 {
		m.finish = func() error {
			_, err := e.forgetKey(old, c.Path)
			return err
		}
	}
	return m, nil
}

// withName returns the text of the file with a profile renamed: its table, the default
// profile and the place of its stored key.
func withName(text, from, to string) string {
	quoted := regexp.QuoteMeta(from)
	name := regexp.MustCompile(
		`^(\s*\[\s*profiles\s*\.\s*)(?:"` + quoted + `"|'` + quoted + `'|` + quoted + `)(\s*[\].])`,
	)
	isDefault := regexp.MustCompile(`^(\s*default_profile\s*=\s*)(?:"` + quoted + `"|'` + quoted + `')`)
	stored := regexp.MustCompile(
		`(\bkeyring\s*=\s*["']|\bfile\s*=\s*["'](?:[^"']*[/\\])?)` + quoted + `((?:\.key)?["'])`,
	)
	own, credential := profileTable(from, "]"), regexp.MustCompile(`\.\s*credential\s*\]`)
	var b strings.Builder
	inTable, inCredential := false, false
	for line := range strings.Lines(text) {
		words := strings.TrimSpace(line)
		key, _, _ := strings.Cut(words, "=")
		key, _, _ = strings.Cut(strings.TrimSpace(key), ".")
		switch {
		case strings.HasPrefix(words, "["):
			inTable = own.MatchString(line)
			inCredential = name.MatchString(line) && credential.MatchString(line)
			line = name.ReplaceAllString(line, "${1}"+tomlKey(to)+"${2}")
		case inCredential, inTable && key == "credential":
			line = stored.ReplaceAllString(line, "${1}"+to+"${2}")
		default:
			line = isDefault.ReplaceAllString(line, "${1}"+`"`+to+`"`)
		}
		b.WriteString(line)
	}
	return b.String()
}

// tomlKey returns a profile's name in the head of its table.
func tomlKey(name string) string {
	if strings.Contains(name, ".") {
		return `"` + name + `"`
	}
	return name
}

// withValues returns the text of the file with other values of some keys in the table
// of a profile; "" removes a key.
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

// profileTable matches the head of a profile's table, with one of the next characters
// after its name.
func profileTable(name, next string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(name)
	return regexp.MustCompile(
		`^\s*\[\s*profiles\s*\.\s*("` + quoted + `"|'` + quoted + `'|` + quoted + `)\s*[` + next + `]`,
	)
}

// StateName returns the name under which drafts, views, offline data and endpoint
// secrets of the profile are stored: the first name of the profile.
func (p Profile) StateName() string { return cmp.Or(p.State, p.Name) }

// freeState returns the State of a new profile: "" if its own name is free, otherwise
// the name with a number.
func (c *Config) freeState(name string) string {
	taken := func(state string) bool {
		return slices.ContainsFunc(c.Profiles, func(p Profile) bool { return p.StateName() == state })
	}
	state := name
	for n := 2; taken(state); n++ {
		state = fmt.Sprintf("%s-%d", name, n)
	}
	if state == name {
		return ""
	}
	return state
}

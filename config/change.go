package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Change changes the name, the addresses, the environment and the CA file of a profile in the
// configuration file to the values in p; an empty value removes the entry. It also replaces the
// API key unless key is zero. Other settings and the data stored for the profile remain: see
// [Profile.StateName]. After an error nothing has changed.
func (e Env) Change(ctx context.Context, name string, p Profile, key Secret) error {
	if err := p.Validate(); err != nil {
		return err
	}
	undo := func() error { return nil }
	err := e.rewriteProfile(ctx, name, func(c *Config, old Profile) (string, error) {
		if _, free := c.Profile(p.Name); free == nil && p.Name != name {
			return "", nameTaken(p.Name)
		}
		changed := old
		changed.Name = p.Name
		changed.BaseURL = p.BaseURL
		changed.LegacyBaseURL = p.LegacyBaseURL
		changed.OpsURL = p.OpsURL
		changed.Band = p.Band
		changed.CAFile = p.CAFile
		changed.State = old.StateName()
		if changed.State == p.Name {
			changed.State = ""
		}
		text, err := c.editProfile(old, &changed)
		if err != nil || key.IsZero() {
			return text, err
		}
		oldKey, _ := old.Credential.readSource(ctx, e) // "" if it cannot be read
		if err := e.Replace(old, key); err != nil {
			return text, err
		}
		undo = func() error { return e.Replace(old, NewSecret(oldKey)) }
		return text, nil
	})
	if err != nil {
		return errors.Join(err, undo())
	}
	return nil
}

func nameTaken(name string) error {
	return Fault{Key: "name", Problem: fmt.Sprintf("a profile %q already exists; use another name", name)}
}

// editProfile returns the text of the file with the profile old changed to now, or removed if now
// is nil. All other text stays, including comments directly before the table after a removed
// profile.
func (c *Config) editProfile(old Profile, now *Profile) (string, error) {
	var text, remarks strings.Builder
	var table toml.Key
	own := toml.Key{"profiles", old.Name}.String() + "."
	for line := range strings.Lines(c.text) {
		key := keyOf(line)
		words := strings.TrimSpace(line)
		edited := line
		isTable := strings.HasPrefix(words, "[")
		if isTable {
			table = key
		}
		isOwn := strings.HasPrefix(table.String()+".", own)
		isDefault := table == nil && c.DefaultProfile == old.Name && key.String() == "default_profile"
		switch {
		case !isOwn && !isDefault:
		case now == nil:
			edited = ""
		case isDefault:
			before, value, _ := strings.Cut(line, "=")
			edited = before + "=" + strings.Replace(value, old.Name, now.Name, 1)
		case isTable:
			edited = now.beginTable(table, line)
		case len(table) == 2 && now.isChanged(key.String()):
			edited = ""
		}
		if edited == "" && strings.HasPrefix(words, "#") {
			remarks.WriteString(line)
			continue
		}
		if edited != "" {
			text.WriteString(remarks.String() + edited)
		}
		remarks.Reset()
	}
	return c.checkEdit(strings.TrimRight(text.String(), "\n")+"\n", old.Name, now)
}

// keyOf returns the key of a line, or the name of the table that it begins, or nil.
func keyOf(line string) toml.Key {
	md, _ := toml.Decode(line, new(map[string]any)) // a line that is invalid on its own has no keys
	if keys := md.Keys(); len(keys) > 0 {
		return keys[0]
	}
	return nil
}

// beginTable returns the first line of a profile's table with its name, followed by the
// keys that [Env.Change] writes.
func (p *Profile) beginTable(table toml.Key, line string) string {
	_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "]")
	line = "[" + append(toml.Key{"profiles", p.Name}, table[2:]...).String() + "]" + rest + "\n"
	if len(table) == 2 {
		line += RowsText(p.Rows()[:changedKeys], nil)
	}
	return line
}

func (p *Profile) isChanged(key string) bool {
	return slices.ContainsFunc(p.Rows()[:changedKeys], func(r TableRow) bool { return r.Key == key })
}

// checkEdit returns the edited text if it has the expected profiles. Otherwise the table of the
// profile is written in a form that editProfile does not find.
func (c *Config) checkEdit(text, name string, now *Profile) (string, error) {
	var expected []Profile
	for _, p := range c.Profiles {
		if p.Name != name {
			expected = append(expected, p)
		} else if now != nil {
			expected = append(expected, *now)
		}
	}
	after, err := parseFile(c.Path, []byte(text), c.env)
	if err != nil || !reflect.DeepEqual(after.Profiles, expected) {
		return "", fmt.Errorf("%s: profile %q has no separate table; edit it manually", c.Path, name)
	}
	return text, nil
}

// StateName returns the name under which the key, drafts, views, offline data and
// endpoint secrets of the profile are stored: the first name of the profile.
func (p Profile) StateName() string { return cmp.Or(p.State, p.Name) }

// freeState returns the State of a new profile: "" if its name is not used for stored data,
// otherwise the name with a number.
func (c *Config) freeState(name string) string {
	taken := func(state string) bool {
		return slices.ContainsFunc(c.Profiles, func(p Profile) bool {
			keyFile := strings.TrimSuffix(filepath.Base(p.Credential.File), ".key")
			return slices.Contains([]string{p.StateName(), p.Credential.Keyring, p.OpsCredential.Keyring, keyFile}, state)
		})
	}
	state := ""
	for n := 2; taken(cmp.Or(state, name)); n++ {
		state = fmt.Sprintf("%s-%d", name, n)
	}
	return state
}

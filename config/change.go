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

// Change updates the name, the addresses and the environment of a profile in the
// configuration file to those of p; "" removes one. Another key replaces that of the
// profile unless it is zero. Other settings, and what is stored for the profile, are
// unchanged: see [Profile.StateName]. After an error nothing has changed.
func (e Env) Change(ctx context.Context, name string, p Profile, key Secret) error {
	if err := p.Validate(); err != nil {
		return err
	}
	undo := func() error { return nil }
	err := e.rewriteProfile(ctx, name, func(c *Config, old Profile) (string, error) {
		if _, free := c.Profile(p.Name); free == nil && p.Name != name {
			return "", nameTaken(p.Name)
		}
		now := old
		now.Name, now.BaseURL, now.LegacyBaseURL, now.OpsURL, now.Band = p.Name, p.BaseURL, p.LegacyBaseURL, p.OpsURL, p.Band
		now.CAFile = p.CAFile
		if now.State = old.StateName(); now.State == p.Name {
			now.State = ""
		}
		text, err := c.editProfile(old, &now)
		if err != nil || key.IsZero() {
			return text, err
		}
		before, _ := old.Credential.readSource(ctx, e) // "" is no key
		if err = e.Replace(old, key); err == nil {
			undo = func() error { return e.Replace(old, NewSecret(before)) }
		}
		return text, err
	})
	if err != nil {
		return errors.Join(err, undo())
	}
	return nil
}

func nameTaken(name string) error {
	return Fault{Key: "name", Problem: fmt.Sprintf("a profile %q already exists; use another name", name)}
}

// editProfile returns the text of the file with a profile changed, or removed where now
// is nil. The rest stays, with the comments directly before the table after a removed one.
func (c *Config) editProfile(old Profile, now *Profile) (string, error) {
	var text, remarks strings.Builder
	var table toml.Key
	own := toml.Key{"profiles", old.Name}.String() + "."
	for line := range strings.Lines(c.text) {
		key, words, edited := keyOf(line), strings.TrimSpace(line), line
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

// keyOf returns the key of a line, or the table that it begins; nil if it has neither.
func keyOf(line string) toml.Key {
	md, _ := toml.Decode(line, new(map[string]any)) // of what is not valid by itself, no keys
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

// checkEdit returns the text if it has the profiles that are wanted: a table can be
// written in ways that are not found line by line.
func (c *Config) checkEdit(text, name string, now *Profile) (string, error) {
	var wanted []Profile
	for _, p := range c.Profiles {
		if p.Name != name {
			wanted = append(wanted, p)
		} else if now != nil {
			wanted = append(wanted, *now)
		}
	}
	after, err := parseFile(c.Path, []byte(text), c.env)
	if err != nil || !reflect.DeepEqual(after.Profiles, wanted) {
		return "", fmt.Errorf("%s: profile %q has no separate table; edit it manually", c.Path, name)
	}
	return text, nil
}

// StateName returns the name under which the key, drafts, views, offline data and
// endpoint secrets of the profile are stored: the first name of the profile.
func (p Profile) StateName() string { return cmp.Or(p.State, p.Name) }

// freeState returns the State of a new profile: "" if its own name is free, otherwise
// the name with a number.
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

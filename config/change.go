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
	undo := func() error { return nil } // restores the old key
	err := e.rewriteProfile(ctx, name, func(c *Config, old Profile) (string, error) {
		_, missing := c.Profile(p.Name)
		isTaken := missing == nil && p.Name != name
		if isTaken {
			return "", nameTaken(p.Name)
		}
		changed := old.withSettings(p)
		text, err := c.editProfile(old, &changed)
		if err != nil {
			return "", err
		}
		if key.IsZero() {
			return text, nil
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

// withSettings returns the profile with the settings of p that [Env.Change] changes. The data
// stored for the profile stays where it is.
func (old Profile) withSettings(p Profile) Profile {
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
	return changed
}

func nameTaken(name string) error {
	return Fault{Key: "name", Problem: fmt.Sprintf("a profile %q already exists; use another name", name)}
}

// editProfile returns the text of the file with the profile old replaced by replacement, or
// removed if replacement is nil. All other text stays, including comments directly before the
// table after a removed profile.
func (c *Config) editProfile(old Profile, replacement *Profile) (string, error) {
	var text strings.Builder
	var comments strings.Builder // removed comments, which belong to the next table if one follows
	var table toml.Key
	for line := range strings.Lines(c.text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			table = keyOf(line)
		}
		edited := c.editLine(line, table, old.Name, replacement)
		if edited == "" && strings.HasPrefix(trimmed, "#") {
			comments.WriteString(line)
			continue
		}
		if edited != "" {
			text.WriteString(comments.String() + edited)
		}
		comments.Reset()
	}
	return c.checkEdit(strings.TrimRight(text.String(), "\n")+"\n", old.Name, replacement)
}

// editLine returns a line of the file after a profile was replaced or removed, or "" if the
// line is removed. table is the table that the line begins or is in, nil before the first
// table.
func (c *Config) editLine(line string, table toml.Key, oldName string, replacement *Profile) string {
	key := keyOf(line)
	profileTable := toml.Key{"profiles", oldName}.String()
	isOfProfile := strings.HasPrefix(table.String()+".", profileTable+".") // also of its sub-tables
	isDefault := table == nil && c.DefaultProfile == oldName && key.String() == "default_profile"
	if !isOfProfile && !isDefault {
		return line
	}
	if replacement == nil {
		return ""
	}
	if isDefault {
		before, value, _ := strings.Cut(line, "=")
		return before + "=" + strings.Replace(value, oldName, replacement.Name, 1)
	}
	if strings.HasPrefix(strings.TrimSpace(line), "[") {
		return replacement.beginTable(table, line)
	}
	if !isSubTable(table) && replacement.isChanged(key.String()) {
		return "" // beginTable has written the key
	}
	return line
}

// isSubTable reports whether a table of a profile is a table in the table [profiles.NAME], such
// as the table of its credential.
func isSubTable(table toml.Key) bool { return len(table) > 2 }

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
	renamed := append(toml.Key{"profiles", p.Name}, table[2:]...)
	text := "[" + renamed.String() + "]" + rest + "\n"
	if !isSubTable(table) {
		text += RowsText(p.Rows()[:changedKeys], nil)
	}
	return text
}

func (p *Profile) isChanged(key string) bool {
	return slices.ContainsFunc(p.Rows()[:changedKeys], func(r TableRow) bool { return r.Key == key })
}

// checkEdit returns the edited text if it has the expected profiles. Otherwise the table of the
// profile is written in a form that editProfile does not find.
func (c *Config) checkEdit(text, name string, replacement *Profile) (string, error) {
	var expected []Profile
	for _, p := range c.Profiles {
		if p.Name != name {
			expected = append(expected, p)
		} else if replacement != nil {
			expected = append(expected, *replacement)
		}
	}
	edited, err := parseFile(c.Path, []byte(text), c.env)
	if err != nil || !reflect.DeepEqual(edited.Profiles, expected) {
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
	isTaken := func(state string) bool {
		return slices.ContainsFunc(c.Profiles, func(p Profile) bool { return p.usesState(state) })
	}
	state := ""
	for n := 2; isTaken(cmp.Or(state, name)); n++ {
		state = fmt.Sprintf("%s-%d", name, n)
	}
	return state
}

// usesState reports whether data of the profile is stored under a name.
func (p Profile) usesState(state string) bool {
	keyFile := strings.TrimSuffix(filepath.Base(p.Credential.File), ".key")
	names := []string{p.StateName(), p.Credential.Keyring, p.OpsCredential.Keyring, keyFile}
	return slices.Contains(names, state)
}

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
	replaced := keyReplacement{env: e}
	err := e.rewriteProfile(ctx, name, func(c *Config, old Profile) (string, error) {
		text, err := c.changeProfile(old, p)
		if err != nil {
			return "", err
		}
		if !key.IsZero() {
			if err := replaced.replace(ctx, old, key); err != nil {
				return "", err
			}
		}
		return text, nil
	})
	if err != nil { // the file was not written, so the old key must be stored again
		return errors.Join(err, replaced.undo())
	}
	return nil
}

// changeProfile returns the text of the file with the settings of p for the profile old.
func (c *Config) changeProfile(old, p Profile) (string, error) {
	_, notFound := c.Profile(p.Name)
	isTaken := notFound == nil && p.Name != old.Name
	if isTaken {
		return "", nameTaken(p.Name)
	}
	changed := old.withSettings(p)
	return c.editProfile(old, &changed)
}

// keyReplacement replaces the API key of a profile, and can undo that.
type keyReplacement struct {
	env     Env
	profile Profile
	oldKey  Secret // zero if it could not be read
	isDone  bool
}

func (k *keyReplacement) replace(ctx context.Context, p Profile, key Secret) error {
	oldKey, _ := p.Credential.readSource(ctx, k.env) // "" if it cannot be read
	if err := k.env.Replace(p, key); err != nil {
		return err
	}
	k.profile = p
	k.oldKey = NewSecret(oldKey)
	k.isDone = true
	return nil
}

// undo stores the old key again if it was replaced.
func (k *keyReplacement) undo() error {
	if !k.isDone {
		return nil
	}
	return k.env.Replace(k.profile, k.oldKey)
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
// removed if replacement is nil. All other text stays. Comments at the end of a removed profile
// stay if they are directly before the next table, because they are about that table.
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

// editLine returns a line of the file with the profile oldName replaced by replacement, or removed
// if replacement is nil. It returns "" if the line is removed. table is the name of the table
// that contains the line or begins with it; it is nil before the first table.
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

// isSubTable reports whether a table is inside the table of a profile, such as
// [profiles.NAME.credential].
func isSubTable(table toml.Key) bool { return len(table) > 2 }

// keyOf returns the key of a line, or the name of the table that it begins, or nil.
func keyOf(line string) toml.Key {
	md, _ := toml.Decode(line, new(map[string]any)) // a line that is invalid on its own has no keys
	if keys := md.Keys(); len(keys) > 0 {
		return keys[0]
	}
	return nil
}

// beginTable replaces the line that begins a table of a profile. It returns a line with the new
// name of the profile. For the table [profiles.NAME], it adds the keys that [Env.Change] writes.
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

// checkEdit returns the edited text if it contains the expected profiles. Otherwise it returns an
// error. The edit is wrong if the profile is written in a form that editProfile does not find,
// such as an inline table.
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
// endpoint secrets of the profile are stored. It is the name that the profile had when it was
// added, even if the profile was renamed.
func (p Profile) StateName() string { return cmp.Or(p.State, p.Name) }

// freeState returns the State of a new profile. It is "" unless data of another profile is stored
// under the name of the new profile; then it is the name with a number.
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

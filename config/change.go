package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Change changes a profile in the configuration file. Its name, addresses, environment and CA file become the
// values in p. An empty value removes the entry. Change also replaces the API key unless key is zero. Other
// settings and the data stored for the profile stay; see [Profile.StateName]. If Change returns an error,
// nothing has changed.
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

// changeProfile returns the text of the file with the profile old changed to the settings of p. It returns an
// error if another profile has the new name.
func (c *Config) changeProfile(old, p Profile) (string, error) {
	isRenamed := p.Name != old.Name
	if isRenamed && c.hasProfile(p.Name) {
		return "", nameTaken(p.Name)
	}
	return c.replaceProfile(old, old.withSettings(p))
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

// replaceProfile returns the text of the file with the profile old replaced by changed. All other text stays.
func (c *Config) replaceProfile(old, changed Profile) (string, error) {
	var text strings.Builder
	for table, line := range tableLines(c.text) {
		text.WriteString(c.replaceLine(line, table, old.Name, &changed))
	}
	profiles := slices.Clone(c.Profiles)
	for i := range profiles {
		if profiles[i].Name == old.Name {
			profiles[i] = changed
		}
	}
	return c.checkEdit(text.String(), old.Name, profiles)
}

// replaceLine returns the new text of a line of the file when the profile oldName is replaced by changed, or "" if the
// line is removed.
func (c *Config) replaceLine(line string, table toml.Key, oldName string, changed *Profile) string {
	if c.isDefaultLine(line, table, oldName) {
		before, value, _ := strings.Cut(line, "=")
		return before + "=" + strings.Replace(value, oldName, changed.Name, 1)
	}
	if !isTableOf(table, oldName) {
		return line
	}
	if beginsTable(line) {
		return changed.beginTable(table, line) // also writes the settings of the profile
	}
	if !isSubTable(table) && changed.isSetting(keyOf(line).String()) {
		return "" // the old value
	}
	return line
}

// removeProfile returns the text of the file without a profile. All other text stays. Comments at the end of
// the profile stay if they are directly before the next table, because they are about that table.
func (c *Config) removeProfile(old Profile) (string, error) {
	var text strings.Builder
	var comments strings.Builder // removed comments, which belong to the next table if one follows
	for table, line := range tableLines(c.text) {
		isRemoved := isTableOf(table, old.Name) || c.isDefaultLine(line, table, old.Name)
		if isRemoved && strings.HasPrefix(strings.TrimSpace(line), "#") {
			comments.WriteString(line)
			continue
		}
		if !isRemoved {
			text.WriteString(comments.String() + line)
		}
		comments.Reset()
	}
	var others []Profile
	for _, p := range c.Profiles {
		if p.Name != old.Name {
			others = append(others, p)
		}
	}
	return c.checkEdit(text.String(), old.Name, others)
}

// tableLines yields the lines of a text with the name of the table that contains the line or begins with it.
// The name is nil before the first table.
func tableLines(text string) iter.Seq2[toml.Key, string] {
	return func(yield func(toml.Key, string) bool) {
		var table toml.Key
		for line := range strings.Lines(text) {
			if beginsTable(line) {
				table = keyOf(line)
			}
			if !yield(table, line) {
				return
			}
		}
	}
}

func beginsTable(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "[") }

// isDefaultLine reports whether a line makes the profile the default.
func (c *Config) isDefaultLine(line string, table toml.Key, profile string) bool {
	return table == nil && c.DefaultProfile == profile && keyOf(line).String() == "default_profile"
}

// isTableOf reports whether a table is the table of a profile or inside it.
func isTableOf(table toml.Key, profile string) bool {
	return strings.HasPrefix(table.String()+".", toml.Key{"profiles", profile}.String()+".")
}

// isSubTable reports whether a table is inside the table of a profile, such as
// [profiles.NAME.credential].
func isSubTable(table toml.Key) bool { return len(table) > 2 }

// keyOf returns the key that a line sets, or the name of the table that the line begins. It returns nil for other
// lines.
func keyOf(line string) toml.Key {
	md, _ := toml.Decode(line, new(map[string]any)) // a line that is invalid on its own has no keys
	if keys := md.Keys(); len(keys) > 0 {
		return keys[0]
	}
	return nil
}

// beginTable returns a line that replaces line, the line that begins a table of a profile. The new line has
// the new name of the profile. For the table [profiles.NAME], beginTable also adds the keys that [Env.Change]
// writes.
func (p *Profile) beginTable(table toml.Key, line string) string {
	_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "]")
	renamed := append(toml.Key{"profiles", p.Name}, table[2:]...)
	text := "[" + renamed.String() + "]" + rest + "\n"
	if !isSubTable(table) {
		text += RowsText(p.settingRows(), nil)
	}
	return text
}

func (p *Profile) isSetting(key string) bool {
	return slices.ContainsFunc(p.settingRows(), func(r TableRow) bool { return r.Key == key })
}

// checkEdit parses the edited text and returns it if it has the expected profiles. Otherwise it returns an
// error that asks the user to edit the file manually. An edit can fail if the profile is an inline table,
// which tableLines does not find, or if a multi-line string contains a line that looks like its table.
func (c *Config) checkEdit(text, name string, expected []Profile) (string, error) {
	text = strings.TrimRight(text, "\n") + "\n"
	edited, err := parseFile(c.Path, []byte(text), c.env)
	if faults, ok := errors.AsType[Faults](err); ok {
		for i := range faults {
			faults[i].Line = 0 // of the edited text, which is not in the file
		}
	}
	if err != nil {
		return "", fmt.Errorf("could not edit profile %q: %w; edit it manually", name, err)
	}
	if !reflect.DeepEqual(edited.Profiles, expected) {
		return "", fmt.Errorf("%s: profile %q has no separate table; edit it manually", c.Path, name)
	}
	return text, nil
}

// StateName returns the name under which the key, drafts, views, offline data and
// endpoint secrets of the profile are stored. It is the name that the profile had when it was
// added, even if the profile was renamed.
func (p Profile) StateName() string { return cmp.Or(p.State, p.Name) }

// freeState returns the State of a new profile: "" to store its data under its name. If another profile
// already stores data under that name, it returns the name with a number, such as "survey-2".
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

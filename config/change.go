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

	"github.com/BurntSushi/toml"
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
	undo := func() error { return nil }
	var unused Profile // whose key has moved
	err = e.rewriteFile(ctx, path, func(c *Config) (string, error) {
		old, err := c.findProfile(name)
		if err != nil {
			return "", err
		}
		now, err := c.changeProfile(old, p)
		if err != nil {
			return "", err
		}
		text, err := c.editProfile(old, &now)
		if err != nil {
			return "", err
		}
		moves := !reflect.DeepEqual(old.Credential, now.Credential)
		if moves && c.countUses(old.Credential) == 1 {
			unused = old
		}
		if moves || !key.IsZero() {
			undo, err = e.moveKey(ctx, path, old, now, key)
		}
		return text, err
	})
	if err != nil {
		return "", errors.Join(err, undo())
	}
	if _, err := e.forgetKey(unused, path); err != nil {
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
		return now, nameTaken(p.Name)
	}
	if now.Name, now.State = p.Name, old.StateName(); now.State == p.Name {
		now.State = ""
	}
	switch {
	case old.Credential.Keyring == old.Name:
		now.Credential.Keyring = p.Name
	case old.Credential.File == keyFile(c.Path, old.Name):
		now.Credential.File = keyFile(c.Path, p.Name)
	default:
		return now, nil
	}
	if c.countUses(now.Credential) > 0 {
		problem := fmt.Sprintf("another profile uses the key stored as %q; use another name", p.Name)
		return now, Fault{Key: "name", Problem: problem}
	}
	return now, nil
}

func nameTaken(name string) error {
	return Fault{Key: "name", Problem: fmt.Sprintf("a profile %q already exists; use another name", name)}
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

// moveKey stores the key of a profile, or another one, where its changed version looks
// for it.
func (e Env) moveKey(
	ctx context.Context,
	path string,
	old, now Profile,
	key Secret,
) (undo func() error, err error) {
	undo = func() error { return nil }
	if key.IsZero() {
		text, err := old.Credential.readSource(ctx, e)
		if err != nil {
			return undo, fmt.Errorf("the key of profile %s: %w", old.Name, err)
		}
		key = NewSecret(text)
	}
	before, unread := now.Credential.readSource(ctx, e)
	if err := e.Replace(now, key); err != nil {
		return undo, err
	}
	return func() error {
		if unread == nil {
			return e.Replace(now, NewSecret(before))
		}
		_, err := e.forgetKey(now, path)
		return err
	}, nil
}

// editProfile returns the text of the file with a profile changed, or removed where now
// is nil. The rest stays, with the comments directly before the table after a removed one.
func (c *Config) editProfile(old Profile, now *Profile) (string, error) {
	var text, remarks strings.Builder
	var table toml.Key
	for line := range strings.Lines(c.text) {
		key, words := keyOf(line), strings.TrimSpace(line)
		if strings.HasPrefix(words, "[") {
			table = key
		}
		edited := c.editLine(line, table, key, old.Name, now)
		switch {
		case edited != "":
			text.WriteString(remarks.String() + edited)
			remarks.Reset()
		case strings.HasPrefix(words, "#"):
			remarks.WriteString(line)
		default:
			remarks.Reset()
		}
	}
	return c.checkEdit(strings.TrimRight(text.String(), "\n")+"\n", old.Name, now)
}

// editLine returns a line with what has changed of a profile, "" if nothing is left.
func (c *Config) editLine(line string, table, key toml.Key, name string, now *Profile) string {
	own := len(table) > 1 && table[0] == "profiles" && table[1] == name
	isDefault := table == nil && key.String() == "default_profile" && c.DefaultProfile == name
	switch {
	case !own && !isDefault:
		return line
	case now == nil:
		return ""
	case own && strings.HasPrefix(strings.TrimSpace(line), "["):
		return now.beginTable(table, line)
	case own && len(table) == 2 && now.isChanged(key.String()):
		return ""
	case isDefault, slices.Contains(slices.Concat(table[2:], key), "credential"):
		return renameIn(line, name, now.Name)
	}
	return line
}

// keyOf returns the key of a line, or the table that it begins; nil if it has neither.
func keyOf(line string) toml.Key {
	md, err := toml.Decode(line, new(map[string]any))
	if err != nil || len(md.Keys()) == 0 {
		return nil
	}
	return md.Keys()[0]
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
	return slices.ContainsFunc(p.settings()[:changedKeys], func(s setting) bool { return s.key == key })
}

// renameIn returns a line whose value, or the name of a key's file in it, is another name.
func renameIn(line, from, to string) string {
	value := regexp.MustCompile(`(["'/\\])` + regexp.QuoteMeta(from) + `((?:\.key)?["'])`)
	return value.ReplaceAllString(line, "${1}"+to+"${2}")
}

// checkEdit returns the text if it has the profiles that are wanted: a table can be
// written in ways that are not found line by line.
func (c *Config) checkEdit(text, name string, now *Profile) (string, error) {
	wanted := slices.Clone(c.Profiles)
	i := slices.IndexFunc(wanted, func(p Profile) bool { return p.Name == name })
	if now == nil {
		wanted = slices.Delete(wanted, i, i+1)
	} else {
		wanted[i] = *now
	}
	after, err := parseFile(c.Path, []byte(text), c.env)
	same := func(a, b Profile) bool { return reflect.DeepEqual(a, b) }
	if err != nil || !slices.EqualFunc(after.Profiles, wanted, same) {
		return "", fmt.Errorf("%s: profile %q has no separate table; edit it manually", c.Path, name)
	}
	return text, nil
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
	state := ""
	for n := 2; taken(cmp.Or(state, name)); n++ {
		state = fmt.Sprintf("%s-%d", name, n)
	}
	return state
}

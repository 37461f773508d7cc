package config

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/config/atomicfile"
)

// SavedProfile describes where a new profile and its key were stored.
type SavedProfile struct {
	Path    string // configuration file
	KeyFile string // file with the key; empty if the key is in the keyring
	Reason  string // why the key is not in the keyring
}

// Validate returns an error if the name or a setting of a new profile is invalid. It does not check
// the credentials.
func (p Profile) Validate() error {
	if !isProfileName(p.Name) {
		return Fault{Key: "name", Problem: wrongName}
	}
	for i, r := range p.Rows() {
		text, isText := r.Value.(*string)
		isRequired := i == 0 && p.OpsURL == "" // base_url
		if !isText || (*text == "" && !isRequired) {
			continue
		}
		if problem := r.check(*text); problem != "" {
			return Fault{Key: r.Key, Problem: problem}
		}
	}
	return nil
}

// Keep adds a profile to the configuration file, which it creates if necessary. It stores the API key in the
// keyring. If that fails, it stores the key in a file next to the configuration file, which only the owner
// can read. The existing text of the configuration file stays unchanged.
func (e Env) Keep(ctx context.Context, p Profile, key Secret) (kept SavedProfile, err error) {
	return e.keepProfile(ctx, &p, &p.Credential, "", key)
}

// KeepOperations adds a profile with a key of the operations API, like [Env.Keep].
func (e Env) KeepOperations(ctx context.Context, p Profile, key Secret) (kept SavedProfile, err error) {
	return e.keepProfile(ctx, &p, &p.OpsCredential, opsKeyEnding, key)
}

// opsKeyEnding is appended to the state name of a profile to get the name of its operations key.
const opsKeyEnding = "-operations"

// keepProfile stores the key and adds the profile to the configuration file. The name of the stored key is
// the profile's [Profile.StateName] followed by ending. credential points to a field of p, and is set to the
// place of the key.
func (e Env) keepProfile(
	ctx context.Context, p *Profile, credential *Credential, ending string, key Secret,
) (kept SavedProfile, err error) {
	if err := p.Validate(); err != nil {
		return kept, err
	}
	err = e.rewriteFile(ctx, func(c *Config) (string, error) {
		if _, free := c.Profile(p.Name); free == nil {
			return "", nameTaken(p.Name)
		}
		kept.Path = c.Path
		p.State = c.freeState(p.Name)
		if err := e.keepKey(credential, p.StateName()+ending, key, &kept); err != nil {
			return "", err
		}
		return c.addProfile(*p), nil
	})
	return kept, err
}

// rewriteFile replaces the text of the configuration file by the result of edit, while the file is
// locked. The file need not exist. The new text must be a valid configuration.
func (e Env) rewriteFile(ctx context.Context, edit func(*Config) (string, error)) error {
	path, err := e.Path()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	var editErr error
	err = atomicfile.UpdateFile(ctx, path, func(old []byte) ([]byte, error) {
		var text string
		text, editErr = e.editText(path, old, edit)
		return []byte(text), editErr
	})
	if err != nil && editErr == nil {
		err = fmt.Errorf("write %s: %w", path, plainError(err))
	}
	return err
}

// editText parses the text of the configuration file, calls edit, and returns the new text if it is
// a valid configuration.
func (e Env) editText(path string, old []byte, edit func(*Config) (string, error)) (string, error) {
	c, err := parseFile(path, old, e)
	if err != nil {
		return "", err
	}
	text, err := edit(c)
	if err != nil {
		return "", err
	}
	if _, err := parseFile(path, []byte(text), e); err != nil {
		return "", err
	}
	return text, nil
}

// rewriteProfile is rewriteFile for an edit of an existing profile.
func (e Env) rewriteProfile(
	ctx context.Context,
	name string,
	edit func(c *Config, old Profile) (string, error),
) error {
	return e.rewriteFile(ctx, func(c *Config) (string, error) {
		old, err := c.Profile(name)
		if !c.Found {
			err = ErrNoProfile
		}
		if err != nil {
			return "", err
		}
		return edit(c, old)
	})
}

// lockTimeout limits how long to wait for another program that has locked the file.
const lockTimeout = 5 * time.Second

// writeKey writes a key into a file that only its owner can read.
func writeKey(path string, key Secret) error {
	if err := atomicfile.ReplaceFile(path, []byte(key.Reveal()+"\n")); err != nil {
		return fmt.Errorf("write %s: %w", path, plainError(err))
	}
	return nil
}

// keepKey stores the key of a new profile under a name, and sets the credential to the place of the
// key. If the key is not in the keyring, it adds the key file and the reason to kept.
func (e Env) keepKey(credential *Credential, name string, key Secret, kept *SavedProfile) error {
	err := e.Keyring.Set(appName, name, key.Reveal())
	if err == nil {
		*credential = Credential{Keyring: name}
		return nil
	}
	kept.Reason = oneLine(err.Error())
	kept.KeyFile = keyFile(kept.Path, name)
	*credential = Credential{File: filepath.Base(kept.KeyFile)} // relative to the configuration file
	return writeKey(kept.KeyFile, key)
}

// addProfile returns the text of the file with a new profile. A file with only one profile needs no
// default_profile. If the new profile is the second one, addProfile therefore makes the first one the
// default_profile, so that commands still use it.
func (c *Config) addProfile(p Profile) string {
	text := ""
	if len(c.Profiles) == 1 && c.DefaultProfile == "" {
		text = RowsText([]TableRow{{Key: "default_profile", Value: c.Profiles[0].Name}}, nil)
	}
	if c.text != "" {
		text += strings.TrimSuffix(c.text, "\n") + "\n\n"
	}
	return fmt.Sprintf("%s[%s]\n%s", text, toml.Key{"profiles", p.Name}, RowsText(p.Rows(), nil))
}

// RowsText formats rows as TOML. It leaves out rows without a value. remarks has comments by key. A comment
// is written at the end of the row of its key.
func RowsText(rows []TableRow, remarks map[string]string) string {
	var b strings.Builder
	for _, row := range rows {
		text := row.String()
		if remark := remarks[row.Key]; remark != "" && text != "" {
			text += " # " + remark
		}
		if text != "" {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// String returns the row as TOML, or "" if it is not set.
func (r TableRow) String() string {
	if reflect.Indirect(reflect.ValueOf(r.Value)).IsZero() {
		return ""
	}
	value, _ := json.Marshal(r.Value, jsontext.SpaceAfterComma(true)) // TOML writes these values as JSON does
	if c, is := r.Value.(*Credential); is {
		rows := strings.TrimSpace(RowsText(c.rows(), nil))
		value = []byte("{ " + strings.ReplaceAll(rows, "\n", ", ") + " }")
	}
	return toml.Key{r.Key}.String() + " = " + string(value)
}

// keyFile returns the path of the file for a key that is not in the keyring.
func keyFile(path, name string) string { return filepath.Join(filepath.Dir(path), name+".key") }

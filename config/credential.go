package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/zalando/go-keyring"
)

// DefaultCommandTimeout limits a credential's command that has no timeout.
const DefaultCommandTimeout = "10s"

// maxKeyBytes limits the bytes read from a key file or from the output of a command.
const maxKeyBytes = 16 << 10

// Key returns the API key from FLIGHTDESK_API_KEY, or else from the credential. Reading the credential can ask the
// keyring or run a command. It returns an error if the profile has neither.
func (s Settings) Key(ctx context.Context) (Secret, error) {
	return s.readKey(ctx, "credential", "FLIGHTDESK_API_KEY", s.apiKey, s.Credential)
}

// HasKey reports whether there is a source of the API key.
func (s Settings) HasKey() bool { return !s.apiKey.IsZero() || !s.Credential.IsZero() }

// HasOpsKey reports whether there is a source of the key of the operations API.
func (s Settings) HasOpsKey() bool { return !s.opsKey.IsZero() || !s.OpsCredential.IsZero() }

// OpsKey returns the key of the operations API, like [Settings.Key]. If there is none, it returns
// the zero Secret and no error, because most accounts have none.
func (s Settings) OpsKey(ctx context.Context) (Secret, error) {
	if s.opsKey.IsZero() && s.OpsCredential.IsZero() {
		return Secret{}, nil
	}
	return s.readKey(ctx, "ops_credential", "FLIGHTDESK_OPS_KEY", s.opsKey, s.OpsCredential)
}

// readKey returns given, the key from an environment variable, if it is set. Otherwise it reads the key of
// the credential. name and variable are for the error text.
func (s Settings) readKey(
	ctx context.Context,
	name, variable string,
	given Secret,
	c Credential,
) (Secret, error) {
	if !given.IsZero() {
		return checkKeyText(variable, given.Reveal())
	}
	source := fmt.Sprintf("profile %s: %s", s.Name, name)
	if c.IsZero() {
		return Secret{}, fmt.Errorf("%s: no key; add a credential to the profile or set %s", source, variable)
	}
	key, err := c.readSource(ctx, s.env)
	if err != nil {
		return Secret{}, fmt.Errorf("%s: %w", source, err)
	}
	return checkKeyText(source, key)
}

// checkKeyText returns the key as a Secret if it can be sent in a header. Otherwise it returns an
// error that names the source of the key.
func checkKeyText(source, key string) (Secret, error) {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Secret{}, fmt.Errorf("%s: the key contains spaces or invalid characters", source)
	}
	return NewSecret(key), nil
}

// readSource reads the key from the source in the credential. It returns an error if the key is
// empty.
func (c Credential) readSource(ctx context.Context, env Env) (string, error) {
	switch {
	case c.Keyring != "":
		return c.fromKeyring(env)
	case c.Env != "":
		key := strings.TrimSpace(env.getVariable(c.Env))
		if key == "" {
			return "", fmt.Errorf("the variable %s is not set; export it with the key", c.Env)
		}
		return key, nil
	case len(c.Command) > 0:
		return c.fromCommand(ctx)
	default:
		return c.fromFile()
	}
}

func (c Credential) fromKeyring(env Env) (string, error) {
	key, err := env.Keyring.Get(appName, c.Keyring)
	key = strings.TrimSpace(key)
	isEmpty := err == nil && key == ""
	if isEmpty || errors.Is(err, keyring.ErrNotFound) {
		text := "the keyring has no key for account %q; store it with: %s"
		return "", fmt.Errorf(text, c.Keyring, storeCommand(runtime.GOOS, c.Keyring))
	}
	if err != nil {
		return "", fmt.Errorf("%w (%s); unlock it, or use env, command or file", ErrNoKeyring, oneLine(err.Error()))
	}
	return key, nil
}

// storeCommand returns the command that stores a key in the keyring of a platform.
func storeCommand(goos, account string) string {
	switch goos {
	case "darwin":
		return fmt.Sprintf("security add-generic-password -s %s -a %q -w", appName, account)
	case "windows":
		return fmt.Sprintf(`cmdkey /generic:"%s:%s" /user:%q /pass`, appName, account, account)
	default:
		return fmt.Sprintf("secret-tool store --label=%s service %s username %q", appName, appName, account)
	}
}

// fromCommand runs the command without a shell. It discards standard error, because a command that traces its work
// prints the key there.
func (c Credential) fromCommand(ctx context.Context) (string, error) {
	timeout := c.commandTimeout()
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, c.Command[0], c.Command[1:]...)
	cmd.WaitDelay = time.Second
	var out headWriter
	cmd.Stdout = &out
	err := cmd.Run()
	// If a context ended, err is only that the command was killed. ctx is checked first, because
	// limited ends with it.
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if limited.Err() != nil {
		const advice = "run it yourself to see why, or increase timeout"
		return "", fmt.Errorf("the command %q took longer than %s; %s", c.Command[0], timeout, advice)
	}
	if err != nil {
		return "", commandError(c.Command[0], err)
	}
	key := firstLine(out)
	if key == "" {
		return "", fmt.Errorf("the command %q printed no key on its first line", c.Command[0])
	}
	return key, nil
}

// commandTimeout returns the timeout of the command.
func (c Credential) commandTimeout() time.Duration {
	text := c.Timeout
	if text == "" {
		text = DefaultCommandTimeout
	}
	timeout, _ := time.ParseDuration(text) // checkTimeout has checked that it is valid
	return timeout
}

// commandError returns the error for a command that could not be run or failed.
func commandError(name string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("no command %q; install it or give its full path", name)
	}
	return fmt.Errorf("the command %q failed with %s; run it yourself to see why", name, oneLine(err.Error()))
}

// fromFile reads the key from a file that only its owner can access.
func (c Credential) fromFile() (string, error) {
	data, err := readFile(c.File, maxKeyBytes, true)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.File, err)
	}
	key := firstLine(data)
	if key == "" {
		return "", fmt.Errorf("%s: the first line is empty; it must contain the key", c.File)
	}
	return key, nil
}

// headWriter keeps the first bytes written to it and drops the rest, so that a command with
// endless output neither fills the memory nor blocks.
type headWriter []byte

func (h *headWriter) Write(b []byte) (int, error) {
	*h = append(*h, b[:min(maxKeyBytes-len(*h), len(b))]...)
	return len(b), nil
}

func firstLine(data []byte) string {
	line, _, _ := bytes.Cut(data, []byte{'\n'})
	return string(bytes.TrimSpace(line))
}

// oneLine returns a text without line ends and other control characters.
func oneLine(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) })
	return strings.Join(words, " ")
}

// ErrNoKeyring is in the error chain if the keyring of the system does not answer.
var ErrNoKeyring = errors.New("keyring: not answering")

// keyringError wraps an error of the keyring in one line.
func keyringError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w (%s); unlock or start it", ErrNoKeyring, oneLine(err.Error()))
}

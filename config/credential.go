package config

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// maxCABytes limits the size of a CA file; the platforms' bundles are several times smaller.
const maxCABytes = 4 << 20

// Key returns the API key from FLIGHTDESK_API_KEY, or else from the credential, which
// can ask the keyring or run a command. It returns an error if the profile has
// neither.
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

// readKey returns the key given by a variable, or else the key of the credential.
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

// fromCommand runs the command without a shell. It discards standard error, where a command that
// traces its work would print the key.
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

// CAs returns the certificate authorities of the platform and of the profile's ca_file. It returns
// nil if the profile has no ca_file.
func (p Profile) CAs() (*x509.CertPool, error) {
	pool, err := LoadCAs(p.CAFile)
	if err != nil {
		return nil, fmt.Errorf("profile %s: ca_file: %w", p.Name, err)
	}
	return pool, nil
}

// LoadCAs returns the certificate authorities of the platform and of a file. It returns nil if the
// path is empty.
func LoadCAs(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	data, err := readFile(path, maxCABytes, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("no PEM certificate in %s", filepath.Base(path))
	}
	return pool, nil
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

// MaskedKey is printed instead of a key, and instead of a text that can contain one.
const MaskedKey = "********"

// Secret is a key that prints as asterisks in every form: fmt, JSON, text and slog.
// Only [Secret.Reveal] returns it. The zero value contains no key.
type Secret struct {
	// fmt cannot call the methods of a Secret in an unexported field of a struct. It then prints the
	// address of this pointer, where it would print the key if the field were a string.
	text *string
}

// NewSecret returns the key as a Secret. It returns the zero Secret for "".
func NewSecret(key string) Secret {
	if key == "" {
		return Secret{}
	}
	return Secret{&key}
}

// Reveal returns the key, or "" for the zero Secret.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether the secret is empty.
func (s Secret) IsZero() bool { return s.text == nil }

// String returns asterisks, or "" for the zero Secret.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return MaskedKey
}

// Format writes the same as String for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns the same as String, for JSON, TOML and slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// endpointID matches valid endpoint IDs. The IDs come from the service and become part of a name
// in the keyring.
var endpointID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$`)

// EndpointSecrets stores the signing secrets of a profile's webhook endpoints in the
// keyring, and nowhere else.
type EndpointSecrets struct {
	ring    Keyring
	profile string
}

// EndpointSecrets returns the secret store of a profile.
func (e Env) EndpointSecrets(profile string) EndpointSecrets {
	return EndpointSecrets{e.Keyring, profile}
}

// use calls do with the keyring account of an endpoint's secret; a missing secret is not an error.
// The account name contains a space, so it differs from the names of profiles.
func (s EndpointSecrets) use(endpoint string, do func(account string) error) error {
	if !endpointID.MatchString(endpoint) {
		return fmt.Errorf("the endpoint's id %.80q cannot be used to store a secret", endpoint)
	}
	err := do(s.profile + " endpoint " + endpoint)
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return keyringError(err)
}

// Get returns the secret of an endpoint, or "" if none is stored.
func (s EndpointSecrets) Get(endpoint string) (secret string, err error) {
	err = s.use(endpoint, func(account string) (err error) {
		secret, err = s.ring.Get(appName, account)
		return err
	})
	return secret, err
}

// Set stores the secret of an endpoint.
func (s EndpointSecrets) Set(endpoint, secret string) error {
	return s.use(endpoint, func(account string) error { return s.ring.Set(appName, account, secret) })
}

// Delete removes the secret of an endpoint. Deleting a missing secret is not an
// error.
func (s EndpointSecrets) Delete(endpoint string) error {
	return s.use(endpoint, func(account string) error { return s.ring.Delete(appName, account) })
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

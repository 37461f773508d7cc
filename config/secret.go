package config

import (
	"fmt"
	"io"
	"log/slog"
)

// Mask is shown in the place of a key.
const Mask = "********"

// Secret is a key that prints as asterisks in every form: fmt, JSON, text and
// slog. Only [Secret.Reveal] gives it out. The zero value is no secret.
type Secret struct {
	// A pointer, since fmt prints the fields of a struct that it cannot reach
	// through an interface, and does not follow pointers there.
	text *string
}

// NewSecret wraps a key.
func NewSecret(key string) Secret {
	if key == "" {
		return Secret{}
	}
	return Secret{&key}
}

// Reveal returns the key itself.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no key.
func (s Secret) IsZero() bool { return s.text == nil }

// String returns asterisks, or nothing where there is no key.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return Mask
}

// GoString returns String.
func (s Secret) GoString() string { return s.String() }

// Format writes String for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns String, for JSON and TOML too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue returns String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

package config

import (
	"fmt"
	"io"
)

// MaskedKey is printed instead of a key. It is also printed instead of a text that can contain a key.
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

package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// secretVariant is a secret that may have been used instead of the one given.
type secretVariant struct {
	data        []byte
	why, advice string // empty for the secret itself
}

// findSecret returns which form of the secret the body was signed with.
func findSecret(c *SignedCallback, sum []byte) (used secretVariant, found bool) {
	for _, secret := range secretsLike(c.Secret) {
		mac := hmac.New(sha256.New, secret.data)
		mac.Write(c.Body)
		if hmac.Equal(mac.Sum(nil), sum) {
			return secret, true
		}
	}
	return secretVariant{}, false
}

// sumOf reads the sum of a signature, however it is written.
func sumOf(sent string) (sum []byte, ok bool) {
	text := strings.Trim(strings.TrimSpace(sent), `"'`)
	for _, p := range []string{prefix, "SHA256=", "sha256:", "v1="} {
		text = strings.TrimPrefix(text, p)
	}
	if sum, err := decodeHex(text); err == nil {
		return sum, true
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if sum, err := enc.DecodeString(text); err == nil && len(sum) == sha256.Size {
			return sum, true
		}
	}
	return nil, false
}

// kindOf says what a signature without a SHA-256 sum may be.
func kindOf(sent string) string {
	text := strings.TrimPrefix(strings.TrimSpace(sent), prefix)
	hexadecimal := strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
	switch {
	case hexadecimal && len(text) == 40:
		return "40 digits are a SHA-1, not a SHA-256"
	case hexadecimal && len(text) == 128:
		return "128 digits are a SHA-512, not a SHA-256"
	case hexadecimal && len(text) > 0 && len(text) < 64:
		return "cut off"
	default:
		return "no SHA-256 found"
	}
}

const secretPrefix = "whsec_"

// secretsLike returns the secret, and what else it may have been used as.
func secretsLike(secret string) []secretVariant {
	const whole = "Use the full text of the secret, including whsec_."
	all := []secretVariant{{data: []byte(secret)}}
	if trimmed := strings.Trim(secret, " \t\r\n\"'"); trimmed != secret {
		all = append(all, secretVariant{[]byte(trimmed), "signed with the secret without the spaces or quotes around it", "Remove the spaces and quotes around the secret."})
		secret = trimmed
	}
	bare, prefixed := strings.CutPrefix(secret, secretPrefix)
	if prefixed {
		all = append(all, secretVariant{[]byte(bare), "signed with the secret without whsec_", whole})
	} else {
		all = append(all, secretVariant{[]byte(secretPrefix + secret), "signed with whsec_ plus the secret", "The secret lacks its prefix, whsec_."})
	}
	for _, enc := range []*base64.Encoding{base64.RawURLEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.StdEncoding} {
		if key, err := enc.DecodeString(bare); err == nil && len(key) > 0 {
			all = append(all, secretVariant{key, "signed with the base64-decoded secret", whole})
			break
		}
	}
	return append(all,
		secretVariant{[]byte(secret + "\n"), "signed with the secret and a newline", "The signer read the secret from a file, including the newline."},
		secretVariant{nil, "signed with an empty secret", "The signer had no secret; check for an unset variable."})
}

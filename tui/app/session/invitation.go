package session

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"regexp"
	"strings"
)

// userName is what somebody may be called: it is a folder's name on every system.
var userName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9._-]{0,30}[a-z0-9])?$`)

// IsUserName reports whether somebody can log in by a name.
func IsUserName(name string) bool { return userName.MatchString(name) }

// Invitations makes the codes that people log in with from the operations key, so that
// whoever has the key can print them, and the service need not keep them.
type Invitations struct{ secret []byte }

// stretching is how often the key is hashed: one that people chose could be guessed
// from a code otherwise.
const stretching = 200_000

// NewInvitations returns the invitations of a service.
func NewInvitations(opsKey string) (Invitations, error) {
	secret, err := pbkdf2.Key(sha256.New, opsKey, []byte("flightdesk invitations"), stretching, sha256.Size)
	return Invitations{secret}, err
}

// CodeOf returns the code of a user, such as K7QWD-3MZPA.
func (i Invitations) CodeOf(user string) string {
	mac := hmac.New(sha256.New, i.secret)
	_, _ = mac.Write([]byte(user)) // never fails
	text := base32.StdEncoding.EncodeToString(mac.Sum(nil))
	return text[:5] + "-" + text[5:10]
}

// IsCodeOf reports whether a code is that of a user, however it was typed.
func (i Invitations) IsCodeOf(user, code string) bool {
	plain := strings.NewReplacer("-", "", " ", "").Replace
	typed, want := plain(strings.ToUpper(code)), plain(i.CodeOf(user))
	return subtle.ConstantTimeCompare([]byte(typed), []byte(want)) == 1
}

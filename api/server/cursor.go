package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"

	"flightdesk/api/server/internal/store"
)

// cursorSealer makes and opens the cursors of lists. A cursor is a position
// with a MAC over it, its list and its account, so that it opens nowhere else.
type cursorSealer struct{ secret []byte }

const (
	positionBytes = 16
	macBytes      = 16
)

var errCursor = errors.New("is not a cursor of this list; use nextCursor")

func (s cursorSealer) computeMAC(list string, accountID int64, position []byte) []byte {
	mac := hmac.New(sha256.New, s.secret)
	var account [8]byte
	binary.BigEndian.PutUint64(account[:], uint64(accountID))
	mac.Write(account[:])
	mac.Write(position)
	mac.Write([]byte(list)) // last, since its length varies
	return mac.Sum(nil)[:macBytes]
}

func (s cursorSealer) sealCursor(list string, accountID int64, p store.Position) string {
	b := make([]byte, 0, positionBytes+macBytes)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Sort))
	b = binary.BigEndian.AppendUint64(b, uint64(p.ID))
	return base64.RawURLEncoding.EncodeToString(append(b, s.computeMAC(list, accountID, b)...))
}

func (s cursorSealer) openCursor(list string, accountID int64, cursor string) (store.Position, error) {
	// The decoder passes over line breaks, so the length of the text counts too.
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) != positionBytes+macBytes || len(cursor) != base64.RawURLEncoding.EncodedLen(len(b)) ||
		!hmac.Equal(b[positionBytes:], s.computeMAC(list, accountID, b[:positionBytes])) {
		return store.Position{}, errCursor
	}
	return store.Position{
		Sort: int64(binary.BigEndian.Uint64(b)),
		ID:   int64(binary.BigEndian.Uint64(b[8:])),
	}, nil
}

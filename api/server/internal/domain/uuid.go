package domain

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// newUUID returns a UUID of version 7: it begins with the time, so that ids
// made one after the other lie together in an index.
func newUUID(at time.Time) string {
	var u [16]byte
	_, _ = rand.Read(u[:]) // never fails
	return FormUUID(at, u)
}

// FormUUID makes a UUID of version 7 of a time and 16 random bytes.
func FormUUID(at time.Time, u [16]byte) string {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(u[:6], ms[2:])
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	text := make([]byte, 36)
	hex.Encode(text, u[:4])
	hex.Encode(text[9:], u[4:6])
	hex.Encode(text[14:], u[6:8])
	hex.Encode(text[19:], u[8:10])
	hex.Encode(text[24:], u[10:])
	for _, i := range [...]int{8, 13, 18, 23} {
		text[i] = '-'
	}
	return string(text)
}

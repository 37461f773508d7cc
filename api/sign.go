package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Headers of a callback.
const (
	HeaderSignature = "X-Service-Signature" // "sha256=" and 64 hexadecimal digits
	HeaderEvent     = "X-Service-Event"     // the event's name
	HeaderDelivery  = "X-Service-Delivery"  // the delivery id
	HeaderTimestamp = "X-Service-Timestamp" // RFC 3339, when this try was sent
)

const signaturePrefix = "sha256="

// Sign returns the signature of a callback's raw body: "sha256=" and the
// lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's whole secret.
func Sign(secret string, body []byte) string {
	return signaturePrefix + hex.EncodeToString(computeSignature(secret, body))
}

func computeSignature(secret string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return mac.Sum(nil)
}

// VerifySignature compares in constant time. It takes lower-case digits only,
// as they are specified. The error is an [ErrSignature].
func VerifySignature(secret, sent string, body []byte) error {
	digits, ok := strings.CutPrefix(sent, signaturePrefix)
	if !ok || len(digits) != 2*sha256.Size || strings.Trim(digits, "0123456789abcdef") != "" {
		return fmt.Errorf("%w: %s is not sha256= and 64 lower-case hexadecimal digits", ErrSignature, HeaderSignature)
	}
	got, err := hex.DecodeString(digits)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	if secret == "" {
		return fmt.Errorf("%w: no secret given", ErrSignature)
	}
	if !hmac.Equal(got, computeSignature(secret, body)) {
		return fmt.Errorf("%w: does not match this body and secret", ErrSignature)
	}
	return nil
}

// Reasons why a callback is not taken, for errors.Is.
var (
	ErrSignature = errors.New("invalid callback signature")
	ErrTimestamp = errors.New("callback time out of range")
	ErrCallback  = errors.New("not a callback of the service")
)

package labels

import (
	"errors"
	"fmt"
	"net/http"

	"flightdesk/api"
)

// ExplainError says what an error of the service means and what to do about it.
func ExplainError(err error) (what, advice string) {
	if errors.Is(err, api.ErrNoLegacy) {
		return "Quotes and the library need the v2 API.", "Add legacy_base_url to the profile."
	}
	var lost *api.TransportError
	if errors.As(err, &lost) && lost.Sent && !lost.Timeout() {
		return asSentence(lost.Reason()), ""
	}
	if lost != nil {
		return asSentence(lost.Reason()), "Check that the service is running and the address is correct."
	}
	var e *api.Error
	if !errors.As(err, &e) {
		return asSentence(err.Error()), ""
	}
	switch {
	case e.Status == http.StatusUnauthorized:
		return "API key rejected: " + e.Message, "It may be mistyped, expired or revoked; check the profile's credential."
	case e.Code == api.CodeMissingScope || e.Status == http.StatusForbidden && e.Code == "":
		return "Not permitted: " + e.Message, "Use a key with this scope or another profile."
	case e.Status == http.StatusForbidden:
		return "Not in this account: " + e.Message, "Switch to the account's profile."
	case e.Status == http.StatusAccepted:
		return "The service is still working on it (HTTP 202).", ""
	case e.Foreign:
		return fmt.Sprintf("Unexpected response: %s (HTTP %d)", e.Message, e.Status), "Check base_url; a proxy or login page may have answered."
	case len(e.Fields) > 0:
		return fmt.Sprintf("%s rejected: %s", pluralSuffix(len(e.Fields)), e.Message), ""
	case e.RequestID != "":
		return fmt.Sprintf("%s (HTTP %d)", asSentence(e.Message), e.Status), "Request ID for support: " + e.RequestID
	default:
		return fmt.Sprintf("%s (HTTP %d)", asSentence(e.Message), e.Status), ""
	}
}

func pluralSuffix(n int) string {
	if n == 1 {
		return "one value"
	}
	return fmt.Sprintf("%d values", n)
}

func asSentence(s string) string {
	if s == "" {
		return "Unexpected error"
	}
	if s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

package answer_test

import (
	"net/http"
	"testing"
	"time"

	"flightdesk/api/internal/answer"
)

func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "Sat, 14 Mar 2026 09:27:53 GMT": time.Minute, "Sat, 14 Mar 2026 09:00:00 GMT": 0,
		"99999999999": 0,
	} {
		h := http.Header{"Retry-After": {text}, "Date": {"Sat, 14 Mar 2026 09:26:53 GMT"}}
		if got := answer.RetryAfter(h); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

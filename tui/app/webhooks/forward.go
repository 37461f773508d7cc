package webhooks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"flightdesk/api"
)

// rawCallback is a callback as it came.
type rawCallback struct {
	header http.Header
	body   []byte
}

type rawKey struct{}

// maxRaw is more than a receiver takes of a callback.
const maxRaw = 2 << 20

// keepRaw has the callback go along with the context of its handler.
func keepRaw(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRaw))
		if err != nil {
			http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), rawKey{}, rawCallback{r.Header, body}))
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// forwarding is how long the receiver that is forwarded to may take: the
// service waits for 5 seconds in all.
const forwarding = 4 * time.Second

// forwarder follows no redirect: it would turn the callback into a GET without it, or
// hand it to another host.
var forwarder = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// ForwardCallback sends the callback that is being handled on as it came, signature and
// all.
func ForwardCallback(ctx context.Context, to string) error {
	ctx, cancel := context.WithTimeout(ctx, forwarding)
	defer cancel()
	came, _ := ctx.Value(rawKey{}).(rawCallback)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(came.body))
	if err != nil {
		return err
	}
	for _, name := range []string{"Content-Type", api.HeaderSignature, api.HeaderEvent, api.HeaderDelivery, api.HeaderTimestamp} {
		if values := came.header.Values(name); len(values) > 0 {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	res, err := forwarder.Do(req)
	if err != nil {
		return fmt.Errorf("forward target not answering: %w", err)
	}
	_ = res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("forward target answered %d", res.StatusCode)
	}
	return nil
}

package api

import (
	"context"
	"net/http"
	"time"
)

// Metadata has the headers of an answer that describe it.
type Metadata struct {
	Status    int
	RequestID string    // the service's X-Request-Id, to name the request by
	Date      time.Time // by the service's clock; zero where it did not say
	Attempt   int       // 1, and more where the request was sent again
	Header    http.Header
}

type metadataKey struct{}

// WithMetadata returns a context that has calls write down what their answers
// say of themselves. Of several requests, the last one stays: a list that is
// walked, say, makes one for each page. Calls that run side by side need a
// context each.
//
//	var of api.Metadata
//	order, err := c.Orders.Get(api.WithMetadata(ctx, &of), code)
//	log.Print(of.RequestID)
func WithMetadata(ctx context.Context, into *Metadata) context.Context {
	return context.WithValue(ctx, metadataKey{}, into)
}

// noteMetadata writes an answer's metadata down for who wants them.
func noteMetadata(ctx context.Context, resp *http.Response, attempt int) {
	into, _ := ctx.Value(metadataKey{}).(*Metadata)
	if into == nil {
		return
	}
	date, _ := http.ParseTime(resp.Header.Get("Date")) // zero where there is none
	*into = Metadata{resp.StatusCode, resp.Header.Get("X-Request-Id"), date, attempt, resp.Header.Clone()}
}

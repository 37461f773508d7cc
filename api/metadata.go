package api

import (
	"context"
	"net/http"
	"time"
)

// Metadata describes the response to a call.
type Metadata struct {
	Status    int
	RequestID string    // X-Request-Id of the service, to quote in a support request
	Date      time.Time // by the service's clock; zero if the response has no Date
	Attempt   int       // 1, or more if the request was repeated
	Header    http.Header
}

type metadataKey struct{}

// WithMetadata returns a context with which calls store the metadata of their response in
// meta. If a call sends several requests, such as one for each page of a list, the
// metadata of the last response remain. Concurrent calls need separate contexts.
//
//	var meta api.Metadata
//	order, err := c.Orders.Get(api.WithMetadata(ctx, &meta), code)
//	log.Print(meta.RequestID)
func WithMetadata(ctx context.Context, meta *Metadata) context.Context {
	return context.WithValue(ctx, metadataKey{}, meta)
}

// saveMetadata stores the metadata of a response if the context was made by [WithMetadata].
func saveMetadata(ctx context.Context, resp *http.Response, attempt int) {
	meta, _ := ctx.Value(metadataKey{}).(*Metadata)
	if meta == nil {
		return
	}
	date, _ := http.ParseTime(resp.Header.Get("Date")) // zero if there is no date
	*meta = Metadata{
		Status:    resp.StatusCode,
		RequestID: resp.Header.Get("X-Request-Id"),
		Date:      date,
		Attempt:   attempt,
		Header:    resp.Header.Clone(),
	}
}

package server

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

const (
	maxQueuedRequests = 4096                   // waiting to be written
	maxBatch          = 500                    // in a transaction
	writePause        = 500 * time.Millisecond // between two transactions
	recordTimeout     = 10 * time.Second       // for a transaction

	maxUnknown          = 10_000 // logged requests without a known account per hour
	maxUnknownOfAddress = 1_000  // the same, from one address
	maxRecordedPath     = 300    // bytes
)

// requestLog records the requests of accounts for support. Requests are written in
// batches, shortly after they were answered. If there are more requests than can be
// written, some are dropped and counted.
type requestLog struct {
	domain *domain.Service
	log    *slog.Logger
	queue  chan domain.LoggedRequest
	reads  chan chan struct{} // flush sends a channel here; it is closed when the whole queue is written
	work   backgroundWork

	written, dropped atomic.Uint64 // numbers of requests
	unknown          hourlyCounter // counts requests without a known account, for maxUnknown and maxUnknownOfAddress
}

func newRequestLog(d *domain.Service, log *slog.Logger) *requestLog {
	return &requestLog{
		domain: d,
		log:    log,
		queue:  make(chan domain.LoggedRequest, maxQueuedRequests),
		reads:  make(chan chan struct{}),
	}
}

// record queues a request that was answered, if it was sent to the public API, the v2 API or
// the link of a file.
func (l *requestLog) record(x *exchange, took time.Duration) {
	path := x.r.URL.Path
	isLink := strings.HasPrefix(path, filesPath)
	isAPI := strings.HasPrefix(path, PublicPath+"/") || strings.HasPrefix(path, LegacyPath+"/")
	if !isLink && !isAPI {
		return
	}
	select {
	case l.queue <- newLoggedRequest(x, took, isAPI):
	default: // the queue is full
		l.dropped.Add(1)
	}
}

// newLoggedRequest returns the log entry of a request, with its account and key if they are known.
// If they are not known and isAPI is true, the entry has the hash of the key that was sent.
func newLoggedRequest(x *exchange, took time.Duration, isAPI bool) domain.LoggedRequest {
	request := domain.LoggedRequest{
		FileID: x.fileID,
		Request: store.Request{
			Created:   x.now().UTC().Truncate(time.Millisecond),
			Method:    knownMethod(x.r.Method),
			Path:      recordedPath(x.r.URL.EscapedPath()),
			Subject:   x.subjectName(),
			Status:    x.status,
			Code:      string(x.errorCode()),
			Address:   x.address,
			Took:      took,
			RequestID: x.id,
		},
	}
	if caller := x.knownCaller(); caller != nil {
		request.AccountID = caller.Account.ID
		request.KeyUUID = caller.KeyUUID
		request.KeyHint = caller.KeyHint
	} else if isAPI {
		request.KeyHash = domain.HashKey(keyOf(x.r.Header))
	}
	return request
}

// recordedPath returns a path without the token of a link, shortened to maxRecordedPath.
func recordedPath(path string) string {
	path = loggedPath(path)
	if len(path) > maxRecordedPath {
		path = path[:maxRecordedPath] + "…"
	}
	return strings.ToValidUTF8(path, "")
}

// subjectName returns the UUID or code of the record that the request is about: the record that it
// created, otherwise the record in its path. It returns "" if there is none.
func (x *exchange) subjectName() string {
	if x.created != "" {
		return x.created
	}
	for _, name := range []string{"uuid", "code", "id", "orderId"} {
		if value := x.r.PathValue(name); isName(value) {
			return value
		}
	}
	return ""
}

// isName reports whether a part of a path can be a UUID or a code.
func isName(value string) bool {
	if value == "" || len(value) > len("00000000-0000-0000-0000-000000000000") {
		return false
	}
	return !strings.ContainsFunc(value, notOfRequestID)
}

// knownCaller returns the sender of the request, or nil if unknown. The sender is also
// known if the key was revoked or has expired.
func (x *exchange) knownCaller() *domain.Caller {
	if x.caller == nil && x.refusal != nil {
		return x.refusal.Refused
	}
	return x.caller
}

// errorCode returns the error code of the answer, or "" for a success.
func (x *exchange) errorCode() api.ErrorCode {
	if x.refusal == nil {
		return ""
	}
	return x.refusal.Code
}

// run writes the queue regularly until ctx ends, and then once more.
func (l *requestLog) run(ctx context.Context) {
	pause := time.NewTimer(writePause)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			l.writeQueued(context.WithoutCancel(ctx))
			return
		case done := <-l.reads:
			l.writeQueued(ctx)
			close(done)
		case <-pause.C:
			l.writeBatch(ctx)
			pause.Reset(writePause)
		}
	}
}

// flush waits until all queued requests are written.
func (l *requestLog) flush(ctx context.Context) {
	done := make(chan struct{})
	select {
	case l.reads <- done:
	case <-ctx.Done():
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// writeQueued writes the current queue.
func (l *requestLog) writeQueued(ctx context.Context) {
	for range maxQueuedRequests/maxBatch + 1 {
		if !l.writeBatch(ctx) {
			return
		}
	}
}

// writeBatch writes the oldest queued requests. It returns false if the queue is empty,
// or if the requests could not be written and were dropped.
func (l *requestLog) writeBatch(ctx context.Context) bool {
	batch := l.takeBatch()
	if len(batch) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	if err := l.domain.Requests.Record(ctx, batch, l.isWanted); err != nil {
		l.dropped.Add(uint64(len(batch)))
		l.log.Debug("requests were not recorded", "requests", len(batch), "error", err)
		return false
	}
	l.written.Add(uint64(len(batch)))
	return true
}

// takeBatch removes the oldest requests from the queue and returns them. It does not wait
// for requests.
func (l *requestLog) takeBatch() []domain.LoggedRequest {
	var batch []domain.LoggedRequest
	for len(batch) < maxBatch {
		select {
		case request := <-l.queue:
			batch = append(batch, request)
		default: // the queue is empty
			return batch
		}
	}
	return batch
}

// isWanted reports whether a request is logged. Requests without a known account are
// logged only if a key or link was refused, and only up to a limit, so that nobody can
// fill the disk with them.
func (l *requestLog) isWanted(request *domain.LoggedRequest) bool {
	if request.AccountID != 0 {
		return true
	}
	switch api.ErrorCode(request.Code) {
	case api.CodeUnauthenticated, api.CodeNotYourResource, api.CodeLinkExpired:
	default:
		return false
	}
	now := time.Now()
	fromAddress, _ := l.unknown.count("address "+request.Address, now)
	if fromAddress > maxUnknownOfAddress {
		return false
	}
	total, _ := l.unknown.count("all", now)
	return total <= maxUnknown
}

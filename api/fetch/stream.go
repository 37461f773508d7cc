package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"flightdesk/api/internal/answer"
)

// fetchChunk requests one range and writes the response to the part. hire starts a helper; it is
// nil if the caller is a helper.
func (t *fileTransfer) fetchChunk(ctx context.Context, w *fileChunk, hire func()) (err error) {
	defer t.releaseChunk(w)
	file, listing := t.freshLink(ctx)
	if file.URL == "" {
		return &linkRefusedError{0, listing}
	}
	host := t.linkHost()
	if hire != nil {
		if err := t.q.hosts.acquireConnection(ctx, host); err != nil {
			return err
		}
	} else if !t.q.hosts.tryConnect(host) {
		return &serverBusyError{}
	}
	t.it.connections.Add(1)
	defer func() {
		t.it.connections.Add(-1)
		t.q.hosts.releaseConnection(host, err == nil)
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(t.q.o.pace.stall, func() { cancel(errStalled) })
	defer stall.Stop()
	resp, err := t.q.sendRequest(ctx, http.MethodGet, file.URL, t.rangeHeader(w))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if isLinkRefusal(resp.StatusCode) {
		return &linkRefusedError{resp.StatusCode, listing}
	}
	if err := t.checkResponse(resp, w, file.Size); err != nil {
		return err
	}
	if hire != nil {
		t.addHelpers(hire)
	}
	return t.streamBody(ctx, resp, w, stall)
}

// freshLink returns the file, with a renewed link if the link is too old.
func (t *fileTransfer) freshLink(ctx context.Context) (file File, listing int) {
	file, listing = t.listedFile()
	age := time.Since(file.Listed.Round(0)) // by the wall clock, since the machine may have slept
	if !file.Listed.IsZero() && age > t.q.o.pace.linkAge && t.folder.pkg.List != nil {
		if err := t.folder.renewLinks(ctx, listing); err == nil {
			file, listing = t.listedFile()
		}
	}
	return file, listing
}

// isLinkRefusal reports whether an HTTP status means that the link no longer works.
func isLinkRefusal(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// rangeHeader returns the headers that request a range if the file is unchanged.
func (t *fileTransfer) rangeHeader(w *fileChunk) http.Header {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := http.Header{}
	if t.whole {
		return h
	}
	end := ""
	if w.end >= 0 {
		end = strconv.FormatInt(w.end-1, 10)
	}
	h.Set("Range", "bytes="+strconv.FormatInt(w.pos, 10)+"-"+end)
	if t.tag.isKnown() {
		h.Set("If-Range", t.tag.ifRange())
	}
	return h
}

// checkResponse checks that a response has the requested range of the expected file.
func (t *fileTransfer) checkResponse(resp *http.Response, w *fileChunk, listed int64) error {
	if err := t.checkStatus(resp, w); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size := resp.ContentLength
	if resp.StatusCode == http.StatusPartialContent {
		from, to, total, ok := contentRange(resp.Header.Get("Content-Range"))
		if !ok || from != w.pos || w.end >= 0 && to > w.end {
			t.whole = true // the server does not support ranges correctly
			return errChanged
		}
		size = total
	}
	return t.checkSizes(resp, w, size, listed)
}

// checkStatus returns an error unless the response contains unencoded data of the file.
func (t *fileTransfer) checkStatus(resp *http.Response, w *fileChunk) error {
	code := resp.StatusCode
	switch code {
	case http.StatusOK, http.StatusPartialContent:
		encoding := resp.Header.Get("Content-Encoding")
		if encoding != "" && encoding != "identity" {
			return &unexpectedResponseError{"the server sent the file encoded despite the request"}
		}
		return nil
	case http.StatusRequestedRangeNotSatisfiable:
		return t.handleRangeNotSatisfiable(resp, w)
	case http.StatusPreconditionFailed:
		return errChanged
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return &serverBusyError{status: code, after: answer.RetryAfter(resp.Header)}
	}
	if code >= 500 {
		return &serverBusyError{status: code, after: answer.RetryAfter(resp.Header)}
	}
	return &unexpectedResponseError{fmt.Sprintf("the server does not send the file (HTTP %d)", code)}
}

// checkSizes compares a response with what is known of the file, and records what it adds;
// t.mu is held.
func (t *fileTransfer) checkSizes(resp *http.Response, w *fileChunk, size, listed int64) error {
	first := len(t.done) == 0 && len(t.working) == 1 && w.pos == 0
	tag := validatorOf(resp)
	if err := t.compareVersion(resp, w, tag, size, first); err != nil {
		return err
	}
	if size >= 0 && listed >= 0 && size != listed {
		return &sizeFault{listed: listed, sent: size}
	}
	if first {
		t.tag = tag
		t.digest = readDigest(resp.Header)
		t.sum = newHasherFor(t.digest, t.q.o.SHA256)
	}
	if t.host == "" {
		t.host = resp.Request.URL.Host
		t.dated, _ = http.ParseTime(resp.Header.Get("Last-Modified"))
	}
	if size >= 0 {
		t.size = size
		t.it.size.Store(size)
		if w.end < 0 {
			w.end = size
			limit := t.chunkSize(0)
			if limit > 0 && t.tag.isKnown() { // leave the rest to helpers
				w.end = min(size, w.pos+limit)
			}
		}
	}
	return nil
}

// compareVersion returns errChanged if a response does not belong to the version of the file
// that the part has. first reports whether it is the first response for the part.
func (t *fileTransfer) compareVersion(
	resp *http.Response,
	w *fileChunk,
	tag fileVersion,
	size int64,
	first bool,
) error {
	if resp.StatusCode == http.StatusOK {
		// If the file is unchanged, the server does not support ranges.
		t.whole = t.whole || !t.tag.isKnown() || t.tag.isSame(tag)
		if !first {
			return errChanged
		}
		w.end = size
		return nil
	}
	isOnlyPart := w.end >= 0 && w.end < size
	if !tag.isKnown() && (!first || isOnlyPart) {
		t.whole = true // ranges of different versions could not be told apart
		return errChanged
	}
	if first {
		return nil
	}
	otherSize := size >= 0 && t.size >= 0 && size != t.size
	if d := readDigest(resp.Header); otherSize || !t.tag.isSame(tag) || !t.digest.mayAgree(d) {
		return errChanged
	}
	return nil
}

// handleRangeNotSatisfiable handles a 416 response: the file is empty or has changed, or the server does not
// support ranges correctly.
func (t *fileTransfer) handleRangeNotSatisfiable(resp *http.Response, w *fileChunk) error {
	_, size, _ := strings.Cut(resp.Header.Get("Content-Range"), "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size != 0 && size == strconv.FormatInt(t.size, 10) && t.size > w.pos || size == "" || size == "*" {
		t.whole = true
	}
	if size == "0" && w.pos == 0 {
		t.whole = true // the next request has no range and gets the empty file
	}
	return errChanged
}

// contentRange parses "bytes 0-9/100". to is the position after the last byte; total is -1 if
// it is unknown.
func contentRange(s string) (from, to, total int64, ok bool) {
	s, found := strings.CutPrefix(strings.ToLower(s), "bytes ")
	part, all, cut := strings.Cut(s, "/")
	first, last, cut2 := strings.Cut(part, "-")
	from, err1 := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	to, err2 := strconv.ParseInt(strings.TrimSpace(last), 10, 64)
	total = -1
	var err3 error
	all = strings.TrimSpace(all)
	if all != "*" {
		total, err3 = strconv.ParseInt(all, 10, 64)
	}
	ok = found && cut && cut2 && errors.Join(err1, err2, err3) == nil && from >= 0 && to >= from &&
		(total < 0 || to < total)
	return from, to + 1, total, ok
}

// validatorOf returns the ETag or date by which the version of a file can be recognized. A date
// only counts if it is at least a minute before the response, because a file can change twice
// within a second.
func validatorOf(resp *http.Response) (v fileVersion) {
	if tag := resp.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		v.ETag = tag
		return v
	}
	changed, err1 := http.ParseTime(resp.Header.Get("Last-Modified"))
	now, err2 := http.ParseTime(resp.Header.Get("Date"))
	if err1 == nil && err2 == nil && now.Sub(changed) >= time.Minute {
		v.Modified = resp.Header.Get("Last-Modified")
	}
	return v
}

// addHelpers starts helpers for a large file.
func (t *fileTransfer) addHelpers(hire func()) {
	t.mu.Lock()
	large := !t.whole && t.tag.isKnown() && t.size >= t.q.o.PartsFrom && time.Now().After(t.alone)
	t.mu.Unlock()
	for large && int(t.helpers.Load()) < t.q.o.Parts-1 {
		t.helpers.Add(1)
		hire()
	}
}

// streamBody writes a response to the part, up to the end of the range.
func (t *fileTransfer) streamBody(ctx context.Context, resp *http.Response, w *fileChunk, stall *time.Timer) error {
	buffer := t.q.buffers.Get().(*[]byte)
	defer t.q.buffers.Put(buffer)
	for {
		stall.Reset(t.q.o.pace.stall)
		throttle := t.q.throttle.Load()
		n, err := resp.Body.Read((*buffer)[:throttle.Burst()])
		stall.Stop()
		if n > 0 {
			full, writeErr := t.writeBytes(w, (*buffer)[:n])
			if writeErr != nil || full {
				return writeErr
			}
			if throttle.WaitN(ctx, n) != nil {
				return context.Cause(ctx)
			}
		}
		if err == io.EOF {
			return t.finishChunk(w)
		}
		if err != nil {
			return describeBreak(ctx, resp.Request.URL.Host, err)
		}
	}
}

// describeBreak returns the error for a response that ended too early.
func describeBreak(ctx context.Context, host string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return &transportError{host: host, err: cause}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errShort
	}
	return &transportError{host: host, err: err}
}

// finishChunk checks at the end of a response whether the range is complete.
func (t *fileTransfer) finishChunk(w *fileChunk) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.end >= 0 {
		if w.pos < w.end {
			return errShort
		}
		return nil
	}
	if listed := t.it.size.Load(); listed >= 0 && listed != w.pos {
		if t.ended == w.pos { // twice at the same position: the server has no more data
			return &sizeFault{listed: listed, sent: w.pos}
		}
		t.ended = w.pos
		return errShort
	}
	t.size = w.pos
	w.end = w.pos
	t.it.size.Store(t.size)
	return nil
}

// writeBytes writes received bytes to the part, adds them to the digest, and reports whether the
// range is complete. It updates the position last, so all bytes before the position are written.
func (t *fileTransfer) writeBytes(w *fileChunk, b []byte) (full bool, err error) {
	t.mu.Lock()
	pos := w.pos
	sum := t.sum
	if w.end >= 0 && int64(len(b)) > w.end-pos {
		b = b[:w.end-pos]
	}
	t.mu.Unlock()
	if _, err := t.q.o.write(t.part, b, pos); err != nil {
		return false, onDisk(err)
	}
	sum.offerBytes(b, pos)
	t.mu.Lock()
	w.pos += int64(len(b))
	full = w.end >= 0 && w.pos >= w.end
	t.mu.Unlock()
	t.it.done.Add(int64(len(b)))
	t.q.received.Add(int64(len(b)))
	return full, nil
}

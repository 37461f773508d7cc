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

// fetchChunk asks for one range and writes what comes. hire gets a helper.
func (t *fileTransfer) fetchChunk(ctx context.Context, w *fileChunk, hire func()) (err error) {
	defer t.giveBack(w)
	file, listing := t.freshLink(ctx)
	if file.URL == "" {
		return &linkRefusedError{0, listing}
	}
	host := t.linkHost()
	if hire != nil {
		if err := t.q.hosts.takeConnection(ctx, host); err != nil {
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
	if err := t.acceptAnswer(resp, w, file.Size); err != nil {
		return err
	}
	if hire != nil {
		t.addHelpers(hire)
	}
	return t.streamBody(ctx, resp, w, stall)
}

// freshLink returns the file with a link that is not too old.
func (t *fileTransfer) freshLink(ctx context.Context) (file File, listing int) {
	file, listing = t.listedFile()
	age := time.Since(file.Listed.Round(0)) // by the wall: this machine may have slept
	if !file.Listed.IsZero() && age > t.q.o.pace.linkAge && t.folder.pkg.List != nil {
		if err := t.folder.renewLinks(ctx, listing); err == nil {
			file, listing = t.listedFile()
		}
	}
	return file, listing
}

func isLinkRefusal(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// rangeHeader asks for a range on condition that the file is still the same.
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

// acceptAnswer checks that an answer is what was asked for.
func (t *fileTransfer) acceptAnswer(resp *http.Response, w *fileChunk, listed int64) error {
	switch code := resp.StatusCode; {
	case code == http.StatusOK || code == http.StatusPartialContent:
		if kind := resp.Header.Get("Content-Encoding"); kind != "" && kind != "identity" {
			return &unexpectedAnswerError{"the server sent the file encoded despite the request"}
		}
	case code == http.StatusRequestedRangeNotSatisfiable:
		return t.outOfRange(resp, w)
	case code == http.StatusPreconditionFailed:
		return errChanged
	case code == http.StatusRequestTimeout,
		code == http.StatusTooEarly,
		code == http.StatusTooManyRequests,
		code >= 500:
		return &serverBusyError{code, answer.RetryAfter(resp.Header)}
	default:
		return &unexpectedAnswerError{fmt.Sprintf("the server does not send the file (HTTP %d)", code)}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size := resp.ContentLength
	if resp.StatusCode == http.StatusPartialContent {
		from, to, total, ok := contentRange(resp.Header.Get("Content-Range"))
		if !ok || from != w.pos || w.end >= 0 && to > w.end {
			t.whole = true // it does not understand ranges as we do
			return errChanged
		}
		size = total
	}
	return t.checkSizes(resp, w, size, listed)
}

// checkSizes holds an answer against what is known of the file; t.mu is held.
func (t *fileTransfer) checkSizes(resp *http.Response, w *fileChunk, size, listed int64) error {
	first := len(t.done) == 0 && len(t.working) == 1 && w.pos == 0
	tag := validatorOf(resp)
	if err := t.compareVersion(resp, w, tag, size, first); err != nil {
		return err
	}
	if size >= 0 && listed >= 0 && size != listed {
		return &sizeFault{listed, size}
	}
	if first {
		t.tag, t.digest = tag, readDigest(resp.Header)
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
			if limit := t.chunkSize(0); limit > 0 && t.tag.isKnown() { // others may fetch the rest
				w.end = min(size, w.pos+limit)
			}
		}
	}
	return nil
}

// compareVersion returns errChanged where an answer does not go with what there is of
// the file.
func (t *fileTransfer) compareVersion(
	resp *http.Response,
	w *fileChunk,
	tag fileVersion,
	size int64,
	first bool,
) error {
	switch {
	case resp.StatusCode == http.StatusOK:
		// Where the file is still the same the server does not do ranges.
		t.whole = t.whole || !t.tag.isKnown() || t.tag.isSame(tag)
		if !first {
			return errChanged
		}
		w.end = size
		return nil
	case !tag.isKnown() && (!first || w.end >= 0 && w.end < size):
		t.whole = true // its parts cannot be told from those of another file
		return errChanged
	case first:
		return nil
	}
	otherSize := size >= 0 && t.size >= 0 && size != t.size
	if d := readDigest(resp.Header); otherSize || !t.tag.isSame(tag) || !t.digest.mayAgree(d) {
		return errChanged
	}
	return nil
}

// outOfRange returns an answer that the range is beyond the file's end: the file is
// empty, or not the one that it was.
func (t *fileTransfer) outOfRange(resp *http.Response, w *fileChunk) error {
	_, size, _ := strings.Cut(resp.Header.Get("Content-Range"), "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size != 0 && size == strconv.FormatInt(t.size, 10) && t.size > w.pos || size == "" || size == "*" {
		t.whole = true
	}
	if size == "0" && w.pos == 0 {
		t.whole = true // asked without a range, the empty file comes
	}
	return errChanged
}

// contentRange reads "bytes 0-9/100"; total is -1 where it is not known, to is
// the byte after the last.
func contentRange(s string) (from, to, total int64, ok bool) {
	s, found := strings.CutPrefix(strings.ToLower(s), "bytes ")
	part, all, cut := strings.Cut(s, "/")
	first, last, cut2 := strings.Cut(part, "-")
	from, err1 := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	to, err2 := strconv.ParseInt(strings.TrimSpace(last), 10, 64)
	total = -1
	var err3 error
	if all = strings.TrimSpace(all); all != "*" {
		total, err3 = strconv.ParseInt(all, 10, 64)
	}
	ok = found && cut && cut2 && errors.Join(err1, err2, err3) == nil && from >= 0 && to >= from &&
		(total < 0 || to < total)
	return from, to + 1, total, ok
}

// validatorOf returns what the answer's file can be recognised by. A date
// counts only where it is older than the answer: the file may change twice in
// a second.
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

// addHelpers gets helpers for a large file.
func (t *fileTransfer) addHelpers(hire func()) {
	t.mu.Lock()
	large := !t.whole && t.tag.isKnown() && t.size >= t.q.o.PartsFrom && time.Now().After(t.alone)
	t.mu.Unlock()
	for large && int(t.helpers.Load()) < t.q.o.Parts-1 {
		t.helpers.Add(1)
		hire()
	}
}

// streamBody writes what comes, up to the end of the range.
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

// describeBreak says why an answer ended before its time.
func describeBreak(ctx context.Context, host string, err error) error {
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return &transportError{host, cause}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errShort
	default:
		return &transportError{host, err}
	}
}

// finishChunk decides on an answer that has come to its end.
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
		if t.ended == w.pos { // not cut off: the server has no more
			return &sizeFault{listed, w.pos}
		}
		t.ended = w.pos
		return errShort
	}
	t.size, w.end = w.pos, w.pos
	t.it.size.Store(t.size)
	return nil
}

// writeBytes writes what a connection has sent, works it into the digest, and reports
// whether its range is full. Its position moves on last: what is before it is on disk.
func (t *fileTransfer) writeBytes(w *fileChunk, b []byte) (full bool, err error) {
	t.mu.Lock()
	pos, sum := w.pos, t.sum
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

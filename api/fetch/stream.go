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

// fetchChunk downloads one range into the part. startHelper starts a helper; it is nil if the caller is
// a helper.
func (t *fileTransfer) fetchChunk(ctx context.Context, w *fileChunk, startHelper func()) (err error) {
	defer t.releaseChunk(w)
	file, listing := t.freshLink(ctx)
	if file.URL == "" {
		return &linkRefusedError{listing: listing}
	}
	host := t.linkHost()
	isHelper := startHelper == nil
	connectErr := t.connect(ctx, host, isHelper)
	if connectErr != nil {
		return connectErr
	}
	t.it.connections.Add(1)
	defer func() {
		t.it.connections.Add(-1)
		t.q.hosts.releaseConnection(host, err == nil)
	}()
	return t.requestChunk(ctx, w, file, listing, startHelper)
}

// requestChunk requests one range from the link of the file and writes the response to the part. listing
// is the number of the listing that has the link.
func (t *fileTransfer) requestChunk(
	ctx context.Context,
	w *fileChunk,
	file File,
	listing int,
	startHelper func(),
) error {
	requestCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(t.q.o.pace.stall, func() { cancel(errStalled) })
	defer stall.Stop()
	resp, err := t.q.sendRequest(requestCtx, http.MethodGet, file.URL, t.rangeHeader(w))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if isLinkRefusal(resp.StatusCode) {
		return &linkRefusedError{status: resp.StatusCode, listing: listing}
	}
	if err := t.checkResponse(resp, w, file.Size); err != nil {
		return err
	}
	if startHelper != nil {
		t.addHelpers(startHelper) // now that the response shows whether the server supports ranges
	}
	return t.streamBody(requestCtx, resp, w, stall)
}

// connect reserves a connection to a server. A helper does not wait for a connection.
func (t *fileTransfer) connect(ctx context.Context, host string, isHelper bool) error {
	if !isHelper {
		return t.q.hosts.acquireConnection(ctx, host)
	}
	if !t.q.hosts.tryConnect(host) {
		return &serverBusyError{}
	}
	return nil
}

// freshLink returns the file, with a renewed link if the link is too old.
func (t *fileTransfer) freshLink(ctx context.Context) (file File, listing int) {
	file, listing = t.listedFile()
	age := time.Since(file.Listed.Round(0)) // by the wall clock, since the machine may have slept
	isOld := !file.Listed.IsZero() && age > t.q.o.pace.linkAge
	if !isOld || t.folder.pkg.List == nil {
		return file, listing
	}
	if err := t.folder.renewLinks(ctx, listing); err != nil {
		return file, listing // the old link may still work
	}
	return t.listedFile()
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
	if t.withoutRanges {
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

// checkResponse checks that a response has the requested range of the expected file. listedSize is the
// size that the service lists.
func (t *fileTransfer) checkResponse(resp *http.Response, w *fileChunk, listedSize int64) error {
	if err := t.checkStatus(resp, w); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size := resp.ContentLength
	if resp.StatusCode == http.StatusPartialContent {
		sent, ok := parseContentRange(resp.Header.Get("Content-Range"))
		isBeyond := w.end >= 0 && sent.end > w.end
		if !ok || sent.from != w.pos || isBeyond {
			t.withoutRanges = true // the server does not support ranges correctly
			return errChanged
		}
		size = sent.fileSize
	}
	return t.checkSizes(resp, w, size, listedSize)
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

// checkSizes compares a response with the version and the size of the file, and records them if this is
// the first response. size is the size of the file in the response, and listedSize is the size that
// the service lists. A size is below 0 if it is unknown. The caller must hold t.mu.
func (t *fileTransfer) checkSizes(resp *http.Response, w *fileChunk, size, listedSize int64) error {
	isFirst := len(t.done) == 0 && len(t.working) == 1 && w.pos == 0
	tag := validatorOf(resp)
	if err := t.compareVersion(resp, w, tag, size, isFirst); err != nil {
		return err
	}
	if size >= 0 && listedSize >= 0 && size != listedSize {
		return &sizeFault{listed: listedSize, sent: size}
	}
	if isFirst {
		t.tag = tag
		t.digest = readDigest(resp.Header)
		t.sum = newHasherFor(t.digest, t.q.o.SHA256)
	}
	if t.host == "" {
		t.host = resp.Request.URL.Host
		t.lastModified, _ = http.ParseTime(resp.Header.Get("Last-Modified"))
	}
	if size >= 0 {
		t.setSize(size, w)
	}
	return nil
}

// setSize sets the size of the file when it becomes known. If w has no end yet, it gets one. In a
// large file, this end is early, so that helpers can download other ranges.
func (t *fileTransfer) setSize(size int64, w *fileChunk) {
	t.size = size
	t.it.size.Store(size)
	if w.end >= 0 {
		return
	}
	w.end = size
	limit := t.chunkSize(0)
	if limit > 0 && t.tag.isKnown() {
		w.end = min(size, w.pos+limit)
	}
}

// compareVersion checks that a response belongs to the same version of the file as the bytes in the
// part. If it does not, or if the response does not show its version, the result is errChanged.
// isFirst is true for the first response for the part. If the response shows that ranges cannot be
// used, compareVersion records this.
func (t *fileTransfer) compareVersion(
	resp *http.Response,
	w *fileChunk,
	tag fileVersion,
	size int64,
	isFirst bool,
) error {
	if resp.StatusCode == http.StatusOK {
		return t.acceptWholeFile(w, tag, size, isFirst)
	}
	coversWholeFile := isFirst && (w.end < 0 || w.end >= size) // needs no other ranges
	if !coversWholeFile && !tag.isKnown() {
		t.withoutRanges = true // ranges of different versions could not be told apart
		return errChanged
	}
	if isFirst {
		return nil // there is no earlier response to compare with
	}
	hasOtherSize := size >= 0 && t.size >= 0 && size != t.size
	if hasOtherSize || !t.tag.isSame(tag) || !t.digest.mayAgree(readDigest(resp.Header)) {
		return errChanged
	}
	return nil
}

// acceptWholeFile handles a response in which the server sent the whole file instead of a range. If
// the part is still empty, it extends w to the whole file. Otherwise it returns errChanged, because
// the part must be downloaded again from the first byte.
func (t *fileTransfer) acceptWholeFile(w *fileChunk, tag fileVersion, size int64, isFirst bool) error {
	hasChanged := t.tag.isKnown() && !t.tag.isSame(tag)
	if !hasChanged { // a server that supports ranges sends the whole file only if it has changed
		t.withoutRanges = true
	}
	if !isFirst {
		return errChanged
	}
	w.end = size
	return nil
}

// handleRangeNotSatisfiable handles a response with status 416: the file is empty or has
// changed, or the server does not support ranges correctly.
func (t *fileTransfer) handleRangeNotSatisfiable(resp *http.Response, w *fileChunk) error {
	_, size, _ := strings.Cut(resp.Header.Get("Content-Range"), "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	isUnknown := size == "" || size == "*"
	isUnchanged := size == strconv.FormatInt(t.size, 10)
	isWithinFile := t.size != 0 && w.pos < t.size
	if isUnchanged && isWithinFile {
		t.withoutRanges = true // the server has no reason to refuse the range
	}
	isEmpty := size == "0" && w.pos == 0
	if isUnknown || isEmpty {
		t.withoutRanges = true // the next request has no range and gets the whole file
	}
	return errChanged
}

// sentRange is the range in a response.
type sentRange struct {
	byteRange
	fileSize int64 // of the whole file; -1 if unknown
}

// parseContentRange parses a Content-Range header such as "bytes 0-9/100" or "bytes 0-9/*".
func parseContentRange(header string) (sent sentRange, ok bool) {
	text, hasUnit := strings.CutPrefix(strings.ToLower(header), "bytes ")
	positions, size, hasSize := strings.Cut(text, "/")
	first, last, isRange := strings.Cut(positions, "-")
	if !hasUnit || !hasSize || !isRange {
		return sentRange{}, false
	}
	from, isFromValid := parsePosition(first)
	lastByte, isLastValid := parsePosition(last)
	if !isFromValid || !isLastValid || lastByte < from {
		return sentRange{}, false
	}
	sent.byteRange = byteRange{from: from, end: lastByte + 1}
	if strings.TrimSpace(size) == "*" {
		sent.fileSize = -1
		return sent, true
	}
	fileSize, isSizeValid := parsePosition(size)
	if !isSizeValid || lastByte >= fileSize {
		return sentRange{}, false
	}
	sent.fileSize = fileSize
	return sent, true
}

// parsePosition parses a position in a file, or the size of a file.
func parsePosition(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, err == nil && n >= 0
}

// validatorOf returns the ETag of a response or, without one, the Last-Modified date, by which the
// version of a file can be recognized. As in RFC 9110, a date counts only if it is at least a
// minute before the response. A file that was changed more recently could change again within the
// same second and keep its date.
func validatorOf(resp *http.Response) (v fileVersion) {
	if tag := resp.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return fileVersion{ETag: tag}
	}
	modified := resp.Header.Get("Last-Modified")
	changed, err := http.ParseTime(modified)
	if err != nil {
		return fileVersion{}
	}
	now, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil || now.Sub(changed) < time.Minute {
		return fileVersion{}
	}
	return fileVersion{Modified: modified}
}

// addHelpers starts helpers for a large file.
func (t *fileTransfer) addHelpers(startHelper func()) {
	t.mu.Lock()
	canSplit := !t.withoutRanges && t.tag.isKnown()
	isLarge := t.size >= t.q.o.PartsFrom
	mayHelp := time.Now().After(t.aloneUntil)
	t.mu.Unlock()
	if !canSplit || !isLarge || !mayHelp {
		return
	}
	for int(t.helpers.Load()) < t.q.o.Parts-1 {
		t.helpers.Add(1)
		startHelper()
	}
}

// streamBody writes the body of a response to the part, up to the end of the range. The timer stall
// cancels ctx if the server sends no data for too long. The timer is stopped while streamBody
// writes to disk or waits for the speed limit.
func (t *fileTransfer) streamBody(ctx context.Context, resp *http.Response, w *fileChunk, stall *time.Timer) error {
	buffer := t.q.buffers.Get().(*[]byte)
	defer t.q.buffers.Put(buffer)
	for {
		stall.Reset(t.q.o.pace.stall)
		throttle := t.q.throttle.Load()
		n, readErr := resp.Body.Read((*buffer)[:throttle.Burst()])
		stall.Stop()
		if n > 0 { // possibly with an error
			isFull, err := t.writeBytes(w, (*buffer)[:n])
			if err != nil {
				return err
			}
			if isFull {
				return nil
			}
			if throttle.WaitN(ctx, n) != nil {
				return context.Cause(ctx)
			}
		}
		if readErr == io.EOF {
			return t.finishChunk(w)
		}
		if readErr != nil {
			return describeBreak(ctx, resp.Request.URL.Host, readErr)
		}
	}
}

// describeBreak returns the error for a response that ended before the range was complete.
func describeBreak(ctx context.Context, host string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return &transportError{host: host, err: cause}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errShort
	}
	return &transportError{host: host, err: err}
}

// finishChunk checks whether the range is complete when a response has ended. If the size of the
// file is unknown, the end of the response is the end of the file. It returns an error if the file
// then has another size than the service lists.
func (t *fileTransfer) finishChunk(w *fileChunk) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.end >= 0 {
		if w.pos < w.end {
			return errShort
		}
		return nil
	}
	listed := t.it.size.Load()
	hasOtherSize := listed >= 0 && listed != w.pos
	if hasOtherSize && t.earlyEnd == w.pos { // twice at the same position: the server has no more data
		return &sizeFault{listed: listed, sent: w.pos}
	}
	if hasOtherSize {
		t.earlyEnd = w.pos
		return errShort
	}
	t.size = w.pos
	w.end = w.pos
	t.it.size.Store(t.size)
	return nil
}

// writeBytes writes received bytes to the part and hashes them. isFull is true if the range is
// complete. writeBytes updates w.pos only after it has written the bytes, so that the part always
// has all bytes before w.pos.
func (t *fileTransfer) writeBytes(w *fileChunk, b []byte) (isFull bool, err error) {
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
	isFull = w.end >= 0 && w.pos >= w.end
	t.mu.Unlock()
	t.it.done.Add(int64(len(b)))
	t.q.received.Add(int64(len(b)))
	return isFull, nil
}

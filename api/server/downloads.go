package server

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// downloadFile answers with the content of a file, or redirects to the bucket that contains the
// file. The client needs no API key: the link itself authorizes the download.
func (h *publicHandlers) downloadFile(x *exchange) (handlerAnswer, error) {
	id, err := h.links.verifyLink(x.r.PathValue("token"), x.r.PathValue("name"), h.now())
	x.fileID = id // for the request log, even if the link has expired
	if err != nil {
		return handlerAnswer{}, err
	}
	// The file is opened even if the download is redirected, to answer 404 if it was deleted.
	f, content, err := h.domain.Missions.OpenFile(x.r.Context(), id)
	if err != nil {
		return handlerAnswer{}, err
	}
	defer func() { _ = content.Close() }()
	header := x.w.Header()
	if err := setFileHeaders(header, f); err != nil {
		return handlerAnswer{}, err
	}
	bucket := h.bucket()
	isInBucket := bucket != nil && !demodata.IsSample(f.Place) // sample files are not stored anywhere
	if isInBucket && x.r.Method == http.MethodGet {
		return redirectDownload(x, bucket, f)
	}
	x.serveContent(f, content)
	return handlerAnswer{sent: true}, nil
}

// serveContent answers with the content of a file, or with the range of it in the request.
func (x *exchange) serveContent(f store.File, content io.ReadSeeker) {
	if x.r.Method == http.MethodHead { // ranges have no meaning for HEAD
		x.r.Header.Del("Range")
	}
	setRange(x.r.Header, f.Size)
	if remote, ok := content.(interface{ Want(end int64) }); ok {
		// A file in a bucket is requested only up to the end of the range.
		remote.Want(endOfRange(x.r.Header.Get("Range")))
	}
	w := &fileWriter{x: x}
	http.ServeContent(w, x.r, "", f.Created, content)
	if w.refused != 0 {
		x.refuseDownload(w.refused)
	}
}

// refuseDownload answers with status 416 or 412 instead of a file.
func (x *exchange) refuseDownload(status int) {
	for _, name := range []string{"Content-Disposition", "ETag", "Last-Modified", "Repr-Digest"} {
		x.w.Header().Del(name)
	}
	x.writeFault(status, 0, conditionFault(x.r.Header, status))
}

// conditionFault returns the error for a download that is refused with status 416 or 412. The
// error names the request header that caused it.
func conditionFault(header http.Header, status int) *domain.Error {
	fault := api.FieldError{Field: "Range", Message: "is beyond the end of the file; Content-Range has its size"}
	if status == http.StatusPreconditionFailed {
		fault = api.FieldError{Field: "If-Match", Message: "does not name the file's ETag; read it again with HEAD"}
		if header.Get("If-Match") == "" {
			fault = api.FieldError{Field: "If-Unmodified-Since", Message: "is before the file's Last-Modified"}
		}
	}
	return domain.RefuseFields([]api.FieldError{fault}, 1)
}

// bucketLinkLife is how long a link to the bucket is valid.
const bucketLinkLife = 5 * time.Minute

// redirectDownload redirects a download to the bucket.
func redirectDownload(x *exchange, bucket *files.S3, f store.File) (handlerAnswer, error) {
	link, err := bucket.Link(x.r.Context(), f.Place, contentDisposition(f.Name), f.MediaType, bucketLinkLife)
	if err != nil {
		return handlerAnswer{}, err
	}
	header := x.w.Header()
	for _, name := range []string{"Content-Type", "Content-Disposition", "ETag"} { // headers of the file, not of the redirect
		header.Del(name)
	}
	header.Set("Location", link)
	x.status = http.StatusTemporaryRedirect
	x.w.WriteHeader(x.status)
	return handlerAnswer{sent: true}, nil
}

// maxPosition is a number of digits. A position in a range with at most this many digits fits into
// an int64, so net/http can parse it.
const maxPosition = 18

// setRange rewrites the Range header of a request, because net/http does not handle all ranges as
// RFC 9110 requires:
//   - It removes a header in an unknown unit, so that the answer is the whole file.
//   - It removes ranges that no file can satisfy. If none is left, net/http answers with status
//     416.
//   - It replaces a last position that net/http cannot parse by the end of the file.
func setRange(header http.Header, size int64) {
	unit, list, isRange := strings.Cut(header.Get("Range"), "=")
	if !isRange || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		header.Del("Range")
		return
	}
	var ranges []string
	for spec := range strings.SplitSeq(list, ",") {
		first, last, isPair := strings.Cut(strings.TrimSpace(spec), "-")
		isWellFormed := isPair && strings.Trim(first+last, "0123456789") == ""
		if !isWellFormed {
			return // net/http refuses the header
		}
		if !isUnsatisfiable(first, last) {
			ranges = append(ranges, first+"-"+parsablePosition(first, last))
		}
	}
	if ranges == nil {
		// A range that begins at the end of the file is refused with status 416.
		ranges = append(ranges, strconv.FormatInt(size, 10)+"-")
	}
	header.Set("Range", "bytes="+strings.Join(ranges, ","))
}

// isUnsatisfiable reports whether a range begins beyond the end of any file, or has no bytes.
// The arguments are the text before and after the hyphen of the range. If first is "", the
// range is the last bytes of the file, and last is their number.
func isUnsatisfiable(first, last string) bool {
	if first == "" {
		return last != "" && strings.Trim(last, "0") == ""
	}
	return len(first) > maxPosition
}

// parsablePosition returns last, the last position of a range. If last has too many digits for
// net/http, it returns another position that selects the same bytes of the file. If first is "",
// last is the number of bytes at the end of the file.
func parsablePosition(first, last string) string {
	if len(last) <= maxPosition {
		return last
	}
	if first == "" { // a number of bytes, larger than any file
		return strconv.FormatInt(math.MaxInt64, 10)
	}
	return "" // the end of the file
}

// endOfRange returns the end of the requested range, exclusive. It returns 0 if the
// header does not contain exactly one range with a first and a last position.
func endOfRange(header string) int64 {
	positions, hasUnit := strings.CutPrefix(header, "bytes=")
	first, last, isRange := strings.Cut(positions, "-")
	if !hasUnit || !isRange || first == "" {
		return 0
	}
	end, err := strconv.ParseInt(last, 10, 64)
	if err != nil {
		return 0
	}
	return end + 1
}

func setFileHeaders(header http.Header, f store.File) error {
	digest, err := hex.DecodeString(f.SHA256)
	if err != nil || len(digest) != sha256.Size {
		return errors.Join(errors.New("the digest of file "+f.UUID+" is damaged"), err)
	}
	header.Set("Content-Type", f.MediaType)
	header.Set("Content-Disposition", contentDisposition(f.Name))
	header.Set("ETag", `"`+f.SHA256[:32]+`"`)
	header.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(digest)+":")
	header.Set("Cache-Control", "private, no-cache")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "sandbox")
	return nil
}

// contentDisposition returns a Content-Disposition header with the name of a file,
// encoded for old and new clients.
func contentDisposition(name string) string {
	if d := mime.FormatMediaType("attachment", map[string]string{"filename": name}); d != "" {
		return d
	}
	return "attachment"
}

// fileWriter writes the answer of [http.ServeContent]. It counts bytes, sets a new
// deadline for each part, and discards errors of net/http, which have no JSON envelope.
type fileWriter struct {
	x       *exchange
	refused int // status of a discarded error, or 0
}

func (w *fileWriter) Header() http.Header { return w.x.w.Header() }

// WriteHeader sends the status. It does not send 412 and 416, with which [http.ServeContent]
// refuses a request: it saves them in w.refused.
func (w *fileWriter) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable || status == http.StatusPreconditionFailed {
		w.refused = status
		return
	}
	w.x.status = status
	w.x.w.WriteHeader(status)
}

func (w *fileWriter) Write(p []byte) (int, error) {
	if w.refused != 0 {
		return len(p), nil
	}
	w.extendDeadline()
	n, err := w.x.w.Write(p)
	w.x.size += n
	return n, err
}

// filePart is the number of bytes that are sent before the write deadline is extended.
const filePart = 256 << 10

// ReadFrom sends content from r. If possible, the operating system copies it from the
// file to the connection.
func (w *fileWriter) ReadFrom(r io.Reader) (n int64, err error) {
	conn, isConn := w.x.w.(io.ReaderFrom)
	content, isLimited := r.(*io.LimitedReader) // net/http limits the content to the requested range
	if !isConn || !isLimited || w.refused != 0 {
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	for content.N > 0 {
		w.extendDeadline()
		part := &io.LimitedReader{R: content.R, N: min(content.N, filePart)}
		sent, err := conn.ReadFrom(part)
		n += sent
		content.N -= sent
		w.x.size += int(sent)
		if err != nil {
			return n, err
		}
		if part.N > 0 { // end of the file
			break
		}
	}
	return n, nil
}

// extendDeadline extends the write deadline. Some transports do not support deadlines.
func (w *fileWriter) extendDeadline() {
	_ = http.NewResponseController(w.x.w).SetWriteDeadline(time.Now().Add(answerTimeout))
}

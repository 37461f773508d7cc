package api

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"sync/atomic"
)

// FileInput is a file to upload.
type FileInput struct {
	Name         string
	MediaType    string      // "" leaves it to the service
	FileDataType Deliverable // kind of a delivered file
	Content      io.Reader   // only read during the call; if it is an [io.Seeker], the upload can be repeated
}

// formUpload is a multipart form that is written while it is sent, so that files need no
// memory. It is sent in one stream at a time.
type formUpload struct {
	boundary string
	fields   [][2]string // name and value
	part     string      // name of the parts with files
	files    []FileInput
	starts   []int64 // start position of each file that can seek

	stream *io.PipeReader
	ended  sync.WaitGroup // waits for the writer of the stream
	broken error          // why a file could not be read
	sent   atomic.Int64   // bytes of the stream so far
}

// WithForm returns the operation with a multipart form as its body. fields are pairs of name
// and value; pairs with an empty value are not sent. part is the name of the parts with files.
func (op Operation) WithForm(fields [][2]string, part string, files ...FileInput) Operation {
	form := multipart.NewWriter(io.Discard)
	op.header = http.Header{"Content-Type": {form.FormDataContentType()}}
	op.upload = &formUpload{
		boundary: form.Boundary(),
		fields:   fields,
		part:     part,
		files:    files,
	}
	for _, f := range files {
		seeker, ok := f.Content.(io.Seeker)
		if !ok {
			continue
		}
		start, err := seeker.Seek(0, io.SeekCurrent)
		if err == nil {
			op.upload.starts = append(op.upload.starts, start)
		}
	}
	return op
}

// isRepeatable reports whether the form can be sent again: all its files can seek.
func (u *formUpload) isRepeatable() bool { return u == nil || len(u.starts) == len(u.files) }

// openStream returns the body of the next request and closes the previous one.
func (u *formUpload) openStream() (io.ReadCloser, error) {
	if u.stream != nil {
		_ = u.endStream() // after a read error there is no next request
		for i, start := range u.starts {
			if _, err := u.files[i].Content.(io.Seeker).Seek(start, io.SeekStart); err != nil {
				return nil, fmt.Errorf("%s: %w", u.files[i].Name, err)
			}
		}
	}
	stream, writer := io.Pipe()
	u.stream = stream
	u.sent.Store(0)
	write := func() error { return u.writeForm(writer) }
	u.ended.Go(func() { _ = writer.CloseWithError(Guard(write)) })
	return uploadStream{PipeReader: stream, u: u}, nil
}

// endStream stops the reading of files. Without it, the transport can read files for some time after
// the response. It returns the error of a file that could not be read, or nil.
func (u *formUpload) endStream() error {
	if u == nil || u.stream == nil {
		return nil
	}
	_ = u.stream.Close()
	u.ended.Wait()
	return u.broken
}

func (u *formUpload) writeForm(to io.Writer) error {
	form := multipart.NewWriter(to)
	if err := form.SetBoundary(u.boundary); err != nil {
		return err
	}
	for _, f := range u.fields {
		name := f[0]
		value := f[1]
		if value == "" {
			continue
		}
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	for _, f := range u.files {
		if err := u.writeFile(form, f); err != nil {
			return err
		}
	}
	return form.Close()
}

// quoteName escapes a file name in a form as browsers do.
var quoteName = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")

func (u *formUpload) writeFile(form *multipart.Writer, f FileInput) error {
	disposition := fmt.Sprintf(`form-data; name=%q; filename="%s"`, u.part, quoteName.Replace(f.Name))
	header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if f.MediaType != "" {
		header.Set("Content-Type", f.MediaType)
	}
	part, err := form.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(part, f.Content)
	if err == nil || errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	u.broken = fmt.Errorf("%s: %w", f.Name, err)
	return u.broken
}

// uploadStream is the body of one request, which counts the bytes sent.
type uploadStream struct {
	*io.PipeReader
	u *formUpload
}

func (s uploadStream) Read(b []byte) (int, error) {
	n, err := s.PipeReader.Read(b)
	s.u.sent.Add(int64(n))
	return n, err
}

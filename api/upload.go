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

// FileInput is a file to upload. Content is read once, to its end.
type FileInput struct {
	Name         string
	MediaType    string      // "" leaves it to the service
	FileDataType Deliverable // of a delivery
	Content      io.Reader   // read while it is sent, not after the call; an [io.Seeker] can be sent again
}

// formUpload is a form that is written while it is sent, so that files of any
// size take no memory. It is sent in one stream at a time.
type formUpload struct {
	boundary string
	fields   [][2]string
	part     string // the name of the files' parts
	files    []FileInput
	starts   []int64 // where those files were that can be gone back in

	stream *io.PipeReader
	ended  sync.WaitGroup // of the stream's writer
	broken error          // why a file could not be read
	sent   atomic.Int64   // bytes of the stream
}

// WithForm returns an operation whose body is a form of fields that are not empty, and
// of files.
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
		if seeker, ok := f.Content.(io.Seeker); ok {
			if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
				op.upload.starts = append(op.upload.starts, start)
			}
		}
	}
	return op
}

// isRepeatable reports whether it can be sent once more.
func (u *formUpload) isRepeatable() bool { return u == nil || len(u.starts) == len(u.files) }

// openStream returns the body of a request. The one before is not read any more.
func (u *formUpload) openStream() (io.ReadCloser, error) {
	if u.stream != nil {
		_ = u.endStream() // a file that broke is not sent again
		for i, start := range u.starts {
			if _, err := u.files[i].Content.(io.Seeker).Seek(start, io.SeekStart); err != nil {
				return nil, fmt.Errorf("%s: %w", u.files[i].Name, err)
			}
		}
	}
	stream, writer := io.Pipe()
	u.stream = stream
	u.sent.Store(0)
	u.ended.Go(func() { _ = writer.CloseWithError(Guard(func() error { return u.writeForm(writer) })) })
	return uploadStream{stream, u}, nil
}

// endStream returns when no file is read any more, which a transport may do for
// some time after its answer. It returns why one could not be read, nil if none
// was to blame.
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
	err := form.SetBoundary(u.boundary)
	for _, f := range u.fields {
		if f[1] != "" && err == nil {
			err = form.WriteField(f[0], f[1])
		}
	}
	for _, f := range u.files {
		if err == nil {
			err = u.writeFile(form, f)
		}
	}
	if err == nil {
		err = form.Close()
	}
	return err
}

// quoteName writes a file's name as browsers do in a form.
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
	if _, err = io.Copy(part, f.Content); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		err = fmt.Errorf("%s: %w", f.Name, err)
		u.broken = err
	}
	return err
}

// uploadStream is the body of one request.
type uploadStream struct {
	*io.PipeReader
	u *formUpload
}

// Read reads a part of the form.
func (s uploadStream) Read(b []byte) (int, error) {
	n, err := s.PipeReader.Read(b)
	s.u.sent.Add(int64(n))
	return n, err
}

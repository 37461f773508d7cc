package api

import (
	"bytes"
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

// formUpload is a form that is read while it is sent, so that files of any size
// take no memory. It is sent in one stream at a time.
type formUpload struct {
	pieces []*formPiece
	size   int64        // -1 where it is not known before the end
	read   atomic.Int64 // bytes of the stream of now

	mu      sync.Mutex // held while a piece is read
	current *uploadStream
	broken  error // why a file could not be read
}

// formPiece is a file, or what stands between two of them.
type formPiece struct {
	name  string
	r     io.Reader
	seek  io.Seeker // nil where there is no way back
	start int64
	size  int64 // -1 where it is not known
	left  int64
}

// setForm makes the operation's body a form of fields that are not empty, and
// files.
func (op *apiOperation) setForm(fields [][2]string, part string, files ...FileInput) error {
	var between bytes.Buffer
	form := multipart.NewWriter(&between)
	u := &formUpload{}
	err := writeFields(form, fields)
	for i := 0; i < len(files) && err == nil; i++ {
		if err = startFile(form, part, files[i]); err == nil {
			u.addPiece("", bytes.NewReader(bytes.Clone(between.Bytes())))
			u.addPiece(files[i].Name, files[i].Content)
			between.Reset()
		}
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", op.name, err)
	}
	u.addPiece("", bytes.NewReader(between.Bytes()))
	op.upload = u
	op.header = http.Header{"Content-Type": {form.FormDataContentType()}}
	return nil
}

func writeFields(form *multipart.Writer, fields [][2]string) error {
	for _, f := range fields {
		if f[1] == "" {
			continue
		}
		if err := form.WriteField(f[0], f[1]); err != nil {
			return err
		}
	}
	return nil
}

func startFile(form *multipart.Writer, part string, f FileInput) error {
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename="%s"`, part, quoteName.Replace(f.Name)))
	if f.MediaType != "" {
		header.Set("Content-Type", f.MediaType)
	}
	_, err := form.CreatePart(header)
	return err
}

// quoteName writes a file's name as browsers do in a form.
var quoteName = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")

// addPiece adds a piece, whose size is known where it can be gone back in.
func (u *formUpload) addPiece(name string, r io.Reader) {
	p := &formPiece{name: name, r: r, size: -1}
	if s, ok := r.(io.Seeker); ok {
		start, err1 := s.Seek(0, io.SeekCurrent)
		end, err2 := s.Seek(0, io.SeekEnd)
		_, err3 := s.Seek(start, io.SeekStart)
		if errors.Join(err1, err2, err3) == nil {
			p.seek, p.start, p.size = s, start, max(0, end-start)
		}
	}
	p.left = p.size
	u.pieces = append(u.pieces, p)
	if p.size < 0 || u.size < 0 {
		u.size = -1
	} else {
		u.size += p.size
	}
}

// openStream returns the body of a request. The one before is not read any more.
func (u *formUpload) openStream() (io.ReadCloser, error) {
	u.waitForReaders()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.current != nil {
		for _, p := range u.pieces {
			if err := p.rewindPiece(); err != nil {
				return nil, err
			}
		}
	}
	u.current = &uploadStream{u: u}
	u.read.Store(0)
	return u.current, nil
}

// waitForReaders returns when nothing is read any more, which a transport may do for some
// time after its answer.
func (u *formUpload) waitForReaders() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.current != nil {
		u.current.over.Store(true)
	}
}

// isRepeatable reports whether it can be sent once more.
func (u *formUpload) isRepeatable() bool { return u == nil || u.size >= 0 }

// readFault returns why a file could not be read, nil if none was to blame.
func (u *formUpload) readFault() error {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.broken
}

func (p *formPiece) rewindPiece() error {
	if p.seek == nil {
		return fmt.Errorf("%s: cannot be reread for a retry", p.name)
	}
	p.left = p.size
	_, err := p.seek.Seek(p.start, io.SeekStart)
	return err
}

// readNext reads on in the piece, to io.EOF at the end of what it was when it was
// added.
func (p *formPiece) readNext(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	if p.left > 0 && int64(len(b)) > p.left {
		b = b[:p.left]
	}
	n, err := p.r.Read(b)
	if p.left < 0 {
		return n, err
	}
	p.left -= int64(n)
	if err == io.EOF && p.left > 0 {
		return n, errors.New("the file was truncated while being sent")
	}
	return n, err
}

// uploadStream is the body of one request.
type uploadStream struct {
	u    *formUpload
	at   int // the piece
	over atomic.Bool
}

var errUploadOver = errors.New("the request was cancelled")

// Read reads a part of the form.
func (s *uploadStream) Read(b []byte) (int, error) {
	s.u.mu.Lock()
	defer s.u.mu.Unlock()
	for s.at < len(s.u.pieces) {
		if s.over.Load() {
			return 0, errUploadOver
		}
		p := s.u.pieces[s.at]
		n, err := p.readNext(b)
		s.u.read.Add(int64(n))
		switch {
		case errors.Is(err, io.EOF):
			s.at++
		case err != nil:
			s.u.broken = fmt.Errorf("%s: %w", p.name, err)
			return n, s.u.broken
		}
		if n > 0 || len(b) == 0 {
			return n, nil
		}
	}
	return 0, io.EOF
}

// Close ends the reading.
func (s *uploadStream) Close() error {
	s.over.Store(true)
	return nil
}

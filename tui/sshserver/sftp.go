package sshserver

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/pkg/sftp"
)

// transfer is an sftp session, which scp also uses since OpenSSH 9. It can access only the folder of its
// user.
type transfer struct {
	files    *userFiles
	readOnly bool
}

// serveSFTP runs an sftp session and returns its exit status.
func (s *Server) serveSFTP(g *guest) uint32 {
	files, err := s.disk.openFolder(g.User)
	if err != nil {
		g.log.Error("the folder cannot be opened", "error", err)
		return 1
	}
	defer files.close()
	t := &transfer{files: files, readOnly: g.client.login.IsReadOnly()}
	defer files.closeHandles(t)
	stop := context.AfterFunc(g.ctx, func() { _ = g.Close() })
	defer stop()
	server := sftp.NewRequestServer(
		&packetStream{guest: g},
		sftp.Handlers{FileGet: t, FilePut: t, FileCmd: t, FileList: t},
	)
	err = server.Serve()
	failed := err != nil && !errors.Is(err, io.EOF)
	g.log.Info("files copied", "failed", failed)
	if failed {
		return 1
	}
	return 0
}

// packetStream reads the packets of an sftp session. It limits their size and their rate.
type packetStream struct {
	*guest
	header []byte // the received part of the next packet's header
	left   uint32 // number of bytes of the current packet that are not read yet
}

// headerLength is the length of a packet's header in bytes. The header has the length of the rest of the
// packet.
const headerLength = 4

// Read reads the next part of a packet: the header, a part of the header, or a part of the rest.
func (s *packetStream) Read(p []byte) (int, error) {
	if s.left == 0 {
		return s.readHeader(p[:min(len(p), headerLength-len(s.header))])
	}
	n, err := s.Channel.Read(p[:min(len(p), int(s.left))])
	s.left -= uint32(n)
	return n, err
}

// readHeader reads a header or a part of it. When the header is complete, it waits as long as the rate limit requires.
func (s *packetStream) readHeader(p []byte) (int, error) {
	n, err := s.Channel.Read(p)
	s.header = append(s.header, p[:n]...)
	if len(s.header) < headerLength {
		return n, err
	}
	s.left = binary.BigEndian.Uint32(s.header)
	s.header = s.header[:0]
	if s.left > maxPacket {
		return 0, errors.New("packet too long")
	}
	if err := s.client.person.operations.Wait(s.ctx); err != nil {
		return 0, err
	}
	return n, err
}

// hidePaths removes the paths of this machine from an error for a guest.
func hidePaths(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}

// Fileread implements [sftp.FileReader].
func (t *transfer) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	return t.openToRead(r.Filepath)
}

// openToRead opens a file or folder for reading.
func (t *transfer) openToRead(path string) (*handle, error) {
	t.files.mu.Lock()
	defer t.files.mu.Unlock()
	file, err := t.files.root.Open("." + path)
	if err != nil {
		return nil, hidePaths(err)
	}
	return t.files.addHandle(file, t)
}

// Filewrite implements [sftp.FileWriter]. It removes the content of a file that exists.
func (t *transfer) Filewrite(r *sftp.Request) (io.WriterAt, error) {
	if t.readOnly {
		return nil, sftp.ErrSSHFxPermissionDenied
	}
	if err := checkName(r.Filepath); err != nil {
		return nil, err
	}
	t.files.mu.Lock()
	defer t.files.mu.Unlock()
	path := "." + r.Filepath
	_, exists, err := t.find(path)
	if err != nil {
		return nil, err
	}
	if !exists {
		if err := t.files.reserve(1, 0); err != nil {
			return nil, err
		}
	}
	file, err := t.files.root.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, hidePaths(err)
	}
	h, err := t.files.addHandle(file, t)
	if err != nil {
		return nil, err
	}
	return h, h.empty()
}

// empty removes the content of the file.
func (h *handle) empty() error {
	info, err := h.Stat()
	if err != nil {
		return hidePaths(err)
	}
	if err := h.Truncate(0); err != nil {
		return hidePaths(err)
	}
	h.files.release(0, fileSize(info))
	return nil
}

// find returns the file or folder at a path. exists is false if there is none.
func (t *transfer) find(path string) (info fs.FileInfo, exists bool, err error) {
	info, err = t.files.root.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, hidePaths(err)
	}
	return info, true, nil
}

// Filecmd implements [sftp.FileCmder]. It does not support links.
func (t *transfer) Filecmd(r *sftp.Request) error {
	if t.readOnly {
		return sftp.ErrSSHFxPermissionDenied
	}
	if err := checkName(cmp.Or(r.Target, r.Filepath)); err != nil {
		return err
	}
	path := "." + r.Filepath
	switch r.Method {
	case "Setstat":
		return nil // clients cannot set times and modes; the request is ignored
	case "Remove", "Rmdir":
		return t.remove(path)
	case "Mkdir":
		return t.makeFolder(path)
	case "Rename":
		return t.rename(path, "."+r.Target)
	}
	return sftp.ErrSSHFxOpUnsupported
}

// remove removes a file or an empty folder. It refuses to remove an open file, which would use space
// until it is closed.
func (t *transfer) remove(path string) error {
	t.files.mu.Lock()
	defer t.files.mu.Unlock()
	info, exists, err := t.find(path)
	if err != nil {
		return err
	}
	if !exists {
		return fs.ErrNotExist
	}
	if t.files.isOpen(info) {
		return errOpen
	}
	if err := t.files.root.Remove(path); err != nil {
		return hidePaths(err)
	}
	t.files.release(1, fileSize(info))
	return nil
}

func (t *transfer) makeFolder(path string) error {
	t.files.mu.Lock()
	defer t.files.mu.Unlock()
	if err := t.files.reserve(1, 0); err != nil {
		return err
	}
	return hidePaths(t.files.root.Mkdir(path, 0o700))
}

// rename moves a file or folder. It replaces a file at the target path, unless that file is open.
func (t *transfer) rename(path, target string) error {
	t.files.mu.Lock()
	defer t.files.mu.Unlock()
	replaced, isReplacing, err := t.find(target)
	if err != nil {
		return err
	}
	moved, exists, err := t.find(path)
	if err != nil {
		return err
	}
	if !exists {
		return fs.ErrNotExist
	}
	if isReplacing && os.SameFile(moved, replaced) {
		return nil
	}
	if isReplacing && t.files.isOpen(replaced) {
		return errOpen
	}
	if err := t.files.root.Rename(path, target); err != nil {
		return hidePaths(err)
	}
	if isReplacing {
		t.files.release(1, fileSize(replaced))
	}
	return nil
}

// Filelist implements [sftp.FileLister].
func (t *transfer) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	path := "." + r.Filepath
	switch r.Method {
	case "Stat":
		info, err := t.files.root.Stat(path)
		if err != nil {
			return nil, hidePaths(err)
		}
		return oneFile{info}, nil
	case "List":
		return t.openToRead(r.Filepath)
	}
	return nil, sftp.ErrSSHFxOpUnsupported
}

// oneFile is the information about one file.
type oneFile struct{ info fs.FileInfo }

// ListAt implements [sftp.ListerAt].
func (o oneFile) ListAt(to []fs.FileInfo, from int64) (int, error) {
	if from > 0 || len(to) == 0 {
		return 0, io.EOF
	}
	to[0] = o.info
	return 1, io.EOF
}

// ListAt implements [sftp.ListerAt]. It ignores the offset and returns the next entries, because clients
// read a folder from its first to its last entry.
func (h *handle) ListAt(to []fs.FileInfo, _ int64) (int, error) {
	infos, err := h.Readdir(len(to))
	return copy(to, infos), hidePaths(err)
}

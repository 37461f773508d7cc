package sshserver

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/pkg/sftp"
)

// maxFolder is how many bytes the files of a user may take, each perFile more than it
// has.
const maxFolder, perFile = 512 << 20, 4 << 10

var errFull = errors.New("your folder is full; remove files from it")

// folder is what a user's files are copied to and from by sftp. Nothing leads out of it.
type folder struct {
	root *os.Root
	left atomic.Int64 // bytes that may still be written
	held atomic.Int64 // files that are open
}

func openFolder(dir string, err error) (*folder, error) {
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{root: root}
	f.left.Store(maxFolder)
	err = fs.WalkDir(root.FS(), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, gone := d.Info(); gone == nil {
			f.left.Add(-info.Size() - perFile)
		}
		return nil
	})
	return f, err
}

// makeRoom takes the room of a new file, whose path is a client's: clean, from the folder as the root. Names that would
// move a terminal's cursor are refused.
func (f *folder) makeRoom(name string) error {
	switch {
	case strings.ContainsFunc(name, unicode.IsControl) || len(name) > 1024:
		return fs.ErrInvalid
	case f.left.Add(-perFile) < 0:
		return errFull
	}
	return nil
}

// Filewrite implements [sftp.FileWriter].
func (f *folder) Filewrite(r *sftp.Request) (io.WriterAt, error) {
	if err := f.makeRoom(r.Filepath); err != nil {
		return nil, err
	}
	return f.hold(f.root.OpenFile("."+r.Filepath, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600))
}

// Fileread implements [sftp.FileReader].
func (f *folder) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	return f.hold(f.root.Open("." + r.Filepath))
}

// guestFile is a file that a user reads, or writes as long as there is room.
type guestFile struct {
	*os.File
	in *folder
}

// maxHeld is how many files a session has open at most.
const maxHeld = 64

func (f *folder) hold(file *os.File, err error) (*guestFile, error) {
	if err != nil {
		return nil, err
	}
	g := &guestFile{file, f}
	if f.held.Add(1) > maxHeld {
		return nil, errors.Join(errors.New("too many open files"), g.Close())
	}
	return g, nil
}

// WriteAt writes, unless the folder is full.
func (g *guestFile) WriteAt(p []byte, at int64) (int, error) {
	if at > maxFolder || g.in.left.Add(int64(-len(p))) < 0 {
		return 0, errFull
	}
	return g.File.WriteAt(p, at)
}

// Close closes the file.
func (g *guestFile) Close() error {
	g.in.held.Add(-1)
	return g.File.Close()
}

// Filecmd implements [sftp.FileCmder]: there are no links.
func (f *folder) Filecmd(r *sftp.Request) error {
	at := "." + r.Filepath
	switch r.Method {
	case "Setstat":
		return nil // times and modes stay the folder's own
	case "Remove", "Rmdir":
		return f.root.Remove(at)
	}
	if err := f.makeRoom(cmp.Or(r.Target, r.Filepath)); err != nil {
		return err
	}
	switch r.Method {
	case "Mkdir":
		return f.root.Mkdir(at, 0o700)
	case "Rename":
		return f.root.Rename(at, "."+r.Target)
	}
	return sftp.ErrSSHFxOpUnsupported
}

// Filelist implements [sftp.FileLister].
func (f *folder) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	at := "." + r.Filepath
	switch r.Method {
	case "Stat":
		info, err := f.root.Stat(at)
		return fileInfos{info}, err
	case "List":
		dir, err := f.root.Open(at)
		if err != nil {
			return nil, err
		}
		infos, err := dir.Readdir(-1)
		return fileInfos(infos), errors.Join(err, dir.Close())
	}
	return nil, sftp.ErrSSHFxOpUnsupported
}

type fileInfos []fs.FileInfo

// ListAt implements [sftp.ListerAt].
func (l fileInfos) ListAt(to []fs.FileInfo, from int64) (int, error) {
	n := copy(to, l[from:])
	if n < len(to) {
		return n, io.EOF
	}
	return n, nil
}

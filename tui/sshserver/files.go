package sshserver

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"flightdesk/tui/format"
)

var (
	errFull     = errors.New("your folder is full; remove files from it")
	errTooMany  = errors.New("your folder has too many files; remove some")
	errRoomFull = errors.New("the disk space of this service for files is used up; ask whoever runs it")
	errOpen     = errors.New("this file is open in another transfer; close that first")
	errHandles  = errors.New("too many open files and folders")
)

// roomDisk limits the disk space that the files of all users need together. It is safe for concurrent use.
type roomDisk struct {
	mu      sync.Mutex
	dir     string                // folder with a folder for each user
	users   map[string]usage      // last counted usage, by user
	open    map[string]*userFiles // folders in use, by user
	handles int                   // number of open files and folders of all sftp sessions
}

// usage is the number and the size of a user's files and folders.
type usage struct {
	files int
	bytes int64 // sizes of the files; each file counts perFile bytes more
}

// plus returns the usage after adding files and bytes. Negative numbers subtract; the result is at least 0.
func (u usage) plus(files int, bytes int64) usage {
	added := bytes + int64(files)*perFile
	return usage{files: max(0, u.files+files), bytes: max(0, u.bytes+added)}
}

// fileSize returns the size of a file, or 0 for a folder.
func fileSize(info fs.FileInfo) int64 {
	if info.IsDir() {
		return 0
	}
	return info.Size()
}

// openRoomDisk counts the files of all users in a folder.
func openRoomDisk(dir string) (*roomDisk, error) {
	d := &roomDisk{dir: dir, users: map[string]usage{}, open: map[string]*userFiles{}}
	users, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return nil, err
	}
	for _, user := range users {
		d.users[user.Name()] = countFiles(filepath.Join(dir, user.Name()))
	}
	return d, nil
}

// countFiles counts the files and folders in a folder. It skips files that are removed while it counts.
func countFiles(dir string) usage {
	var u usage
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // the file has disappeared
		}
		if info, err := entry.Info(); err == nil {
			u = u.plus(1, fileSize(info))
		}
		return nil
	})
	return u
}

// totalBytes returns the bytes of all users. The caller holds the lock.
func (d *roomDisk) totalBytes() int64 {
	total := int64(0)
	for _, u := range d.users {
		total += u.bytes
	}
	return total
}

// userFiles is the folder of a user, which all sessions of the user share. The limits also count the
// state of the app, which is next to the folder in home.
type userFiles struct {
	disk *roomDisk
	user string
	home string   // folder with the user's files and the app's state
	root *os.Root // of the user's files

	// The disk's lock guards the fields below.
	uses      int       // number of sessions that have the folder open
	countedAt time.Time // when the files were last counted

	mu   sync.Mutex // guards open and changes of the files
	open map[*handle]bool
}

// openFolder opens the folder of a user for a new session, and counts the user's files. The caller must close
// the folder at the end of the session.
func (d *roomDisk) openFolder(user string) (*userFiles, error) {
	f, err := d.addUse(user)
	if err != nil {
		return nil, err
	}
	f.count()
	return f, nil
}

// addUse opens the folder of a user for one more session. All sessions of a user share the same value.
func (d *roomDisk) addUse(user string) (*userFiles, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.open[user]
	if f == nil {
		opened, err := d.openNewFolder(user)
		if err != nil {
			return nil, err
		}
		d.open[user] = opened
		f = opened
	}
	f.uses++
	return f, nil
}

// openNewFolder opens the folder of a user, and creates it if it does not exist. The caller holds d.mu.
func (d *roomDisk) openNewFolder(user string) (*userFiles, error) {
	_, isKnown := d.users[user]
	if !isKnown && len(d.users) >= maxUserFolders {
		return nil, errors.New("this service has too many users; ask whoever runs it")
	}
	f := &userFiles{
		disk: d,
		user: user,
		home: filepath.Join(d.dir, user),
		open: map[*handle]bool{},
	}
	if err := os.MkdirAll(f.path(), 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(f.path())
	if err != nil {
		return nil, err
	}
	f.root = root
	return f, nil
}

// close closes the folder for one session. The folder itself stays open until all sessions of the user have
// closed it. close must be called once at the end of each session.
func (f *userFiles) close() {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.uses--
	if f.uses == 0 {
		delete(f.disk.open, f.user)
		_ = f.root.Close()
	}
}

// path returns the path of the folder.
func (f *userFiles) path() string { return filepath.Join(f.home, "files") }

// count counts the user's files again.
func (f *userFiles) count() usage {
	u := countFiles(f.home)
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.users[f.user] = u
	f.countedAt = time.Now()
	return u
}

// minCountAge is how long a count of the user's files is used. If there is not enough space and the count is
// older, the files are counted again. Counting takes much longer than a request.
const minCountAge = time.Second

func (f *userFiles) isCountOld() bool {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return time.Since(f.countedAt) >= minCountAge
}

// reserve reserves space for more files and bytes. If there is not enough space and the last count is
// old, it first counts the files again, because the app may have removed some.
func (f *userFiles) reserve(files int, bytes int64) error {
	err := f.tryReserve(files, bytes)
	if err == nil || !f.isCountOld() {
		return err
	}
	f.count()
	return f.tryReserve(files, bytes)
}

// tryReserve reserves space if the last count of files allows it.
func (f *userFiles) tryReserve(files int, bytes int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	before := f.disk.users[f.user]
	after := before.plus(files, bytes)
	if after.files > maxFiles {
		return errTooMany
	}
	if after.bytes > maxBytes {
		return errFull
	}
	if f.disk.totalBytes()+bytes+int64(files)*perFile > maxRoomBytes {
		return errRoomFull
	}
	f.disk.users[f.user] = after
	return nil
}

// release gives back the space of removed files and bytes.
func (f *userFiles) release(files int, bytes int64) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	before := f.disk.users[f.user]
	f.disk.users[f.user] = before.plus(-files, -bytes)
}

// free returns how many bytes the user can still write.
func (f *userFiles) free() int64 {
	u := f.count()
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if u.files >= maxFiles {
		return 0
	}
	return max(0, min(maxBytes-u.bytes, maxRoomBytes-f.disk.totalBytes()))
}

// checkName returns an error if a path is too long, or has characters that would move the cursor of a
// terminal or are invisible.
func checkName(path string) error {
	if !format.IsPlain(path) || len(path) > maxPath {
		return fs.ErrInvalid
	}
	return nil
}

// handle is an open file or folder of an sftp session.
type handle struct {
	*os.File
	files   *userFiles
	session *transfer
}

// addHandle returns a handle for an open file or folder. If there are too many handles it closes the
// file and returns an error. The caller holds the lock.
func (f *userFiles) addHandle(file *os.File, session *transfer) (*handle, error) {
	h := &handle{File: file, files: f, session: session}
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if len(f.open) >= maxHandlesOf || f.disk.handles >= maxHandles {
		return nil, errors.Join(errHandles, file.Close())
	}
	f.open[h] = true
	f.disk.handles++
	return h, nil
}

// Close closes the file or folder.
func (h *handle) Close() error {
	h.files.mu.Lock()
	defer h.files.mu.Unlock()
	return h.files.closeHandle(h)
}

// closeHandle closes a handle. It does nothing if the handle is closed. The caller holds the lock.
func (f *userFiles) closeHandle(h *handle) error {
	if !f.open[h] {
		return nil
	}
	delete(f.open, h)
	f.disk.mu.Lock()
	f.disk.handles--
	f.disk.mu.Unlock()
	return h.File.Close()
}

// closeHandles closes the handles of a session that has ended.
func (f *userFiles) closeHandles(session *transfer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for h := range f.open {
		if h.session == session {
			_ = f.closeHandle(h)
		}
	}
}

// isOpen reports whether any sftp session of the user has the file open. The caller holds the lock.
func (f *userFiles) isOpen(info fs.FileInfo) bool {
	for h := range f.open {
		if other, err := h.Stat(); err == nil && os.SameFile(info, other) {
			return true
		}
	}
	return false
}

// WriteAt writes to a file, or returns an error if the user has not enough space.
func (h *handle) WriteAt(p []byte, offset int64) (int, error) {
	if offset < 0 || offset > maxBytes {
		return 0, errFull
	}
	h.files.mu.Lock()
	defer h.files.mu.Unlock()
	info, err := h.Stat()
	if err != nil {
		return 0, err
	}
	growth := offset + int64(len(p)) - info.Size()
	if growth > 0 {
		if err := h.files.reserve(0, growth); err != nil {
			return 0, err
		}
	}
	return h.File.WriteAt(p, offset)
}

// watchDisk counts the files of users with sessions regularly until Close. It ends the sessions of a
// user whose files exceed the limits, because the app writes files without reserving space.
func (s *Server) watchDisk() {
	for {
		select {
		case <-s.done:
			return
		case <-time.After(s.Patience / 3):
		}
		for _, f := range s.disk.openFolders() {
			if f.count().isExcessive() {
				s.Log.Warn("the files of a user take too much space; the sessions end", "user", f.user)
				s.End(f.user)
			}
		}
	}
}

// isExcessive reports whether files exceed the limits by more than a quarter. A smaller excess is
// tolerated, because the app writes files without reserving space.
func (u usage) isExcessive() bool {
	return u.files > maxFiles+maxFiles/4 || u.bytes > maxBytes+maxBytes/4
}

// openFolders returns the folders that sessions have open.
func (d *roomDisk) openFolders() []*userFiles {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(d.open))
}

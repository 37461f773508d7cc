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

// roomDisk counts what the files of all users take.
type roomDisk struct {
	mu      sync.Mutex
	dir     string
	users   map[string]usage // as counted last
	open    map[string]*userFiles
	handles int // of all sftp sessions
}

// usage is what somebody's files take.
type usage struct {
	files int
	bytes int64 // perFile more for each file than its size
}

func (u usage) plus(files int, bytes int64) usage {
	return usage{max(0, u.files+files), max(0, u.bytes+bytes+int64(files)*perFile)}
}

// fileSize returns the bytes of a file; a folder counts only as a file.
func fileSize(info fs.FileInfo) int64 {
	if info.IsDir() {
		return 0
	}
	return info.Size()
}

// openRoomDisk counts the files of all users below a folder.
func openRoomDisk(dir string) (*roomDisk, error) {
	d := &roomDisk{dir: dir, users: map[string]usage{}, open: map[string]*userFiles{}}
	users, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	for _, user := range users {
		d.users[user.Name()] = countFiles(filepath.Join(dir, user.Name()))
	}
	return d, err
}

// countFiles counts the files and folders below a folder. What vanishes meanwhile does
// not count.
func countFiles(dir string) (u usage) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it has vanished
		}
		if info, err := entry.Info(); err == nil {
			u = u.plus(1, fileSize(info))
		}
		return nil
	})
	return u
}

// totalBytes returns the bytes of all users. The caller holds the lock.
func (d *roomDisk) totalBytes() (bytes int64) {
	for _, u := range d.users {
		bytes += u.bytes
	}
	return bytes
}

// userFiles is the folder of one user, shared by their sessions. Its parent also has the
// state that the app keeps for the user; both count.
type userFiles struct {
	disk *roomDisk
	user string
	home string   // has the user's files and the app's state
	root *os.Root // of the files
	uses int      // sessions that have the folder open; the disk guards it

	counted time.Time // when the files were counted last; the disk guards it

	mu   sync.Mutex
	open map[*handle]bool
}

// openFolder returns the folder of a user, which all their sessions share until each has
// closed it.
func (d *roomDisk) openFolder(user string) (*userFiles, error) {
	f, err := d.useFolder(user)
	if err == nil {
		f.count()
	}
	return f, err
}

func (d *roomDisk) useFolder(user string) (*userFiles, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.open[user]; f != nil {
		f.uses++
		return f, nil
	}
	if _, is := d.users[user]; !is && len(d.users) >= maxUserFolders {
		return nil, errors.New("this service has too many users; ask whoever runs it")
	}
	home := filepath.Join(d.dir, user)
	dir := filepath.Join(home, "files")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &userFiles{
		disk: d, user: user, home: home, root: root, uses: 1, open: map[*handle]bool{},
	}
	d.open[user] = f
	return f, nil
}

// close ends the use of the folder by a session.
func (f *userFiles) close() {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.uses--; f.uses == 0 {
		delete(f.disk.open, f.user)
		_ = f.root.Close()
	}
}

// path returns the path of the folder.
func (f *userFiles) path() string { return filepath.Join(f.home, "files") }

// count counts the user's files anew.
func (f *userFiles) count() usage {
	u := countFiles(f.home)
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.users[f.user] = u
	f.counted = time.Now()
	return u
}

// countEvery is how often files are counted anew because there is no space: it takes many
// times longer than the request that there is no space for.
const countEvery = time.Second

func (f *userFiles) isCountOld() bool {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return time.Since(f.counted) >= countEvery
}

// reserve takes space for files and bytes, which may be negative. If there is too little,
// the files are counted anew from time to time: the app writes and removes some, too.
func (f *userFiles) reserve(files int, bytes int64) error {
	err := f.tryReserve(files, bytes)
	if err != nil && f.isCountOld() {
		f.count()
		err = f.tryReserve(files, bytes)
	}
	return err
}

func (f *userFiles) tryReserve(files int, bytes int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	u := f.disk.users[f.user].plus(files, bytes)
	switch {
	case files <= 0 && bytes <= 0:
	case u.files > maxFiles:
		return errTooMany
	case u.bytes > maxBytes:
		return errFull
	case f.disk.totalBytes()+bytes+int64(files)*perFile > maxRoomBytes:
		return errRoomFull
	}
	f.disk.users[f.user] = u
	return nil
}

// free returns how many bytes the user may still write.
func (f *userFiles) free() int64 {
	u := f.count()
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if u.files >= maxFiles {
		return 0
	}
	return max(0, min(maxBytes-u.bytes, maxRoomBytes-f.disk.totalBytes()))
}

// checkName refuses paths that are too long, and names that would move the cursor of a
// terminal or look like other names.
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

// addHandle counts an open file or folder, or closes it if there are too many. The caller
// holds the lock.
func (f *userFiles) addHandle(file *os.File, session *transfer) (*handle, error) {
	h := &handle{file, f, session}
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

// closeHandle closes a handle once. The caller holds the lock.
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

// isOpen reports whether a file is open. The caller holds the lock.
func (f *userFiles) isOpen(info fs.FileInfo) bool {
	for h := range f.open {
		if other, err := h.Stat(); err == nil && os.SameFile(info, other) {
			return true
		}
	}
	return false
}

// WriteAt writes if there is space for it.
func (h *handle) WriteAt(p []byte, at int64) (int, error) {
	if at < 0 || at > maxBytes {
		return 0, errFull
	}
	h.files.mu.Lock()
	defer h.files.mu.Unlock()
	info, err := h.Stat()
	if err != nil {
		return 0, err
	}
	if grows := at + int64(len(p)) - info.Size(); grows > 0 {
		if err := h.files.reserve(0, grows); err != nil {
			return 0, err
		}
	}
	return h.File.WriteAt(p, at)
}

// watchDisk counts the files of those who are here now and then, and ends the sessions of a
// user whose files have grown beyond the limits, however they were written.
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

// isExcessive reports whether files take more than the limits and what may be written
// beside each other until that is noticed.
func (u usage) isExcessive() bool {
	return u.files > maxFiles+maxFiles/4 || u.bytes > maxBytes+maxBytes/4
}

// openFolders lists the folders that sessions have open.
func (d *roomDisk) openFolders() []*userFiles {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(d.open))
}

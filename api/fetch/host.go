package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// hostLimits bound the connections to each server, and keep away from one that asks
// for time.
type hostLimits struct {
	most int // connections to one server
	mu   sync.Mutex
	all  map[string]*hostLimit
}

type hostLimit struct {
	limit  int // connections allowed now; a server that is too busy halves it
	active int
	until  time.Time // no request before
}

func newHostLimits(most int) *hostLimits {
	return &hostLimits{most: most, all: map[string]*hostLimit{}}
}

func (h *hostLimits) limitOf(name string) *hostLimit {
	one := h.all[name]
	if one == nil {
		one = &hostLimit{limit: h.most}
		h.all[name] = one
	}
	return one
}

// tryConnect takes a connection if there is one at once.
func (h *hostLimits) tryConnect(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.limitOf(name)
	if one.active >= one.limit || time.Now().Before(one.until) {
		return false
	}
	one.active++
	return true
}

// takeConnection waits for a connection.
func (h *hostLimits) takeConnection(ctx context.Context, name string) error {
	for !h.tryConnect(name) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookAgain):
		}
	}
	return nil
}

// lookAgain is how long to wait before a server is looked at again that has no
// connection to spare.
const lookAgain = 10 * time.Millisecond

// releaseConnection gives a connection back. One that did well makes room for another.
func (h *hostLimits) releaseConnection(name string, well bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.limitOf(name)
	one.active--
	if well && one.limit < h.most {
		one.limit++
	}
}

// backOff keeps away from a server for a while.
func (h *hostLimits) backOff(name string, pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.limitOf(name)
	one.limit = max(1, one.limit/2)
	if until := time.Now().Add(pause); until.After(one.until) {
		one.until = until
	}
}

// FileState is the local state of a file.
type FileState struct {
	File  File
	Path  string // its name in the folder
	At    string // its path below the folder that was looked in, with that; "" where the package has no folder there
	Whole bool   // it is there, with the size and time that the manifest says
	Known bool   // it was fetched once, also where it is no longer there
	// Changed is set if the file that was fetched has another size or time now, or, after
	// VerifyFolder, another digest.
	Changed bool
	Done    int64       // bytes on disk
	Entry   FetchedFile // what the manifest says of it, where it is known
}

// IsNew reports whether no fetch has brought the file.
func (s FileState) IsNew() bool { return !s.Known && !s.Whole }

// InspectFolder returns what of a package is below dir, in the order of its files. It
// reads names and sizes only, and changes nothing.
func InspectFolder(dir string, p Package) ([]FileState, error) {
	f := newLockedFolder(dir, p)
	err := f.findFolder(false)
	if err != nil && !isMissing(err) {
		return nil, err
	}
	standings := make([]FileState, len(p.Files))
	for i, file := range p.Files {
		standings[i] = FileState{File: file}
		if f.root != nil {
			standings[i] = f.inspectFile(file, f.assignName(file))
			standings[i].At = filepath.Join(dir, f.path, standings[i].Path)
		}
	}
	if f.root == nil {
		return standings, nil
	}
	return standings, f.root.Close()
}

// inspectFile looks at one file; the folder is open.
func (f *lockedFolder) inspectFile(file File, path string) FileState {
	s := FileState{File: file, Path: path}
	entry, known := f.fetchedEntry(file.ID)
	s.Known, s.Entry = known, entry
	if info, err := f.root.Lstat(path); err == nil {
		if !known {
			return s
		}
		if entry.matchesFile(info, file.Size) {
			s.Whole = true
			s.Done = entry.Size
		} else {
			s.Changed = true
		}
		return s
	}
	s.Done = readState(f.root, path, file.ID).Done.totalBytes()
	return s
}

// matchesFile reports whether a file is the one of the entry by all that can be seen
// without reading it. A size below 0 is not known.
func (e FetchedFile) matchesFile(info os.FileInfo, size int64) bool {
	return info.Mode().IsRegular() && info.Size() == e.Size && info.ModTime().Equal(e.Modified) &&
		(size < 0 || size == e.Size)
}

// removePart removes what there is of a file that is not whole.
func removePart(root *os.Root, name string) {
	for _, end := range []string{partEnding, stateEnding, newEnding} {
		_ = root.Remove(name + end)
	}
}

// numberedName returns the i-th choice of a package's folder.
func numberedName(way []string, i int) []string {
	if i == 1 {
		return way
	}
	last := len(way) - 1
	return append(append([]string{}, way[:last]...), shortenName(way[last], maxName-8)+fmt.Sprintf(" (%d)", i))
}

// fileVersion tells one state of a file on the server from another.
type fileVersion struct {
	ETag     string `json:"etag,omitempty"`     // only a strong one
	Modified string `json:"modified,omitempty"` // only one that is older than its answer
}

// isKnown reports whether a range can be asked for on condition that the file is
// the same.
func (v fileVersion) isKnown() bool { return v != fileVersion{} }

// ifRange returns the value of If-Range.
func (v fileVersion) ifRange() string {
	if v.ETag != "" {
		return v.ETag
	}
	return v.Modified
}

// isSame reports whether another answer is of the same state of the file.
func (v fileVersion) isSame(other fileVersion) bool {
	if v.ETag != "" || other.ETag != "" {
		return v.ETag == other.ETag
	}
	return v.Modified == other.Modified
}

// partState is what is known of a file that is not whole yet. It is beside it
// as NAME.part.json.
type partState struct {
	ID     string       `json:"id"`
	Size   int64        `json:"size"` // -1 where it is not known
	Tag    fileVersion  `json:"validator"`
	Digest serverDigest `json:"digest"`
	Done   byteRanges   `json:"flushed"` // what is on the disk, also after a power cut
}

// readState returns the state of a file's part; the zero state where there is
// none that holds.
func readState(root *os.Root, name, id string) (s partState) {
	info, err := root.Lstat(name + partEnding)
	if err != nil || !info.Mode().IsRegular() {
		return partState{}
	}
	data, err := root.ReadFile(name + stateEnding)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return partState{}
	}
	if s.ID != id || !s.Tag.isKnown() || !s.Done.isValid(s.Size) {
		return partState{}
	}
	if n := len(s.Done); n > 0 && s.Done[n-1][1] > info.Size() {
		return partState{}
	}
	return s
}

func (s partState) writeTo(root *os.Root, name string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	// Not brought to disk: what is lost is downloaded again.
	if err := root.WriteFile(name+newEnding, data, 0o644); err != nil {
		return err
	}
	return root.Rename(name+newEnding, name+stateEnding)
}

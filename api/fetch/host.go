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

// hostLimits limits the number of connections to each server, and pauses requests to a server that
// asked for it.
type hostLimits struct {
	most int // connections to one server
	mu   sync.Mutex
	all  map[string]*hostLimit
}

type hostLimit struct {
	limit  int // current maximum of connections; halved when the server is busy
	active int
	until  time.Time // no requests before this time
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

// tryConnect reserves a connection if one is available now.
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

// acquireConnection waits until a connection is available and reserves it.
func (h *hostLimits) acquireConnection(ctx context.Context, name string) error {
	for !h.tryConnect(name) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(connectionInterval):
		}
	}
	return nil
}

// connectionInterval is the interval at which acquireConnection checks for an available connection.
const connectionInterval = 10 * time.Millisecond

// releaseConnection releases a connection. A success raises the limit of the server by one.
func (h *hostLimits) releaseConnection(name string, well bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.limitOf(name)
	one.active--
	if well && one.limit < h.most {
		one.limit++
	}
}

// backOff pauses requests to a server and halves its limit.
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
	At    string // path including the inspected folder; "" if the package has no folder there
	Whole bool   // the file exists, with the size and time in the manifest
	Known bool   // the file was downloaded once, even if it no longer exists
	// Changed is set if a downloaded file now has another size or time, or after VerifyFolder,
	// another digest.
	Changed bool
	Done    int64       // bytes on disk
	Entry   FetchedFile // entry in the manifest, if Known
}

// IsNew reports whether the file was never downloaded.
func (s FileState) IsNew() bool { return !s.Known && !s.Whole }

// InspectFolder returns the state of each file of a package below dir, in the order of p.Files. It
// only reads names and sizes, and changes nothing.
func InspectFolder(dir string, p Package) ([]FileState, error) {
	f := newLockedFolder(dir, p)
	err := f.findFolder(false)
	if err != nil && !isMissing(err) {
		return nil, err
	}
	states := make([]FileState, len(p.Files))
	for i, file := range p.Files {
		states[i] = FileState{File: file}
		if f.root != nil {
			states[i] = f.inspectFile(file, f.assignName(file))
			states[i].At = filepath.Join(dir, f.path, states[i].Path)
		}
	}
	if f.root == nil {
		return states, nil
	}
	return states, f.root.Close()
}

// inspectFile returns the state of one file; the folder is open.
func (f *lockedFolder) inspectFile(file File, path string) FileState {
	s := FileState{File: file, Path: path}
	entry, known := f.fetchedEntry(file.ID)
	s.Known = known
	s.Entry = entry
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

// matchesFile reports whether a file has the size and time of the entry, and the listed size. The
// listed size is below 0 if it is unknown.
func (e FetchedFile) matchesFile(info os.FileInfo, size int64) bool {
	return info.Mode().IsRegular() && info.Size() == e.Size && info.ModTime().Equal(e.Modified) &&
		(size < 0 || size == e.Size)
}

// removePart removes the part of a file and its state.
func removePart(root *os.Root, name string) {
	for _, end := range []string{partEnding, stateEnding, newEnding} {
		_ = root.Remove(name + end)
	}
}

// numberedName returns the i-th candidate for the folder of a package.
func numberedName(way []string, i int) []string {
	if i == 1 {
		return way
	}
	last := len(way) - 1
	return append(append([]string{}, way[:last]...), shortenName(way[last], maxName-8)+fmt.Sprintf(" (%d)", i))
}

// fileVersion identifies a version of a file on the server.
type fileVersion struct {
	ETag     string `json:"etag,omitempty"`     // strong ETags only
	Modified string `json:"modified,omitempty"` // only if it is older than its response
}

// isKnown reports whether the version can be used as the condition of a range request.
func (v fileVersion) isKnown() bool { return v != fileVersion{} }

// ifRange returns the value of the If-Range header.
func (v fileVersion) ifRange() string {
	if v.ETag != "" {
		return v.ETag
	}
	return v.Modified
}

// isSame reports whether both versions are equal.
func (v fileVersion) isSame(other fileVersion) bool {
	if v.ETag != "" || other.ETag != "" {
		return v.ETag == other.ETag
	}
	return v.Modified == other.Modified
}

// partState is the state of an incomplete file. It is stored in NAME.part.json.
type partState struct {
	ID     string       `json:"id"`
	Size   int64        `json:"size"` // -1 if unknown
	Tag    fileVersion  `json:"validator"`
	Digest serverDigest `json:"digest"`
	Done   byteRanges   `json:"flushed"` // ranges that are on disk even after a power cut
}

// readState returns the state of a file's part, or the zero state if there is no valid state.
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
	// The state is not synced to disk: if it is lost, the data is downloaded again.
	if err := root.WriteFile(name+newEnding, data, 0o644); err != nil {
		return err
	}
	return root.Rename(name+newEnding, name+stateEnding)
}

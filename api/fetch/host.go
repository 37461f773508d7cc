package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// hostLimits limits the number of connections to each server, and pauses requests to a server that
// asked for it.
type hostLimits struct {
	maximum int // connections to one server
	mu      sync.Mutex
	hosts   map[string]*hostLimit
}

type hostLimit struct {
	limit       int // current maximum of connections; halved when the server is busy
	connections int
	pausedUntil time.Time // no requests before this time
}

func newHostLimits(maximum int) *hostLimits {
	return &hostLimits{maximum: maximum, hosts: map[string]*hostLimit{}}
}

// hostFor returns the limit of a server; h.mu is held.
func (h *hostLimits) hostFor(name string) *hostLimit {
	host := h.hosts[name]
	if host == nil {
		host = &hostLimit{limit: h.maximum}
		h.hosts[name] = host
	}
	return host
}

// tryConnect reserves a connection if one is available now.
func (h *hostLimits) tryConnect(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	host := h.hostFor(name)
	if host.connections >= host.limit || time.Now().Before(host.pausedUntil) {
		return false
	}
	host.connections++
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
func (h *hostLimits) releaseConnection(name string, isSuccess bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	host := h.hostFor(name)
	host.connections--
	if isSuccess && host.limit < h.maximum {
		host.limit++
	}
}

// backOff pauses requests to a server and halves its limit.
func (h *hostLimits) backOff(name string, pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	host := h.hostFor(name)
	host.limit = max(1, host.limit/2)
	if until := time.Now().Add(pause); until.After(host.pausedUntil) {
		host.pausedUntil = until
	}
}

// FileState is the local state of a file.
type FileState struct {
	File  File
	Path  string // name of the file in the folder
	At    string // path including the inspected folder; empty if the package has no folder there
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
	states := make([]FileState, len(p.Files))
	for i, file := range p.Files {
		states[i].File = file
	}
	f := newLockedFolder(dir, p)
	err := f.openToRead()
	if isMissing(err) {
		return states, nil
	}
	if err != nil {
		return nil, err
	}
	for i, file := range p.Files {
		states[i] = f.inspectFile(file, f.assignName(file))
		states[i].At = filepath.Join(dir, f.path, states[i].Path)
	}
	return states, f.root.Close()
}

// CountFiles returns how many files of a package are complete below dir, and how many files that were
// downloaded or requested there are missing, changed or incomplete. It does not need the files of the
// package, and changes nothing.
func CountFiles(dir string, p Package) (complete, incomplete int, err error) {
	f := newLockedFolder(dir, p)
	err = f.openToRead()
	if isMissing(err) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	incompleteIDs := map[string]bool{} // a changed file that was requested again is in both lists
	for _, entry := range f.manifest.Files {
		info, err := f.root.Lstat(entry.Path)
		if err == nil && entry.matchesFile(info, -1) {
			complete++
		} else {
			incompleteIDs[entry.ID] = true
		}
	}
	for _, file := range f.manifest.Unfinished {
		incompleteIDs[file.ID] = true
	}
	return complete, len(incompleteIDs), f.root.Close()
}

// inspectFile returns the state of one file; the folder is open.
func (f *lockedFolder) inspectFile(file File, path string) FileState {
	s := FileState{File: file, Path: path}
	s.Entry, s.Known = f.fetchedEntry(file.ID)
	info, err := f.root.Lstat(path)
	if err != nil { // the file does not exist; it may have a part
		s.Done = readState(f.root, path, file.ID).Done.totalBytes()
		return s
	}
	if !s.Known {
		return s
	}
	if s.Entry.matchesFile(info, file.Size) {
		s.Whole = true
		s.Done = s.Entry.Size
	} else {
		s.Changed = true
	}
	return s
}

// matchesFile reports whether a file has the size and time of the entry, and the listed size. The
// listed size is below 0 if it is unknown.
func (e FetchedFile) matchesFile(info os.FileInfo, listed int64) bool {
	isUnchanged := info.Mode().IsRegular() && info.Size() == e.Size && info.ModTime().Equal(e.Modified)
	isListedSize := listed < 0 || listed == e.Size
	return isUnchanged && isListedSize
}

// removePart removes the incomplete file of a download and the saved state of the download.
func removePart(root *os.Root, name string) {
	for _, end := range []string{partEnding, stateEnding, newEnding} {
		_ = root.Remove(name + end)
	}
}

// numberedName returns the i-th candidate for the nested folders of a package. The first candidate is the
// folders themselves. In later candidates, i is appended to the name of the last folder.
func numberedName(folders []string, i int) []string {
	if i == 1 {
		return folders
	}
	const numberLength = 8 // enough for " (99999)"
	last := len(folders) - 1
	numbered := slices.Clone(folders)
	numbered[last] = shortenName(folders[last], maxName-numberLength) + fmt.Sprintf(" (%d)", i)
	return numbered
}

// fileVersion identifies a version of a file on the server.
type fileVersion struct {
	ETag     string `json:"etag,omitempty"`     // strong ETags only
	Modified string `json:"modified,omitempty"` // Last-Modified, only if it identifies a version; see validatorOf
}

// isKnown reports whether the version is known, so that a range request can have it as its condition.
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

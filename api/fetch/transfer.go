package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"flightdesk/config/atomicfile"
)

// fileTransfer downloads one file.
type fileTransfer struct {
	q      *Queue
	it     *queueItem
	folder *lockedFolder
	name   string
	part   *os.File
	host   string    // server that sent the file
	dated  time.Time // Last-Modified

	restarts int
	helpers  atomic.Int32
	freed    chan struct{} // receives an element when a range is given back
	saving   sync.Mutex    // held while the state is written or removed; locked before mu

	mu      sync.Mutex
	size    int64 // -1 while unknown
	tag     fileVersion
	digest  serverDigest
	done    byteRanges
	flushed byteRanges // ranges that are synced to disk
	working []*fileChunk
	high    int64     // largest number of bytes so far
	ended   int64     // where a response without a length ended before the listed size; -1 if none did
	whole   bool      // the server does not support ranges
	alone   time.Time // no helpers before this time
	sum     *fileHasher
	saved   int64 // bytes in the last saved state
	epoch   int   // number of restarts from the first byte
}

// fileChunk is a range that is being downloaded; fileTransfer.mu guards it.
type fileChunk struct {
	from, pos int64
	end       int64 // -1 while unknown
}

const maxRestarts = 5

// runTransfer downloads the file. It resumes the part, and starts over if the file has changed on
// the server.
func (t *fileTransfer) runTransfer(ctx context.Context) (entry FetchedFile, state State, err error) {
	present, err := t.findPresent(ctx)
	if err != nil {
		return entry, Failed, err
	}
	if present != nil {
		return *present, Here, nil
	}
	if err := t.openPart(); err != nil {
		return FetchedFile{}, Failed, err
	}
	defer func() {
		if t.part != nil {
			_ = t.part.Close()
		}
	}()
	for {
		err := t.fetchMissing(ctx)
		if err == nil {
			err = t.verifyDigest()
		}
		if err == nil {
			err = t.checkContent()
		}
		if err == nil {
			entry, err = t.finishFile()
			return entry, Done, err
		}
		if fatal := t.recoverFrom(ctx, err); fatal != nil {
			t.saveOrRemovePart(fatal)
			return FetchedFile{}, Failed, fatal
		}
	}
}

// listedFile returns the file as last listed, and the number of that listing.
func (t *fileTransfer) listedFile() (File, int) { return t.folder.listedFile(t.it.file.ID) }

// openPart opens the part and loads its state.
func (t *fileTransfer) openPart() (err error) {
	root := t.folder.root
	if info, err := root.Lstat(t.name + partEnding); err == nil && !info.Mode().IsRegular() {
		return &diskError{fmt.Errorf("%w: %s%s is not a regular file", ErrExists, t.name, partEnding)}
	}
	t.part, err = root.OpenFile(t.name+partEnding, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return onDisk(err)
	}
	file, _ := t.listedFile()
	s := readState(root, t.name, t.it.file.ID)
	t.done = s.Done
	if len(t.done) == 0 || file.Size >= 0 && s.Size >= 0 && file.Size != s.Size {
		return t.resetPart()
	}
	t.size = s.Size
	t.tag = s.Tag
	t.digest = s.Digest
	t.flushed = t.done
	t.high = t.done.totalBytes()
	t.sum = newHasherFor(t.digest, t.q.o.SHA256)
	t.it.done.Store(t.high)
	if t.size >= 0 {
		t.it.size.Store(t.size)
	}
	return nil
}

// resetPart discards the part and its state.
func (t *fileTransfer) resetPart() error {
	t.saving.Lock()
	defer t.saving.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size = -1
	t.tag = fileVersion{}
	t.digest = serverDigest{}
	t.done = nil
	t.flushed = nil
	t.working = nil
	t.sum = nil
	t.saved = 0
	t.host = ""
	t.epoch++
	t.it.done.Store(0)
	_ = t.folder.root.Remove(t.name + stateEnding)
	return onDisk(t.part.Truncate(0))
}

// recoverFrom handles the error that ended a round. It returns nil if another round, which then
// starts with an empty part, may succeed.
func (t *fileTransfer) recoverFrom(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var sizes *sizeFault
	var sums *digestFault
	isWrongDigest := errors.As(err, &sums)
	isWrongSize := errors.As(err, &sizes)
	hasChanged := errors.Is(err, errChanged) || isWrongDigest
	if !hasChanged && !isWrongSize {
		return err
	}
	if !hasChanged && !t.hasNewListedSize(ctx) {
		return fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	t.restarts++
	if t.restarts > maxRestarts || isWrongDigest && t.restarts > 1 {
		return fmt.Errorf("%w: %w repeatedly", ErrMismatch, err)
	}
	return t.resetPart()
}

// hasNewListedSize lists the file again and reports whether the service now lists another size.
func (t *fileTransfer) hasNewListedSize(ctx context.Context) bool {
	file, listing := t.listedFile()
	if err := t.folder.renewLinks(ctx, listing); err != nil {
		return false
	}
	renewed, _ := t.listedFile()
	return renewed.Size != file.Size
}

// saveOrRemovePart saves the part for a later download, or removes it if it cannot be resumed.
func (t *fileTransfer) saveOrRemovePart(err error) {
	t.flushToDisk()
	t.saveState()
	_, stateless := t.folder.root.Lstat(t.name + stateEnding) // missing if the disk was full
	if errors.Is(err, ErrMismatch) || !t.tag.isKnown() || isMissing(stateless) {
		_ = t.part.Close()
		t.part = nil
		removePart(t.folder.root, t.name)
		t.it.done.Store(0)
	}
}

// saveState writes the state of the part, if it has changed.
func (t *fileTransfer) saveState() {
	t.saving.Lock()
	defer t.saving.Unlock()
	t.mu.Lock()
	s := partState{
		ID:     t.it.file.ID,
		Size:   t.size,
		Tag:    t.tag,
		Digest: t.digest,
		Done:   t.flushed,
	}
	total := s.Done.totalBytes()
	hasChanged := total != t.saved && s.Tag.isKnown()
	t.saved = total
	t.mu.Unlock()
	if hasChanged {
		_ = s.writeTo(t.folder.root, t.name) // on an error, the older state remains valid
	}
}

// writtenRanges returns the ranges that are in the part; t.mu is held.
func (t *fileTransfer) writtenRanges() byteRanges {
	all := t.done
	for _, w := range t.working {
		all = all.include(byteRange{w.from, w.pos})
	}
	return all
}

// flushToDisk syncs the part to disk.
func (t *fileTransfer) flushToDisk() {
	t.mu.Lock()
	all := t.writtenRanges()
	epoch := t.epoch
	t.mu.Unlock()
	if t.part.Sync() != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.epoch == epoch {
		t.flushed = all
	}
}

// saveRegularly saves the state at intervals until ctx ends.
func (t *fileTransfer) saveRegularly(ctx context.Context) {
	ticker := time.NewTicker(t.q.o.pace.save)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			t.flushToDisk()
			t.saveState()
		}
	}
}

// digestFault is the error of a digest that differs from the server's.
type digestFault struct{ source string }

func (e *digestFault) Error() string { return "digest differs from the one in " + e.source }

// sizeFault is the error of a size that differs from the listed size.
type sizeFault struct{ listed, sent int64 }

func (e *sizeFault) Error() string {
	return fmt.Sprintf("size differs: listed %d bytes, server has %d", e.listed, e.sent)
}

// verifyDigest compares the digest of the part with the server's.
func (t *fileTransfer) verifyDigest() error {
	if t.sum == nil {
		t.sum = newHasherFor(t.digest, t.q.o.SHA256)
	}
	if err := t.sum.hashUpTo(t.part, t.size); err != nil {
		return onDisk(err)
	}
	if t.digest.Binding && !t.isProven() {
		return &digestFault{t.digest.Source}
	}
	return nil
}

// isProven reports whether the digest of the part equals the server's.
func (t *fileTransfer) isProven() bool { return t.digest.isAmong(t.sum.digests()) }

// finishFile gives the part its final name and returns its entry for the manifest.
func (t *fileTransfer) finishFile() (FetchedFile, error) {
	root := t.folder.root
	if err := t.part.Truncate(t.size); err != nil { // an earlier attempt can have written more
		return FetchedFile{}, onDisk(err)
	}
	if err := errors.Join(t.part.Sync(), t.part.Close()); err != nil {
		return FetchedFile{}, onDisk(err)
	}
	t.part = nil
	t.flushed = t.done
	if !t.dated.IsZero() {
		_ = root.Chtimes(t.name+partEnding, t.dated, t.dated) // not all disks can store every time
	}
	if err := t.publishFile(); err != nil {
		t.saveState() // to resume when the name is free
		return FetchedFile{}, err
	}
	removePart(root, t.name)
	_ = atomicfile.SyncFolder(root.Name()) // the file itself is synced
	info, err := root.Lstat(t.name)
	if err != nil {
		return FetchedFile{}, onDisk(err)
	}
	return t.newFetchedFile(info, t.digest, t.sum.digests(), t.host, t.tag.ETag), nil
}

// publishFile gives the part its final name, unless another file has the name. It accepts an
// existing file with the same content.
func (t *fileTransfer) publishFile() error {
	root := t.folder.root
	err := root.Link(t.name+partEnding, t.name)
	if err == nil {
		return nil
	}
	info, statErr := root.Lstat(t.name)
	if isMissing(statErr) { // the disk does not support hard links
		return onDisk(root.Rename(t.name+partEnding, t.name))
	}
	if statErr != nil {
		return onDisk(statErr)
	}
	canBeSame := info.Mode().IsRegular() && info.Size() == t.size
	if canBeSame && sameContent(root, t.name, t.name+partEnding) {
		return nil
	}
	return ErrExists
}

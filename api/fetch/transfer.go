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

// fileTransfer brings one file to its name.
type fileTransfer struct {
	q      *Queue
	it     *queueItem
	folder *lockedFolder
	name   string
	part   *os.File
	host   string    // that sent the file
	dated  time.Time // Last-Modified

	restarts int
	helpers  atomic.Int32
	freed    chan struct{} // has an element when a range was given back
	saving   sync.Mutex    // held while the state is written or dropped; before mu

	mu      sync.Mutex
	size    int64 // -1 while it is not known
	tag     fileVersion
	digest  serverDigest
	done    byteRanges
	flushed byteRanges // what is forced to the disk
	working []*fileChunk
	high    int64     // the most bytes there have been
	ended   int64     // where an answer without a length ended before the listed size; -1 for nowhere yet
	whole   bool      // the server does not do ranges
	alone   time.Time // no helpers before
	sum     *fileHasher
	saved   int64 // bytes done when the state was written last
	epoch   int   // counts restarts from the first byte
}

// fileChunk is a range that is being fetched; fileTransfer.mu guards it.
type fileChunk struct {
	from, pos int64
	end       int64 // -1 while it is not known
}

const maxRestarts = 5

// runTransfer fetches the file, goes on with what there is of it, and starts over where
// the server has another one by now.
func (t *fileTransfer) runTransfer(ctx context.Context) (entry FetchedFile, state State, err error) {
	if present, err := t.findPresent(ctx); err != nil {
		return entry, Failed, err
	} else if present != nil {
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
		if again := t.recoverFrom(ctx, err); again != nil {
			t.keepPart(again)
			return FetchedFile{}, Failed, again
		}
	}
}

// listedFile returns the file as it was listed last, and how often that was.
func (t *fileTransfer) listedFile() (File, int) { return t.folder.listedFile(t.it.file.ID) }

// openPart opens the part and takes up its state.
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
	t.size, t.tag, t.digest = s.Size, s.Tag, s.Digest
	t.flushed = t.done
	t.high = t.done.totalBytes()
	t.sum = newHasherFor(t.digest, t.q.o.SHA256)
	t.it.done.Store(t.high)
	if t.size >= 0 {
		t.it.size.Store(t.size)
	}
	return nil
}

// resetPart forgets all that was fetched.
func (t *fileTransfer) resetPart() error {
	t.saving.Lock()
	defer t.saving.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size, t.tag, t.digest, t.done, t.flushed, t.working = -1, fileVersion{}, serverDigest{}, nil, nil, nil
	t.sum, t.saved, t.host = nil, 0, ""
	t.epoch++
	t.it.done.Store(0)
	_ = t.folder.root.Remove(t.name + stateEnding)
	return onDisk(t.part.Truncate(0))
}

// recoverFrom decides on a fault that ended a round: nil where another one may do
// better, now from the start.
func (t *fileTransfer) recoverFrom(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var sizes *sizeFault
	var sums *digestFault
	switch {
	case errors.Is(err, errChanged), errors.As(err, &sums):
	case errors.As(err, &sizes):
		file, listing := t.listedFile()
		if renewed := t.folder.renewLinks(ctx, listing); renewed != nil {
			return fmt.Errorf("%w: %w", ErrMismatch, err)
		}
		if fresh, _ := t.listedFile(); fresh.Size == file.Size {
			return fmt.Errorf("%w: %w", ErrMismatch, err)
		}
	default:
		return err
	}
	if t.restarts++; t.restarts > maxRestarts || sums != nil && t.restarts > 1 {
		return fmt.Errorf("%w: %w repeatedly", ErrMismatch, err)
	}
	return t.resetPart()
}

// keepPart leaves the part as it can be gone on with, or removes it where it
// cannot.
func (t *fileTransfer) keepPart(err error) {
	t.flushToDisk()
	t.saveState()
	_, stateless := t.folder.root.Lstat(t.name + stateEnding) // on a full disk
	if errors.Is(err, ErrMismatch) || !t.tag.isKnown() || isMissing(stateless) {
		_ = t.part.Close()
		t.part = nil
		removePart(t.folder.root, t.name)
		t.it.done.Store(0)
	}
}

// saveState writes the state of the part, if there is more than the last time.
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
	news := total != t.saved && s.Tag.isKnown()
	t.saved = total
	t.mu.Unlock()
	if news {
		_ = s.writeTo(t.folder.root, t.name) // an older state holds as well
	}
}

// writtenRanges returns what is in the part; t.mu is held.
func (t *fileTransfer) writtenRanges() byteRanges {
	all := t.done
	for _, w := range t.working {
		all = all.include(byteRange{w.from, w.pos})
	}
	return all
}

// flushToDisk forces what is in the part to the disk.
func (t *fileTransfer) flushToDisk() {
	t.mu.Lock()
	all, epoch := t.writtenRanges(), t.epoch
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

// saveRegularly saves the state now and then until the round ends.
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

// digestFault is a digest that is not the one that the server gave.
type digestFault struct{ source string }

func (e *digestFault) Error() string { return "digest differs from the one in " + e.source }

// sizeFault is a size that is not the listed one.
type sizeFault struct{ listed, sent int64 }

func (e *sizeFault) Error() string {
	return fmt.Sprintf("size differs: listed %d bytes, server has %d", e.listed, e.sent)
}

// verifyDigest compares what was written with what the server said.
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

// isProven reports whether the digest is the one that the server gave.
func (t *fileTransfer) isProven() bool { return t.digest.isAmong(t.sum.digests()) }

// finishFile gives the part its name.
func (t *fileTransfer) finishFile() (FetchedFile, error) {
	root := t.folder.root
	if err := t.part.Truncate(t.size); err != nil { // an earlier try may have been longer
		return FetchedFile{}, onDisk(err)
	}
	if err := errors.Join(t.part.Sync(), t.part.Close()); err != nil {
		return FetchedFile{}, onDisk(err)
	}
	t.part, t.flushed = nil, t.done
	if !t.dated.IsZero() {
		_ = root.Chtimes(t.name+partEnding, t.dated, t.dated) // not every disk keeps any time
	}
	if err := t.publishFile(); err != nil {
		t.saveState() // for the time when the name is free
		return FetchedFile{}, err
	}
	removePart(root, t.name)
	_ = atomicfile.SyncFolder(root.Name()) // the file itself is on disk
	info, err := root.Lstat(t.name)
	if err != nil {
		return FetchedFile{}, onDisk(err)
	}
	return t.newFetchedFile(info, t.digest, t.sum.digests(), t.host, t.tag.ETag), nil
}

// publishFile gives the part its name unless another file has it. One of the same
// content may stay.
func (t *fileTransfer) publishFile() error {
	root := t.folder.root
	err := root.Link(t.name+partEnding, t.name)
	if err == nil {
		return nil
	}
	switch info, there := root.Lstat(t.name); {
	case there == nil && info.Mode().IsRegular() && info.Size() == t.size:
		if sameContent(root, t.name, t.name+partEnding) {
			return nil
		}
		return ErrExists
	case there == nil:
		return ErrExists
	case isMissing(there): // a disk without links
		return onDisk(root.Rename(t.name+partEnding, t.name))
	default:
		return onDisk(there)
	}
}

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
	q            *Queue
	it           *queueItem
	folder       *lockedFolder
	name         string    // final name in the folder
	part         *os.File  // has the bytes that were downloaded so far
	host         string    // server that sent the file
	lastModified time.Time // modification time of the file on the server; zero if unknown

	restarts int           // number of times that the download has started again from the first byte
	helpers  atomic.Int32  // number of running helpers
	freed    chan struct{} // receives an element when a goroutine has ended its range
	saving   sync.Mutex    // held while the state is written or removed; locked before mu

	mu            sync.Mutex
	size          int64        // -1 while unknown
	tag           fileVersion  // version that the part belongs to
	digest        serverDigest // digest of that version
	done          byteRanges   // ranges in the part, without those in working
	flushed       byteRanges   // ranges that are synced to disk
	working       []*fileChunk // ranges that are being downloaded
	mostWritten   int64        // largest number of bytes in the part so far
	earlyEnd      int64        // position at which a response ended too early without an error; -1 if none did
	withoutRanges bool         // the server does not support ranges
	aloneUntil    time.Time    // no helpers before this time
	sum           *fileHasher  // computes the digest of the part; nil until it is needed
	saved         int64        // bytes in the last saved state
	resets        int          // number of times that the part was emptied
}

func newFileTransfer(q *Queue, it *queueItem) *fileTransfer {
	return &fileTransfer{
		q:        q,
		it:       it,
		folder:   it.folder,
		name:     it.path,
		earlyEnd: -1,
		freed:    make(chan struct{}, 1),
	}
}

// fileChunk is a range that is being downloaded; fileTransfer.mu guards it.
type fileChunk struct {
	from int64
	pos  int64 // position of the next byte
	end  int64 // position after the last byte; -1 while unknown
}

// maxRestarts is the number of times that a download starts again from the first byte.
const maxRestarts = 5

// runTransfer downloads the file. It resumes an incomplete download, and starts over if the file
// has changed on the server. The state is Here if the file existed already, Done if it was
// downloaded, and Failed if there is an error.
func (t *fileTransfer) runTransfer(ctx context.Context) (FetchedFile, State, error) {
	existing := existingFile{q: t.q, folder: t.folder, name: t.name, id: t.it.file.ID}
	present, err := existing.find(ctx)
	if err != nil {
		return FetchedFile{}, Failed, err
	}
	if present != nil {
		return *present, Here, nil
	}
	if err := t.openPart(); err != nil {
		return FetchedFile{}, Failed, err
	}
	defer func() {
		if t.part != nil { // otherwise it is closed already
			_ = t.part.Close()
		}
	}()
	if err := t.fetchRounds(ctx); err != nil {
		t.saveOrRemovePart(err)
		return FetchedFile{}, Failed, err
	}
	entry, err := t.finishFile()
	if err != nil {
		return FetchedFile{}, Failed, err
	}
	return entry, Done, nil
}

// fetchRounds downloads and verifies the file. If an error can be corrected by a new download, it
// downloads the file again; see recoverFrom.
func (t *fileTransfer) fetchRounds(ctx context.Context) error {
	for {
		roundErr := t.fetchAndVerify(ctx)
		if roundErr == nil {
			return nil
		}
		if err := t.recoverFrom(ctx, roundErr); err != nil {
			return err
		}
	}
}

// fetchAndVerify downloads the missing ranges and verifies the whole part.
func (t *fileTransfer) fetchAndVerify(ctx context.Context) error {
	if err := t.fetchMissing(ctx); err != nil {
		return err
	}
	if err := t.verifyDigest(); err != nil {
		return err
	}
	return t.checkContent()
}

// listedFile returns the file as last listed, and the number of that listing.
func (t *fileTransfer) listedFile() (File, int) { return t.folder.listedFile(t.it.file.ID) }

// openPart opens the part and loads its state. A part that cannot be resumed is emptied.
func (t *fileTransfer) openPart() error {
	root := t.folder.root
	partName := t.name + partEnding
	if info, err := root.Lstat(partName); err == nil && !info.Mode().IsRegular() {
		return &diskError{fmt.Errorf("%w: %s is not a regular file", ErrExists, partName)}
	}
	part, err := root.OpenFile(partName, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return onDisk(err)
	}
	t.part = part
	state := readState(root, t.name, t.it.file.ID)
	file, _ := t.listedFile()
	hasOtherSize := file.Size >= 0 && state.Size >= 0 && file.Size != state.Size
	if len(state.Done) == 0 || hasOtherSize {
		return t.resetPart()
	}
	t.loadState(state)
	return nil
}

// loadState continues the download from the saved state of the part file.
func (t *fileTransfer) loadState(s partState) {
	t.size = s.Size
	t.tag = s.Tag
	t.digest = s.Digest
	t.sum = newHasherFor(s.Digest, t.q.o.SHA256)
	t.done = s.Done
	t.flushed = s.Done
	t.mostWritten = s.Done.totalBytes()
	t.it.done.Store(t.mostWritten)
	if s.Size >= 0 {
		t.it.size.Store(s.Size)
	}
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
	t.resets++
	t.it.done.Store(0)
	_ = t.folder.root.Remove(t.name + stateEnding)
	return onDisk(t.part.Truncate(0))
}

// recoverFrom handles the error that ended a round. If another round may succeed, it empties
// the part and returns nil. Otherwise it returns the error of the transfer.
//
// Another round may succeed if the file has changed on the server, if the digest of the part file is wrong, or if
// the size is wrong and the service now lists another size.
func (t *fileTransfer) recoverFrom(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	mayRestart := errors.Is(err, errChanged) || isDigestFault(err) || isSizeFault(err)
	if !mayRestart {
		return err
	}
	if isSizeFault(err) && !t.hasNewListedSize(ctx) {
		return fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	limit := maxRestarts
	if isDigestFault(err) {
		limit = 1
	}
	t.restarts++
	if t.restarts > limit {
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
	_, stateErr := t.folder.root.Lstat(t.name + stateEnding)
	hasState := !isMissing(stateErr) // false if the disk was full
	canResume := !errors.Is(err, ErrMismatch) && t.tag.isKnown() && hasState
	if canResume {
		return
	}
	_ = t.part.Close()
	t.part = nil
	removePart(t.folder.root, t.name)
	t.it.done.Store(0)
}

// saveState saves the state of the part file if it has changed.
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

// writtenRanges returns the ranges of the file that were written to the part file. The caller must hold t.mu.
func (t *fileTransfer) writtenRanges() byteRanges {
	all := t.done
	for _, w := range t.working {
		all = all.include(byteRange{w.from, w.pos})
	}
	return all
}

// flushToDisk syncs the part file to disk, and records which ranges are on disk now. It records nothing if the
// part file was emptied in the meantime.
func (t *fileTransfer) flushToDisk() {
	t.mu.Lock()
	written := t.writtenRanges()
	resetsBefore := t.resets
	t.mu.Unlock()
	if t.part.Sync() != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.resets == resetsBefore {
		t.flushed = written
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

// digestFault means that the digest of the part file differs from the digest of the server.
type digestFault struct{ source string }

func (e *digestFault) Error() string { return "digest differs from the one in " + e.source }

// sizeFault means that the size of the file differs from the size that the service lists.
type sizeFault struct{ listed, sent int64 }

func (e *sizeFault) Error() string {
	return fmt.Sprintf("size differs: listed %d bytes, server has %d", e.listed, e.sent)
}

// verifyDigest compares the digest of the part file with the digest of the server.
func (t *fileTransfer) verifyDigest() error {
	if t.sum == nil {
		t.sum = newHasherFor(t.digest, t.q.o.SHA256)
	}
	if err := t.sum.hashUpTo(t.part, t.size); err != nil {
		return onDisk(err)
	}
	if t.digest.MustMatch && !t.isProven() {
		return &digestFault{t.digest.Source}
	}
	return nil
}

// isProven reports whether the digest of the part file equals the digest of the server.
func (t *fileTransfer) isProven() bool { return t.digest.isAmong(t.sum.digests()) }

// finishFile gives the part file its final name and returns the manifest entry of the file.
func (t *fileTransfer) finishFile() (FetchedFile, error) {
	root := t.folder.root
	if err := t.closePart(); err != nil {
		return FetchedFile{}, err
	}
	if !t.lastModified.IsZero() {
		// The error is ignored, because some disks cannot store every time.
		_ = root.Chtimes(t.name+partEnding, t.lastModified, t.lastModified)
	}
	if err := t.publishFile(); err != nil {
		t.saveState() // so that a later run need not download the part again
		return FetchedFile{}, err
	}
	// The part still exists under its old name, unless publishFile renamed it.
	removePart(root, t.name) // also removes the saved state
	// closePart has synced the content to disk. This syncs the new name.
	_ = atomicfile.SyncFolder(root.Name())
	info, err := root.Lstat(t.name)
	if err != nil {
		return FetchedFile{}, onDisk(err)
	}
	listed, _ := t.listedFile()
	complete := completeFile{
		listed:   listed,
		path:     t.name,
		info:     info,
		computed: t.sum.digests(),
		sent:     t.digest,
		host:     t.host,
		etag:     t.tag.ETag,
	}
	return complete.manifestEntry(t.q.o.Now()), nil
}

// closePart cuts the complete part to the size of the file, syncs it to disk and closes it.
func (t *fileTransfer) closePart() error {
	if err := t.part.Truncate(t.size); err != nil { // an earlier attempt can have written more
		return onDisk(err)
	}
	if err := errors.Join(t.part.Sync(), t.part.Close()); err != nil {
		return onDisk(err)
	}
	t.part = nil       // so that runTransfer does not close it again
	t.flushed = t.done // all ranges are synced, so saveState can save them
	return nil
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

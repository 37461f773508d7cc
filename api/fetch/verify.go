package fetch

import (
	"context"
	"errors"
	"io"
	"os"
)

// VerifyFolder reads the files of a package below dir and compares their digests with those in the
// manifest. It returns the state of each file, in the order of p.Files. Changed is set if the
// content of a file has changed since its download. A file without a digest is compared by size
// and time only.
//
// VerifyFolder marks changed files in the manifest, so that [InspectFolder] then reports them as changed
// without reading them. progress is called with the number of bytes read since its last call; it may be
// nil. VerifyFolder stops with an error when ctx ends.
func VerifyFolder(ctx context.Context, dir string, p Package, progress func(bytes int)) ([]FileState, error) {
	states, err := InspectFolder(dir, p)
	if err != nil {
		return nil, err
	}
	f := newLockedFolder(dir, p)
	err = f.openToRead()
	if isMissing(err) {
		return states, nil
	}
	if err != nil {
		return nil, err
	}
	changed, err := markChanged(ctx, f.root, states, progress)
	err = errors.Join(err, f.root.Close())
	if err != nil {
		return nil, err
	}
	return states, invalidateTimes(dir, p, changed)
}

// markChanged reads the complete files that have digests, and updates the states of the files
// that have changed. It returns the entries of the changed files.
func markChanged(
	ctx context.Context,
	root *os.Root,
	states []FileState,
	progress func(bytes int),
) ([]FetchedFile, error) {
	var changed []FetchedFile
	for i := range states {
		s := &states[i]
		hasDigests := s.Entry.Digests != Digests{}
		if !s.Whole || !hasDigests {
			continue
		}
		isUnchanged, err := hasSameDigests(ctx, root, s, progress)
		if err != nil {
			return nil, err
		}
		if !isUnchanged {
			s.Whole = false
			s.Changed = true
			s.Done = 0
			changed = append(changed, s.Entry)
		}
	}
	return changed, nil
}

// hasSameDigests reports whether a file still has the digests in its entry.
func hasSameDigests(
	ctx context.Context, root *os.Root, s *FileState, progress func(bytes int),
) (same bool, err error) {
	hasher := newHasherLike(s.Entry.Digests)
	file, err := root.Open(s.Path)
	if err != nil {
		return false, onDisk(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	source := &countedReader{ctx: ctx, source: file, progress: progress}
	if err := hasher.hashUpTo(source, s.Entry.Size); err != nil {
		return false, err
	}
	return s.Entry.matchAll(hasher.digests()), nil
}

// countedReader reports the number of bytes read, and stops when a context ends.
type countedReader struct {
	ctx      context.Context
	source   io.ReaderAt
	progress func(bytes int) // may be nil
}

// ReadAt reads from the source unless the context has ended.
func (r *countedReader) ReadAt(b []byte, offset int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.source.ReadAt(b, offset)
	if r.progress != nil {
		r.progress(n)
	}
	return n, err
}

// invalidateTimes makes files count as changed, so that later checks need not read them again. It
// changes their modification times in the manifest, which then differ from the times on disk.
func invalidateTimes(dir string, p Package, files []FetchedFile) error {
	if len(files) == 0 {
		return nil
	}
	f := newLockedFolder(dir, p)
	if err := f.openShared(); err != nil {
		return err
	}
	for _, entry := range files {
		entry.Modified = entry.Modified.Add(-1)
		f.addFetched(entry)
	}
	return f.closeShared()
}

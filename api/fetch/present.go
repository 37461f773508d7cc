package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"
)

// findPresent returns the entry of the file if it exists already. It returns nil if the file must be
// downloaded, and [ErrExists] if another file has the name.
func (t *fileTransfer) findPresent(ctx context.Context) (*FetchedFile, error) {
	info, err := t.folder.root.Lstat(t.name)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, onDisk(err)
	}
	if !info.Mode().IsRegular() {
		return nil, ErrExists
	}
	entry, isInManifest := t.folder.fetchedEntry(t.it.file.ID)
	if isInManifest {
		return t.findFetched(ctx, info, entry)
	}
	if t.hasOtherSize(info) {
		return nil, ErrExists
	}
	return t.adoptExisting(ctx, info)
}

// findFetched is findPresent for a file with an entry in the manifest. It reads the file only if
// the options require it, or if the size or the modification time has changed.
func (t *fileTransfer) findFetched(
	ctx context.Context,
	info fs.FileInfo,
	entry FetchedFile,
) (*FetchedFile, error) {
	options := &t.q.o
	addsSHA256 := options.SHA256 && entry.SHA256 == ""
	mustRead := options.Verify || addsSHA256
	file, _ := t.listedFile()
	if !mustRead && entry.matchesFile(info, file.Size) {
		removePart(t.folder.root, t.name)
		return &entry, nil
	}
	if t.hasOtherSize(info) {
		return t.replaceChanged()
	}
	return t.verifyEntry(ctx, info, entry, addsSHA256)
}

// hasOtherSize reports whether the existing file has another size than the service lists.
func (t *fileTransfer) hasOtherSize(info fs.FileInfo) bool {
	file, _ := t.listedFile()
	isSizeKnown := file.Size >= 0
	return isSizeKnown && file.Size != info.Size()
}

// replaceChanged renames a file that was changed since its download and returns nil, so that the file
// is downloaded again. It returns [ErrExists] unless the options allow renaming.
func (t *fileTransfer) replaceChanged() (*FetchedFile, error) {
	if !t.q.o.SetAside || t.q.o.Verify {
		return nil, fmt.Errorf("%w: changed since it was downloaded", ErrExists)
	}
	if err := t.folder.setAside(t.name); err != nil {
		return nil, err
	}
	return nil, nil
}

// verifyEntry checks that the file still has the digests in the manifest and returns its entry. If
// addSHA256 is set, it also adds the SHA-256 to the entry. If the file has changed, verifyEntry calls
// replaceChanged if Verify or SetAside is set, and otherwise adoptExisting.
func (t *fileTransfer) verifyEntry(
	ctx context.Context,
	info fs.FileInfo,
	entry FetchedFile,
	addSHA256 bool,
) (*FetchedFile, error) {
	root := t.folder.root
	hasher := newHasherLike(entry.Digests)
	if addSHA256 {
		hasher.addSHA256()
	}
	computed, err := sumFile(root, t.name, hasher)
	if err != nil {
		return nil, onDisk(err)
	}
	if !entry.matchAll(computed) {
		options := &t.q.o
		if options.Verify || options.SetAside {
			return t.replaceChanged()
		}
		return t.adoptExisting(ctx, info)
	}
	entry.Modified = info.ModTime()
	if addSHA256 {
		entry.SHA256 = computed.SHA256
		entry.CRC32C = "" // only recorded for files without another digest
	}
	removePart(root, t.name)
	return &entry, nil
}

// adoptExisting compares the existing file with the digest that the server sends. If they match, it
// returns the entry of the file. If the server sends no usable digest, it returns nil. The file is
// then downloaded, and publishFile compares the content.
func (t *fileTransfer) adoptExisting(ctx context.Context, info fs.FileInfo) (*FetchedFile, error) {
	file, _ := t.listedFile()
	limited, cancel := context.WithTimeout(ctx, t.q.o.pace.stall)
	defer cancel()
	resp, err := t.q.sendRequest(limited, http.MethodHead, file.URL, http.Header{})
	if err != nil {
		return nil, nil // the download reports the error
	}
	_ = resp.Body.Close()
	d := readDigest(resp.Header)
	if resp.StatusCode != http.StatusOK || len(d.Sum) == 0 {
		return nil, nil // there is no digest to compare with
	}
	computed, err := sumFile(t.folder.root, t.name, newHasherFor(d, t.q.o.SHA256))
	if err != nil {
		return nil, onDisk(err)
	}
	if !d.isAmong(computed) {
		if d.MustMatch {
			return nil, ErrExists
		}
		return nil, nil // d may be no digest at all, so the download compares the content
	}
	removePart(t.folder.root, t.name)
	entry := t.newFetchedFile(info, d, computed, resp.Request.URL.Host, validatorOf(resp).ETag)
	return &entry, nil
}

// newFetchedFile returns the manifest entry of a complete file, with the digest that the server sent
// and the computed digests.
func (t *fileTransfer) newFetchedFile(
	info fs.FileInfo,
	d serverDigest,
	computed Digests,
	host, tag string,
) FetchedFile {
	file, _ := t.listedFile()
	proof := BySize
	if d.isAmong(computed) {
		proof = VerifiedBy(d.Source)
	}
	return FetchedFile{
		ID:        file.ID,
		Name:      file.Name,
		Path:      t.name,
		Product:   file.Product,
		MediaType: file.MediaType,
		Size:      info.Size(),
		Digests:   computed,
		Verified:  proof,
		Host:      host,
		ETag:      tag,
		Modified:  info.ModTime(),
		FetchedAt: t.q.o.Now().UTC().Truncate(time.Second),
	}
}

// sumFile returns the digests of a file, computed by s.
func sumFile(root *os.Root, name string, s *fileHasher) (sums Digests, err error) {
	f, err := root.Open(name)
	if err != nil {
		return Digests{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return Digests{}, err
	}
	err = s.hashUpTo(f, info.Size())
	return s.digests(), err
}

// sameContent reports whether two files have the same content.
func sameContent(root *os.Root, one, other string) bool {
	sums, err := sumFile(root, one, newSHA256Hasher())
	if err != nil {
		return false
	}
	otherSums, err := sumFile(root, other, newSHA256Hasher())
	return err == nil && sums == otherSums
}

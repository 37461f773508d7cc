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

// existingFile checks whether a file that is to be downloaded exists already.
type existingFile struct {
	q      *Queue
	folder *lockedFolder
	name   string // final name in the folder
	id     string // of the file
}

// listedFile returns the file with its latest link. The caller must not keep an earlier link: the
// check of a large file takes minutes, and the link can expire in this time.
func (f existingFile) listedFile() File {
	listed, _ := f.folder.listedFile(f.id)
	return listed
}

// find returns the manifest entry of the file if it exists already. It returns nil if the file must be
// downloaded, and [ErrExists] if another file has the name.
func (f existingFile) find(ctx context.Context) (*FetchedFile, error) {
	entry, err := f.findEntry(ctx)
	if entry != nil {
		removePart(f.folder.root, f.name) // an interrupted download can have left an incomplete file
	}
	return entry, err
}

// findEntry returns the manifest entry of the file. It returns nil if the file must be downloaded, and [ErrExists] if
// another file has the name or the file has changed.
func (f existingFile) findEntry(ctx context.Context) (*FetchedFile, error) {
	info, err := f.folder.root.Lstat(f.name)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, onDisk(err)
	}
	if !info.Mode().IsRegular() {
		return nil, ErrExists
	}
	entry, isInManifest := f.folder.fetchedEntry(f.id)
	if isInManifest {
		return f.findFetched(ctx, info, entry)
	}
	if f.hasOtherSize(info) {
		return nil, ErrExists
	}
	return f.adopt(ctx, info)
}

// findFetched checks a file that was downloaded before, and returns its manifest entry if it is
// intact. It returns nil if the file must be downloaded again. It returns [ErrExists] if the file
// has changed and the options forbid renaming it.
//
// If the size differs from the size that the service lists, the file has changed. Otherwise
// findFetched reads the content in two cases: if the options require it, or if the size or the
// modification time differs from the manifest.
func (f existingFile) findFetched(
	ctx context.Context,
	info fs.FileInfo,
	entry FetchedFile,
) (*FetchedFile, error) {
	if f.hasOtherSize(info) {
		return nil, f.setAsideChanged()
	}
	options := &f.q.o
	lacksSHA256 := options.SHA256 && entry.SHA256 == ""
	mustRead := options.Verify || lacksSHA256 // even if size and modification time match
	isUntouched := entry.matchesFile(info, f.listedFile().Size)
	if isUntouched && !mustRead {
		return &entry, nil
	}
	computed, err := f.computeDigests(entry)
	if err != nil {
		return nil, err
	}
	isChanged := !entry.matchAll(computed)
	if isChanged && (options.Verify || options.SetAside) {
		return nil, f.setAsideChanged()
	}
	if isChanged {
		// Without SetAside, the file must not be renamed. But its content may be a newer version of the
		// file on the service, so compare it with the digest that the service sends now.
		return f.adopt(ctx, info)
	}
	entry.Modified = info.ModTime()
	if lacksSHA256 {
		entry.SHA256 = computed.SHA256
		entry.CRC32C = "" // entries have a CRC32C only if they have no other digest
	}
	return &entry, nil
}

// hasOtherSize reports whether the existing file has another size than the service lists.
func (f existingFile) hasOtherSize(info fs.FileInfo) bool {
	listedSize := f.listedFile().Size
	isSizeKnown := listedSize >= 0
	return isSizeKnown && listedSize != info.Size()
}

// setAsideChanged renames a file that was changed since its download, so that the file can be downloaded
// again. It returns [ErrExists] if the options forbid renaming.
func (f existingFile) setAsideChanged() error {
	if !f.q.o.SetAside || f.q.o.Verify {
		return fmt.Errorf("%w: changed since it was downloaded", ErrExists)
	}
	return f.folder.setAside(f.name)
}

// computeDigests reads the file and returns the digests that its entry has, and the SHA-256 if the options require it.
func (f existingFile) computeDigests(entry FetchedFile) (Digests, error) {
	hasher := newHasherLike(entry.Digests)
	if f.q.o.SHA256 {
		hasher.addSHA256()
	}
	computed, err := sumFile(f.folder.root, f.name, hasher)
	return computed, onDisk(err)
}

// adopt checks an existing file that is not in the manifest, or that differs from its entry there. If
// its digest equals the digest that the server sends, adopt returns a new manifest entry. If the
// digests differ, it returns [ErrExists].
//
// If the server sends no digest, or an ETag that may not be one, adopt returns nil. The file is then
// downloaded, and publishFile compares the content.
func (f existingFile) adopt(ctx context.Context, info fs.FileInfo) (*FetchedFile, error) {
	listed := f.listedFile()
	headers := f.requestHeaders(ctx, listed.URL)
	sent := headers.digest
	if len(sent.Sum) == 0 {
		return nil, nil
	}
	computed, err := sumFile(f.folder.root, f.name, newHasherFor(sent, f.q.o.SHA256))
	if err != nil {
		return nil, onDisk(err)
	}
	isSame := sent.isAmong(computed)
	if !isSame && sent.MustMatch {
		return nil, ErrExists
	}
	if !isSame {
		return nil, nil
	}
	complete := completeFile{
		listed:   listed,
		path:     f.name,
		info:     info,
		computed: computed,
		sent:     sent,
		host:     headers.host,
		etag:     headers.etag,
	}
	entry := complete.manifestEntry(f.q.o.Now())
	return &entry, nil
}

// fileHeaders is what the headers of a response say about a file.
type fileHeaders struct {
	digest serverDigest // zero if the server sends none
	host   string       // of the server
	etag   string
}

// requestHeaders requests the headers of the file without its content. It returns zero headers if
// this fails, without an error: the caller then downloads the file, and the download reports the
// error.
func (f existingFile) requestHeaders(ctx context.Context, url string) fileHeaders {
	limited, cancel := context.WithTimeout(ctx, f.q.o.pace.stall)
	defer cancel()
	resp, err := f.q.sendRequest(limited, http.MethodHead, url, http.Header{})
	if err != nil {
		return fileHeaders{}
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fileHeaders{}
	}
	return fileHeaders{
		digest: readDigest(resp.Header),
		host:   resp.Request.URL.Host,
		etag:   validatorOf(resp).ETag,
	}
}

// completeFile is a complete file in the folder, with what the server sent about it.
type completeFile struct {
	listed   File
	path     string // in the folder
	info     fs.FileInfo
	computed Digests      // of the content
	sent     serverDigest // digest that the server sent
	host     string       // of the server
	etag     string
}

// manifestEntry returns the entry of the file in the manifest. The file was fetched at now.
func (c completeFile) manifestEntry(now time.Time) FetchedFile {
	proof := BySize
	if c.sent.isAmong(c.computed) {
		proof = VerifiedBy(c.sent.Source)
	}
	return FetchedFile{
		ID:        c.listed.ID,
		Name:      c.listed.Name,
		Path:      c.path,
		Product:   c.listed.Product,
		MediaType: c.listed.MediaType,
		Size:      c.info.Size(),
		Digests:   c.computed,
		Verified:  proof,
		Host:      c.host,
		ETag:      c.etag,
		Modified:  c.info.ModTime(),
		FetchedAt: now.UTC().Truncate(time.Second),
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

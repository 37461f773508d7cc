package domain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"

	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// Permission returns the flight permission of a mission and its document, or nil if there
// is no document.
func (d Missions) Permission(
	ctx context.Context, m store.Mission,
) (p store.Permission, permit *store.File, err error) {
	const doing = "read flight permission"
	p, err = d.Store.Permission(ctx, m.ID)
	if err != nil {
		err = refuseMissing(err, "no flight permission of %s recorded yet", m.Code)
		return p, nil, wrapStoreError(err, doing)
	}
	if p.PermitID == nil {
		return p, nil, nil
	}
	f, err := store.ByID[store.File](ctx, d.Store, *p.PermitID)
	return p, &f, wrapStoreError(err, doing)
}

// Package returns a delivery package of one of the caller's missions.
func (d Missions) Package(ctx context.Context, c *Caller, uuid string) (store.Package, error) {
	o, p, err := d.Store.PackageByUUID(ctx, uuid)
	if err != nil {
		return p, wrapStoreError(refuseMissing(err, "delivery package not found"), "read delivery package")
	}
	return p, authorizeAccess(c, o)
}

// OpenFile opens a file for reading. If the content was deleted, it returns an error with the
// code not_found.
func (d Missions) OpenFile(ctx context.Context, id int64) (f store.File, content io.ReadSeekCloser, err error) {
	f, content, err = d.openFile(ctx, id)
	if errors.Is(err, files.ErrMissing) {
		err = store.ErrNotFound
	}
	return f, content, wrapStoreError(refuseMissing(err, "the file no longer exists"), "open file")
}

// FileUUID returns the UUID of the file with an ID, or [store.ErrNotFound].
func (d Missions) FileUUID(ctx context.Context, id int64) (string, error) {
	f, err := store.ByID[store.File](ctx, d.Store, id)
	return f.UUID, err
}

// openFile opens a stored file. A file that was added without a digest gets it now.
func (d Missions) openFile(ctx context.Context, id int64) (store.File, io.ReadSeekCloser, error) {
	f, err := store.ByID[store.File](ctx, d.Store, id)
	if err != nil {
		return f, nil, err
	}
	content, err := d.Files.Open(ctx, f.Place)
	if err != nil {
		return f, nil, err
	}
	if f.SHA256 == "" {
		f.SHA256, err = d.digestFile(ctx, id, content)
		if err != nil {
			return f, nil, errors.Join(err, content.Close())
		}
	}
	return f, content, nil
}

// digestFile computes and saves the digest of a file that was added without one. The files of
// the demo are added without digests, because they can be large and few of them are opened.
func (d Missions) digestFile(ctx context.Context, id int64, content io.ReadSeeker) (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, content); err != nil {
		return "", err
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	digest := hex.EncodeToString(hash.Sum(nil))
	return digest, d.Store.Write(ctx, func(tx *store.Tx) error { return tx.SetFileDigest(id, digest) })
}

// StoreFile stores the content of a file. The returned record is not saved yet: the caller saves
// it with a delivery or a permission. If saving fails, the caller deletes the file with
// DiscardFiles.
func (d Missions) StoreFile(ctx context.Context, name, mediaType string, content io.Reader) (store.File, error) {
	now := d.Now()
	f := store.File{
		UUID:      newUUID(now),
		Name:      name,
		MediaType: mediaType,
		Place:     newUUID(now),
	}
	sum, err := d.Files.Put(ctx, f.Place, content)
	if err != nil {
		return store.File{}, wrapStoreError(err, "keep file")
	}
	f.Size = sum.Size
	f.SHA256 = hex.EncodeToString(sum.SHA256[:])
	return f, nil
}

// DiscardFiles deletes the files of a change that has failed. It keeps files that a record refers
// to, because a transaction may have been committed although it has returned an error.
func (d Missions) DiscardFiles(ctx context.Context, list ...store.File) error {
	places := make([]string, len(list))
	for i, f := range list {
		places[i] = f.Place
	}
	unreferenced, err := d.Store.UnreferencedFiles(ctx, places)
	if err != nil {
		return fmt.Errorf("discard files: %w", err)
	}
	var failures []error
	for _, place := range unreferenced {
		failures = append(failures, d.Files.Remove(ctx, place))
	}
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("discard files: %w", err)
	}
	return nil
}

// fieldAt returns the name of the i-th value of a repeated field, such as "files[2]".
func fieldAt(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

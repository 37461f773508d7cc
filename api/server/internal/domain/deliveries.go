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

// Permission returns a mission's flight permission, and its document if it has
// one.
func (d Missions) Permission(
	ctx context.Context, m store.Mission,
) (p store.Permission, permit *store.File, err error) {
	p, err = d.Store.Permission(ctx, m.ID)
	if err != nil || p.PermitID == nil {
		err = refuseMissing(err, "no flight permission of %s recorded yet", m.Code)
		return p, nil, wrapStoreError(err, "read flight permission")
	}
	f, err := store.ByID[store.File](ctx, d.Store, *p.PermitID)
	return p, &f, wrapStoreError(err, "read flight permission")
}

// Package returns a delivery package of one of the caller's missions.
func (d Missions) Package(ctx context.Context, c *Caller, uuid string) (store.Package, error) {
	o, p, err := d.Store.PackageByUUID(ctx, uuid)
	err = authorizeAccess(c, o, refuseMissing(err, "delivery package not found"))
	return p, wrapStoreError(err, "read delivery package")
}

// OpenFile opens a file for reading; not_found where it is gone.
func (d Missions) OpenFile(ctx context.Context, id int64) (f store.File, content io.ReadSeekCloser, err error) {
	f, err = store.ByID[store.File](ctx, d.Store, id)
	if err == nil {
		content, err = d.Files.Open(ctx, f.Place)
	}
	if err == nil && f.SHA256 == "" {
		f.SHA256, err = d.digestFile(ctx, id, content)
		if err != nil {
			err = errors.Join(err, content.Close())
		}
	}
	if errors.Is(err, files.ErrMissing) {
		err = store.ErrNotFound
	}
	return f, content, wrapStoreError(refuseMissing(err, "the file no longer exists"), "open file")
}

// digestFile works out and keeps the digest of a file that was listed before it was
// read, such as those of the demo, which can be large and of which few are opened.
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

// KeepFile keeps a file's content. It belongs to nothing until a move takes
// it; Discard drops it again.
func (d Missions) KeepFile(ctx context.Context, name, mediaType string, content io.Reader) (store.File, error) {
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

// DiscardFiles drops those of the files that no move has taken. It asks the database:
// a move that has failed may be one whose outcome is unknown.
func (d Missions) DiscardFiles(ctx context.Context, list ...store.File) error {
	places := make([]string, len(list))
	for i, f := range list {
		places[i] = f.Place
	}
	unnamed, err := d.Store.UnreferencedFiles(ctx, places)
	for _, place := range unnamed {
		err = errors.Join(err, d.Files.Remove(ctx, place))
	}
	if err != nil {
		return fmt.Errorf("discard files: %w", err)
	}
	return nil
}

// fieldAt names the i-th value of a repeated field.
func fieldAt(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

package store

// CorrectFile sets size and digest of the file at a place in the file store
// right, and the size of its package.
func (tx *Tx) CorrectFile(place string, size int64, sha256 string) error {
	if err := tx.execute(`UPDATE files SET size = $1, sha256 = $2 WHERE place = $3`, size, sha256, place); err != nil {
		return err
	}
	return tx.execute(`UPDATE packages SET total_size = (SELECT SUM(size) FROM files WHERE package_id = packages.id)
		WHERE id IN (SELECT package_id FROM files WHERE place = $1)`, place)
}

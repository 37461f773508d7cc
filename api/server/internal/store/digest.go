package store

// SetFileDigest keeps the digest of a file that was listed without one.
func (tx *Tx) SetFileDigest(id int64, sha256 string) error {
	return tx.execute(`UPDATE files SET sha256 = $1 WHERE id = $2`, sha256, id)
}

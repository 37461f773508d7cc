package geotiff

import "testing"

// LimitDecoded makes rasters of more bytes be read in part.
func LimitDecoded(t *testing.T, bytes int) {
	before := maxDecoded
	maxDecoded = bytes
	t.Cleanup(func() { maxDecoded = before })
}

// StoredBytes returns the memory that the cells of a footprint need.
func (f *Footprint) StoredBytes() int { return len(f.valid) }

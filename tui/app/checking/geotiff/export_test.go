package geotiff

// StoredBytes returns the memory that the cells of a footprint need.
func (f *Footprint) StoredBytes() int { return len(f.valid) }

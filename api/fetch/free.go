package fetch

import "path/filepath"

// Free returns how many bytes the disk of [Options.Dir] has left for files to
// come, also while that folder is not there yet.
func (q *Queue) Free() (int64, error) {
	free, err := q.o.disk.free(q.o.Dir)
	for dir := q.o.Dir; err != nil && filepath.Dir(dir) != dir; {
		dir = filepath.Dir(dir)
		free, err = q.o.disk.free(dir)
	}
	return max(0, free-spareSpace), err
}

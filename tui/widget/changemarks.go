package widget

import "time"

// changedFor is how long a changed row stays marked.
const changedFor = time.Minute

// changeMarks marks rows for a minute after they changed.
type changeMarks struct {
	now   func() time.Time
	times map[string]time.Time // time of the last change by the ID of the row
}

// mark marks a row as changed now.
func (m *changeMarks) mark(id string) { m.times[id] = m.now() }

// removeOld removes the marks of rows that changed more than a minute ago.
func (m *changeMarks) removeOld() {
	for id := range m.times {
		if !m.isMarked(id) {
			delete(m.times, id)
		}
	}
}

// isMarked reports whether a row changed in the last minute.
func (m *changeMarks) isMarked(id string) bool {
	changed, ok := m.times[id]
	return ok && m.now().Sub(changed) < changedFor
}

// any reports whether at least one row is marked.
func (m *changeMarks) any() bool {
	for id := range m.times {
		if m.isMarked(id) {
			return true
		}
	}
	return false
}

package checking

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/session"
)

// Result is what a check found about a file.
type Result struct {
	Digest string    `json:"digest"` // of the file that was checked
	Level  Level     `json:"level"`
	Text   string    `json:"text,omitempty"`
	At     time.Time `json:"at"`
}

// Results are the results of a profile's checks by package and file ID. They must be used from one
// goroutine.
type Results struct {
	saved *session.UIState
	files map[string]map[string]Result
}

const (
	resultsName = "checks"
	maxResults  = 5000 // of the newest checks
)

// OpenResults returns the results that are saved in the state of a profile.
func OpenResults(saved *session.UIState) *Results {
	r := &Results{saved: saved, files: map[string]map[string]Result{}}
	saved.Get(resultsName, &r.files)
	return r
}

// digestOf identifies the content of a file on disk: by its digest, or by its size and time.
func digestOf(s *fetch.FileState) string {
	e := &s.Entry
	return cmp.Or(e.SHA256, e.CRC32C, e.MD5, fmt.Sprintf("%d@%d", e.Size, e.Modified.Unix()))
}

// Of returns the result of a file, unless the file has changed since its check.
func (r *Results) Of(packageID string, s *fetch.FileState) (Result, bool) {
	if r == nil {
		return Result{}, false
	}
	result, ok := r.files[packageID][s.File.ID]
	if !ok || !s.Whole || result.Digest != digestOf(s) {
		return Result{}, false
	}
	return result, true
}

// Add adds the results of a check and saves them.
func (r *Results) Add(report *Report) {
	for i := range report.Files {
		f := &report.Files[i]
		if r.files[f.Package] == nil {
			r.files[f.Package] = map[string]Result{}
		}
		r.files[f.Package][f.ID] = Result{Digest: f.digest, Level: f.Level, Text: f.Text, At: report.CheckedAt}
	}
	r.trim()
	r.saved.Put(resultsName, r.files)
}

// trim drops the oldest packages if there are too many results.
func (r *Results) trim() {
	newest := func(of map[string]Result) (at time.Time) {
		for _, result := range of {
			if result.At.After(at) {
				at = result.At
			}
		}
		return at
	}
	ids := slices.SortedFunc(maps.Keys(r.files), func(a, b string) int {
		return newest(r.files[b]).Compare(newest(r.files[a]))
	})
	n := 0
	for i, id := range ids {
		n += len(r.files[id])
		if n > maxResults && i > 0 {
			delete(r.files, id)
		}
	}
}

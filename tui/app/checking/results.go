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
	kept  savedResults
}

// savedResults are the results in the state of a profile.
type savedResults struct {
	Files    map[string]map[string]Result `json:"files"`
	Missions map[string]MissionResult     `json:"missions"` // by code
}

const (
	resultsName = "checks"
	maxResults  = 5000 // files of the newest checks
	maxMissions = 2000
)

// OpenResults returns the results that are saved in the state of a profile.
func OpenResults(saved *session.UIState) *Results {
	r := &Results{saved: saved}
	saved.Get(resultsName, &r.kept)
	if r.kept.Files == nil {
		r.kept.Files = map[string]map[string]Result{}
	}
	if r.kept.Missions == nil {
		r.kept.Missions = map[string]MissionResult{}
	}
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
	result, ok := r.kept.Files[packageID][s.File.ID]
	if !ok || !s.Whole || result.Digest != digestOf(s) {
		return Result{}, false
	}
	return result, true
}

// Add adds the results of a check and saves them.
func (r *Results) Add(report *Report) {
	for i := range report.Files {
		f := &report.Files[i]
		if r.kept.Files[f.Package] == nil {
			r.kept.Files[f.Package] = map[string]Result{}
		}
		r.kept.Files[f.Package][f.ID] = Result{Digest: f.digest, Level: f.Level, Text: f.Text, At: report.CheckedAt}
	}
	for _, m := range report.Missions {
		r.kept.Missions[m.Mission] = m
	}
	r.trim()
	r.saved.Put(resultsName, r.kept)
}

// OfMission returns the result of the last check of a mission with all its files.
func (r *Results) OfMission(code string) (MissionResult, bool) {
	if r == nil {
		return MissionResult{}, false
	}
	result, ok := r.kept.Missions[code]
	return result, ok
}

// trim drops the oldest packages and missions if there are too many results.
func (r *Results) trim() {
	newest := func(of map[string]Result) (at time.Time) {
		for _, result := range of {
			if result.At.After(at) {
				at = result.At
			}
		}
		return at
	}
	ids := slices.SortedFunc(maps.Keys(r.kept.Files), func(a, b string) int {
		return newest(r.kept.Files[b]).Compare(newest(r.kept.Files[a]))
	})
	n := 0
	for i, id := range ids {
		n += len(r.kept.Files[id])
		if n > maxResults && i > 0 {
			delete(r.kept.Files, id)
		}
	}
	missions := slices.SortedFunc(maps.Keys(r.kept.Missions), func(a, b string) int {
		return r.kept.Missions[b].At.Compare(r.kept.Missions[a].At)
	})
	for _, code := range missions[min(len(missions), maxMissions):] {
		delete(r.kept.Missions, code)
	}
}

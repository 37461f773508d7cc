package checking

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/session"
)

// Result is what a check found about a file.
type Result struct {
	Name   string    `json:"name,omitempty"`
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
	maxOutlined = 100 // missions with footprints
)

// OpenResults returns the results that are saved in the state of a profile.
func OpenResults(saved *session.UIState) *Results {
	saved.SetMerge(resultsName, mergeSaved)
	r := &Results{saved: saved}
	r.load()
	return r
}

// load decodes the saved results.
func (r *Results) load() {
	r.kept = newSavedResults()
	var saved savedResults
	r.saved.Get(resultsName, &saved)
	r.kept.merge(saved)
}

// Reload reads the results again, because another window or command may have added results.
func (r *Results) Reload() {
	if r == nil {
		return
	}
	r.saved.Reload(resultsName)
	r.load()
}

// mergeSaved merges the results in the file with results that are to be saved.
func mergeSaved(stored, own jsontext.Value) jsontext.Value {
	merged := newSavedResults()
	for _, value := range []jsontext.Value{stored, own} {
		var saved savedResults
		if json.Unmarshal(value, &saved) == nil {
			merged.merge(saved)
		}
	}
	merged.trim()
	data, err := json.Marshal(merged)
	if err != nil {
		return own // cannot happen for these types
	}
	return data
}

func newSavedResults() savedResults {
	return savedResults{Files: map[string]map[string]Result{}, Missions: map[string]MissionResult{}}
}

// merge adds other results. Of two results of a file or a mission, the newer one is kept.
func (s savedResults) merge(other savedResults) {
	for packageID, files := range other.Files {
		for id, result := range files {
			s.addFile(packageID, id, result)
		}
	}
	for _, result := range other.Missions {
		s.addMission(result)
	}
}

// addFile adds the result of a file unless a newer one is known.
func (s savedResults) addFile(packageID, id string, result Result) {
	files := s.Files[packageID]
	if files == nil {
		files = map[string]Result{}
		s.Files[packageID] = files
	}
	if known, ok := files[id]; !ok || !known.At.After(result.At) {
		files[id] = result
	}
}

// addMission adds the result of a mission unless a newer one is known.
func (s savedResults) addMission(result MissionResult) {
	if known, ok := s.Missions[result.Mission]; !ok || !known.At.After(result.At) {
		s.Missions[result.Mission] = result
	}
}

// digestOf identifies the content of a file on disk: by its digest, or by its size and time.
func digestOf(s *fetch.FileState) string {
	e := &s.Entry
	return cmp.Or(e.SHA256, e.CRC32C, e.MD5, fmt.Sprintf("%d@%d", e.Size, e.Modified.Unix()))
}

// Of returns the result of a file. It returns false if the file was not checked, or has changed since its check.
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
		result := Result{Name: f.Name, Digest: f.digest, Level: f.Level, Text: f.Text, At: report.CheckedAt}
		r.kept.addFile(f.Package, f.ID, result)
	}
	for _, m := range report.Missions {
		r.kept.addMission(m)
	}
	r.kept.trim()
	r.saved.Put(resultsName, r.kept)
}

// OfPackage returns the results of the last checks of the files of a package, by name.
func (r *Results) OfPackage(packageID string) []Result {
	if r == nil {
		return nil
	}
	results := slices.Collect(maps.Values(r.kept.Files[packageID]))
	slices.SortFunc(results, func(a, b Result) int { return cmp.Compare(a.Name, b.Name) })
	return results
}

// OfMission returns the result of the last check of a mission with all its files. It returns false if there is none.
func (r *Results) OfMission(code string) (MissionResult, bool) {
	if r == nil {
		return MissionResult{}, false
	}
	result, ok := r.kept.Missions[code]
	return result, ok
}

// trim drops the oldest packages and missions if there are too many results.
func (s savedResults) trim() {
	packages := slices.SortedFunc(maps.Keys(s.Files), func(a, b string) int {
		return newestTime(s.Files[b]).Compare(newestTime(s.Files[a]))
	})
	count := 0
	for i, id := range packages {
		count += len(s.Files[id])
		if count > maxResults && i > 0 {
			delete(s.Files, id)
		}
	}
	missions := slices.SortedFunc(maps.Keys(s.Missions), func(a, b string) int {
		return s.Missions[b].At.Compare(s.Missions[a].At)
	})
	for _, code := range missions[min(len(missions), maxMissions):] {
		delete(s.Missions, code)
	}
	for _, code := range missions[min(len(missions), maxOutlined):] {
		if result, ok := s.Missions[code]; ok && len(result.Footprints) > 0 {
			result.Footprints = nil
			s.Missions[code] = result
		}
	}
}

// newestTime returns the time of the newest of some results.
func newestTime(results map[string]Result) (newest time.Time) {
	for _, result := range results {
		if result.At.After(newest) {
			newest = result.At
		}
	}
	return newest
}

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

// Result is the result of the last check of a file.
type Result struct {
	Name   string    `json:"name,omitempty"`
	Digest string    `json:"digest"` // see digestOf; shows whether the file has changed since
	Level  Level     `json:"level"`
	Text   string    `json:"text,omitempty"` // the problem or the note
	At     time.Time `json:"at"`             // time of the check
}

// Results stores the results of checks of delivered files and missions. They are saved in the state of a profile.
// Results must be used from one goroutine.
type Results struct {
	saved *session.UIState
	kept  savedResults
}

// savedResults has the results as they are saved in the state of a profile.
type savedResults struct {
	Files    map[string]map[string]Result `json:"files"`    // by package ID, then by file ID
	Missions map[string]MissionResult     `json:"missions"` // by mission code
}

const (
	resultsName = "checks"
	maxResults  = 5000 // maximum number of files; the oldest packages are dropped
	maxMissions = 2000
	maxOutlined = 100 // maximum number of missions that keep their footprints
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

// Reload reads the saved results again, because another window or command may have added some.
func (r *Results) Reload() {
	if r == nil {
		return
	}
	r.saved.Reload(resultsName)
	r.load()
}

// mergeSaved is called when results are saved. It merges the results in the file (stored) with the
// results of this program (own), so that no program overwrites the results of another.
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

// merge adds the results of other. If both have a result for a file or a mission, the newer result is used.
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

// addFile adds the result of a file, unless there is a newer result.
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

// addMission adds the result of a mission, unless there is a newer result.
func (s savedResults) addMission(result MissionResult) {
	if known, ok := s.Missions[result.Mission]; !ok || !known.At.After(result.At) {
		s.Missions[result.Mission] = result
	}
}

// digestOf returns a text that changes with the content of a file on disk: its digest if known,
// otherwise its size and modification time.
func digestOf(s *fetch.FileState) string {
	e := &s.Entry
	return cmp.Or(e.SHA256, e.CRC32C, e.MD5, fmt.Sprintf("%d@%d", e.Size, e.Modified.Unix()))
}

// Of returns the result of a file. It returns false if the file was never checked, or has changed
// since its last check.
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

// OfPackage returns the results of the checked files of a package, sorted by file name.
func (r *Results) OfPackage(packageID string) []Result {
	if r == nil {
		return nil
	}
	results := slices.Collect(maps.Values(r.kept.Files[packageID]))
	slices.SortFunc(results, func(a, b Result) int { return cmp.Compare(a.Name, b.Name) })
	return results
}

// OfMission returns the result of the last check that included all files of a mission. It returns
// false if there was no such check.
func (r *Results) OfMission(code string) (MissionResult, bool) {
	if r == nil {
		return MissionResult{}, false
	}
	result, ok := r.kept.Missions[code]
	return result, ok
}

// trim drops the oldest results if there are too many.
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

// newestTime returns the time of the newest result.
func newestTime(results map[string]Result) (newest time.Time) {
	for _, result := range results {
		if result.At.After(newest) {
			newest = result.At
		}
	}
	return newest
}

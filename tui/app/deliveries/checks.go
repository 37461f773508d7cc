package deliveries

import (
	"time"

	"flightdesk/tui/app/checking"
	"flightdesk/tui/format"
)

// CheckState is the result of the last check of one or more files, for display.
type CheckState struct {
	Text string // short text for a column
	Why  string // problem or note of a file, or worst problem of a package; "" if there is none
	Role format.Tone
	Rank int // sort key, problems first; 0 if not all files were checked
}

// Ranks of results.
const (
	rankUnknown = iota
	rankProblem
	rankNote
	rankOK
)

// CheckState returns the result of the last check of the row's files. Files that have changed since
// their check count as unchecked.
func (r *DeliveryRow) CheckState(d *Downloads) CheckState {
	count := r.countAllChecks(d)
	if count.problems > 0 {
		text := format.Count(count.problems, "problem")
		if r.IsFile() {
			text = "problem"
		}
		return CheckState{Text: text, Why: count.reason, Role: format.Bad, Rank: rankProblem}
	}
	isComplete := count.checked > 0 && count.checked == count.files
	if !isComplete {
		return CheckState{Text: format.None, Role: format.Muted, Rank: rankUnknown}
	}
	if count.notes > 0 {
		return CheckState{Text: "✓ note", Why: count.reason, Role: format.Good, Rank: rankNote}
	}
	return CheckState{Text: "✓", Role: format.Good, Rank: rankOK}
}

// checkCount counts the results of the checks of a row's files.
type checkCount struct {
	files    int
	checked  int // number of files that have not changed since their check
	problems int
	notes    int
	newest   time.Time // time of the latest check of a file
	reason   string    // problem or note of a file, or worst problem of a mission; "" if there is none
}

// countAllChecks counts the results of the checks of the row's files. For a package, it includes the
// result of the package's mission.
func (r *DeliveryRow) countAllChecks(d *Downloads) checkCount {
	count := r.countChecks(d)
	if r.IsPackage() {
		count.addMission(d.Checks, r.Package.Mission)
	}
	return count
}

// countChecks counts the results of the checks of the row's files.
func (r *DeliveryRow) countChecks(d *Downloads) checkCount {
	from, to := r.FileSpan()
	count := checkCount{files: to - from}
	for i := from; i < min(to, len(r.Package.States)); i++ {
		result, ok := d.Checks.Of(r.Package.ID, &r.Package.States[i])
		if !ok {
			continue
		}
		count.checked++
		if result.At.After(count.newest) {
			count.newest = result.At
		}
		switch result.Level {
		case checking.Problem:
			count.problems++
		case checking.Note:
			count.notes++
		}
		if r.IsFile() {
			count.reason = result.Text
		}
	}
	return count
}

// addMission adds the result of the last check of a whole mission, which also finds missing products.
// It adds nothing unless all files are checked, or if a file was checked again after the mission.
func (c *checkCount) addMission(checks *checking.Results, code string) {
	if c.checked == 0 || c.checked < c.files {
		return
	}
	mission, ok := checks.OfMission(code)
	if !ok || mission.At.Before(c.newest) {
		return
	}
	c.problems = max(c.problems, mission.Problems)
	c.notes = max(c.notes, mission.Notes)
	c.reason = mission.Worst
}

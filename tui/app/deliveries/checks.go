package deliveries

import (
	"time"

	"flightdesk/tui/app/checking"
	"flightdesk/tui/format"
)

// CheckState is what the last check found about one or more files.
type CheckState struct {
	Text string // short, for a column
	Why  string // the problem or the note of a single file, or the worst problem of a package, or ""
	Role format.Tone
	Rank int // sorts the worst first; 0 if not all files were checked
}

// Ranks of results.
const (
	rankUnknown = iota
	rankProblem
	rankNote
	rankOK
)

// CheckState returns the result of the last check of the row's files. Files that changed since their check
// count as unchecked.
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
	checked  int // files that did not change since their check
	problems int
	notes    int
	newest   time.Time // when the last of the files was checked
	reason   string    // the problem or the note of a single file, or the worst problem of a mission, or ""
}

// countAllChecks counts the results of the checks of the row's files. The counts of a package include the result of its
// mission.
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

// addMission adds the result of the last check of a whole mission, which includes missing products. It adds nothing
// if the package has no files, if not all files are checked, or if a file was checked after the mission.
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

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

// CheckState returns the result of the last check of the row's files. A file that changed since
// its check has none.
func (r *DeliveryRow) CheckState(d *Downloads) CheckState {
	from, to := r.FileSpan()
	problems := 0
	notes := 0
	checked := 0
	reason := ""         // of the last file
	var newest time.Time // when the last of the files was checked
	for i := from; i < min(to, len(r.Package.States)); i++ {
		result, ok := d.Checks.Of(r.Package.ID, &r.Package.States[i])
		if !ok {
			continue
		}
		checked++
		reason = result.Text
		if result.At.After(newest) {
			newest = result.At
		}
		if result.Level == checking.Problem {
			problems++
		} else if result.Level == checking.Note {
			notes++
		}
	}
	if !r.IsFile() {
		reason = ""
	}
	mission, ok := d.Checks.OfMission(r.Package.Mission)
	if ok && r.IsPackage() && !mission.At.Before(newest) {
		// The check of the mission also knows what was not delivered.
		problems = max(problems, mission.Problems)
		notes = max(notes, mission.Notes)
		reason = mission.Worst
	}
	if problems > 0 && r.IsFile() {
		return CheckState{Text: "problem", Why: reason, Role: format.Bad, Rank: rankProblem}
	}
	if problems > 0 && checked > 0 {
		return CheckState{
			Text: format.Count(problems, "problem"),
			Why:  reason,
			Role: format.Bad,
			Rank: rankProblem,
		}
	}
	isComplete := checked > 0 && checked == to-from
	if !isComplete {
		return CheckState{Text: format.None, Role: format.Muted, Rank: rankUnknown}
	}
	if notes > 0 {
		return CheckState{Text: "✓ note", Why: reason, Role: format.Good, Rank: rankNote}
	}
	return CheckState{Text: "✓", Role: format.Good, Rank: rankOK}
}

package checking

import (
	"cmp"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// Level is the severity of a finding.
type Level string

// The levels.
const (
	Problem Level = "problem" // something that was ordered is missing or unusable
	Note    Level = "note"    // something to know
	OK      Level = "ok"
)

// levelOrder is the sort order of levels, with the most severe level first.
var levelOrder = map[Level]int{Problem: 0, Note: 1, OK: 2}

func (l Level) isWorse(than Level) bool { return levelOrder[l] < levelOrder[than] }

// Finding is a sentence about what a check has found, with details.
type Finding struct {
	Level   Level           `json:"level"`
	Text    string          `json:"text"`
	Mission string          `json:"mission,omitempty"` // code
	Product api.Deliverable `json:"product,omitempty"`
	Files   []string        `json:"files,omitempty"`   // names
	Covered *float64        `json:"covered,omitempty"` // covered share of the mission, from 0 to 1
	Missing float64         `json:"missing,omitempty"` // missing size: m² of an area, m of a line, or number of points
	Parts   []MissingPart   `json:"parts,omitempty"`   // the largest missing parts

	// Footprint has the outer boundaries of the ground that the files cover, the largest first.
	Footprint [][]api.Point `json:"footprint,omitempty"`

	weight float64 // sorts findings of the same level, the highest first
}

// MissionResult is the result for a mission whose files were all checked.
type MissionResult struct {
	Mission  string        `json:"mission"` // code
	Problems int           `json:"problems"`
	Notes    int           `json:"notes,omitempty"`
	Worst    string        `json:"worst,omitempty"`   // text of the worst problem
	Results  []ResultLine  `json:"results,omitempty"` // the worst findings, worst first
	At       time.Time     `json:"at"`                // time of the check
	Parts    []MissingPart `json:"parts,omitempty"`   // the largest missing parts

	Footprints []Footprint `json:"footprints,omitempty"` // ground that each product covers
}

// ResultLine is the text of a finding without the details.
type ResultLine struct {
	Level Level  `json:"level"`
	Text  string `json:"text"`
}

// Report is the result of a check.
type Report struct {
	Order     string    `json:"order,omitempty"` // code
	CheckedAt time.Time `json:"checkedAt"`
	Problems  int       `json:"problems"`
	Notes     int       `json:"notes"`
	// DigestsVerified is the number of files whose digests were compared and are correct.
	DigestsVerified int             `json:"digestsVerified,omitempty"`
	Findings        []Finding       `json:"findings"`           // worst first
	Missions        []MissionResult `json:"missions,omitempty"` // only missions whose files were all checked
	Files           []FileReport    `json:"files"`
}

// add adds a finding.
func (r *Report) add(f Finding) { r.Findings = append(r.Findings, f) }

// Merge adds the findings and files of another report, and sorts and counts all findings again.
func (r *Report) Merge(other *Report) {
	if r.Order == "" {
		r.Order = other.Order
	}
	r.CheckedAt = other.CheckedAt
	r.Findings = append(r.Findings, other.Findings...)
	r.Files = append(r.Files, other.Files...)
	r.Missions = append(r.Missions, other.Missions...)
	r.DigestsVerified += other.DigestsVerified
	r.finish()
}

// finish sorts and counts the findings.
func (r *Report) finish() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(levelOrder[a.Level], levelOrder[b.Level]), cmp.Compare(b.weight, a.weight))
	})
	r.Problems = 0
	r.Notes = 0
	for _, f := range r.Findings {
		switch f.Level {
		case Problem:
			r.Problems++
		case Note:
			r.Notes++
		}
	}
}

// Summary returns a text with the number of problems and notes.
func (r *Report) Summary() string {
	if len(r.Files) == 0 && r.Problems > 0 {
		return format.Count(r.Problems, "problem") + ", no downloaded files to check"
	}
	if len(r.Files) == 0 {
		return "no downloaded files to check"
	}
	if r.Problems == 0 && r.Notes == 0 {
		result := "complete, "
		if len(r.Missions) == 0 { // only some files were checked
			result = "no problems, "
		}
		return result + r.describeChecked()
	}
	text := r.describeChecked()
	if r.Notes > 0 {
		text = format.Count(r.Notes, "note") + "; " + text
	}
	if r.Problems > 0 {
		text = format.Count(r.Problems, "problem") + ", " + text
	}
	return text
}

// describeChecked returns a text with the number of checked files, such as "6 files checked", or "5
// of 6 files checked" if files were missing on disk or too slow to read.
func (r *Report) describeChecked() string {
	checked := 0
	for i := range r.Files {
		isOnDisk := r.Files[i].Path != ""
		if isOnDisk && !r.Files[i].isUnread {
			checked++
		}
	}
	all := format.Count(len(r.Files), "file") + " checked"
	if checked == len(r.Files) {
		return all
	}
	return format.GroupInt(checked) + " of " + all
}

// Limits of the result of a mission.
const (
	maxKeptParts = 10 // missing parts
	maxKeptLines = 20 // findings
)

// sumUpMission adds the result of a mission whose files were all checked. finish must be called
// first, because it sorts the findings.
func (r *Report) sumUpMission(code string) {
	result := MissionResult{Mission: code, At: r.CheckedAt}
	for _, f := range r.Findings {
		if f.Mission != code {
			continue
		}
		if len(result.Results) < maxKeptLines {
			result.Results = append(result.Results, ResultLine{Level: f.Level, Text: f.Text})
		}
		if len(f.Footprint) > 0 {
			footprint := Footprint{Product: f.Product, Outlines: f.Footprint}
			result.Footprints = append(result.Footprints, footprint)
		}
		switch f.Level {
		case Note:
			result.Notes++
		case Problem:
			if result.Problems == 0 { // the first problem is the worst
				result.Worst = f.Text
			}
			result.Problems++
			result.addParts(f.Parts)
		}
	}
	r.Missions = append(r.Missions, result)
}

// addParts adds missing parts of the mission, until there are maxKeptParts.
func (m *MissionResult) addParts(parts []MissingPart) {
	room := maxKeptParts - len(m.Parts)
	m.Parts = append(m.Parts, parts[:min(room, len(parts))]...)
}

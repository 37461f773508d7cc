package timeline

import (
	"fmt"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/format"
)

const notChecked = "not checked"

// levelMark is the glyph and the tone of a line with a result of a check.
type levelMark struct {
	glyph string
	role  format.Tone
}

// levelMarks has the mark for each level of a check's result.
var levelMarks = map[checking.Level]levelMark{
	checking.Problem: {"✗", format.Bad},
	checking.Note:    {"!", format.Attention},
	checking.OK:      {"✓", format.Good},
}

// CheckPart returns the part of a report with the last check of the delivered files on this machine, for
// each mission. It returns nil if nothing was delivered.
func (f *SubjectFacts) CheckPart(checks *checking.Results, now time.Time) *ReportPart {
	var delivered []*Mission
	for _, m := range f.Missions {
		if len(m.Packages) > 0 {
			delivered = append(delivered, m)
		}
	}
	if len(delivered) == 0 {
		return nil
	}
	part := &ReportPart{Title: "Check of the delivery"}
	t := entryBuilder{now: now}
	complete := 0
	partial := 0
	for _, m := range delivered {
		result, isChecked := checks.OfMission(m.MissionCode)
		if !isChecked {
			t.addUnchecked(m)
			continue
		}
		t.addCheck(m, &result, checks)
		if len(m.packagesAfter(result.At)) > 0 {
			partial++
		} else {
			complete++
		}
	}
	if complete+partial == 0 { // one text instead of a line for each mission
		part.None = notChecked
		return part
	}
	part.Note = fmt.Sprintf("%d of %s checked on this machine", complete, format.Count(len(delivered), "mission"))
	if partial > 0 {
		part.Note += fmt.Sprintf(", %d in part", partial)
	}
	part.Lines = t.all
	return part
}

// packagesAfter returns the packages that were delivered after a time.
func (m *Mission) packagesAfter(at time.Time) []*api.DeliveryPackage {
	var later []*api.DeliveryPackage
	for i := range m.Packages {
		if p := &m.Packages[i]; p.CreatedAt.After(at) {
			later = append(later, p)
		}
	}
	return later
}

// addUnchecked adds a line for a mission whose delivered files were not checked.
func (t *entryBuilder) addUnchecked(m *Mission) {
	t.add(TimelineEntry{
		ID:    "check " + m.UUID,
		Glyph: "–",
		Role:  format.Muted,
		About: m.MissionCode,
		What:  notChecked,
	}, nil)
}

// addCheck adds the result of the check of a mission. The first line has the number of problems, and the
// digests of the checked files as fields. Each result of the check has its own line after it.
func (t *entryBuilder) addCheck(m *Mission, result *checking.MissionResult, checks *checking.Results) {
	what, mark := summarizeCheck(result)
	for _, later := range m.packagesAfter(result.At) {
		what += "; package" + versionText(later.Version) + " was delivered later, not checked"
		if mark == levelMarks[checking.OK] {
			mark = levelMarks[checking.Note]
		}
	}
	var files [][2]string
	for i := range m.Packages {
		files = append(files, checkedFiles(&m.Packages[i], checks)...)
	}
	t.add(TimelineEntry{
		ID:    "check " + m.UUID,
		Glyph: mark.glyph,
		Role:  mark.role,
		About: m.MissionCode,
		What:  what,
		Right: "checked " + format.Moment(result.At, t.now),
	}, files)
	for i, line := range result.Results {
		lineMark := levelMarks[line.Level]
		t.add(TimelineEntry{
			ID:    fmt.Sprintf("check %s %d", m.UUID, i),
			Glyph: lineMark.glyph,
			Role:  lineMark.role,
			About: m.MissionCode,
			What:  line.Text,
		}, nil)
	}
}

// summarizeCheck returns how many problems a check has found or, if there are none, how many notes. It
// also returns the mark for the line.
func summarizeCheck(result *checking.MissionResult) (string, levelMark) {
	if result.Problems > 0 {
		return format.Count(result.Problems, "problem"), levelMarks[checking.Problem]
	}
	if result.Notes > 0 {
		return "complete, " + format.Count(result.Notes, "note"), levelMarks[checking.Note]
	}
	return "complete", levelMarks[checking.OK]
}

// checkedFiles returns a field for each checked file of a package, with the name and the digest of the
// file.
func checkedFiles(p *api.DeliveryPackage, checks *checking.Results) (files [][2]string) {
	for _, file := range checks.OfPackage(p.UUID) {
		if file.Name != "" && file.Digest != "" {
			files = append(files, [2]string{"File", file.Name + ", " + file.Digest})
		}
	}
	return files
}

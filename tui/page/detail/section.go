package detail

import (
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// Section is a part of a page: its title with a note, and its lines.
type Section struct {
	Title, Note string
	Err         error // why it could not be read
	Unread      bool  // it is not known yet
	Lines       []string
	None        string // said where there are no lines
}

// RenderLines returns the section in lines of at most w cells.
func (s *Section) RenderLines(th *theme.Theme, w int) []string {
	lines := []string{" " + th.PaintTitle(s.Title) + th.PaintMuted("  "+s.Note)}
	switch {
	case s.Err != nil:
		lines = append(lines, page.RenderProblem(th, s.Err, "", "r", w)...)
	case s.Unread:
		lines = append(lines, th.PaintMuted("   ░░░░░░░░  ░░░░░░░░░░░░░  ░░░░░░"))
	case len(s.Lines) == 0:
		lines = append(lines, th.PaintMuted("   "+s.None))
	}
	return CutLines(append(lines, s.Lines...), w)
}

// CutLines shortens lines to w cells.
func CutLines(lines []string, w int) []string {
	for i, line := range lines {
		lines[i] = layout.CutLine(line, w)
	}
	return lines
}

// JoinParts puts parts below each other, with a blank line between two; those
// without lines are left out.
func JoinParts(parts ...[]string) (lines []string) {
	for _, part := range parts {
		if len(part) > 0 && len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	return lines
}

// PathSteps returns the steps of a way that has come to one of them, in the role of
// what is going on there. The last step is done once it is reached.
func PathSteps(names []string, at int, role theme.Role) []widget.Step {
	path := make([]widget.Step, len(names))
	for i, name := range names {
		path[i].Name = name
		switch {
		case i < at, at == len(names)-1:
			path[i].State = widget.Done
		case i == at:
			path[i].State, path[i].Role = widget.Current, role
		}
	}
	return path
}

package columns

import (
	"path/filepath"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// Sites returns the columns of a site of a draft.
func Sites() []Column[ordering.Site] {
	return []Column[ordering.Site]{
		{ColumnSpec{Title: "In", Name: "included", Kind: Status, Width: 2}, includedCell},
		{ColumnSpec{Title: "Site", Name: "missionName", Width: 14, Fill: 3}, func(s *ordering.Site) Cell { return TextCell(s.Name) }},
		{ColumnSpec{Title: "Type", Name: "missionType", Width: 5}, func(s *ordering.Site) Cell { return labelOf(s.Type, labels.MissionType) }},
		{ColumnSpec{Title: "Country", Name: "country", Width: 9, Fill: 1}, func(s *ordering.Site) Cell { return TextOr(s.Country) }},
		{ColumnSpec{Title: "City", Name: "city", Width: 9, Fill: 1, Drop: 2}, func(s *ordering.Site) Cell { return TextOr(s.City) }},
		{ColumnSpec{Title: "Size", Name: "areaSize", Kind: Area, Drop: 1}, siteSize},
		{ColumnSpec{Title: "File", Name: "file", Width: 12, Middle: true, Drop: 4, Off: true}, func(s *ordering.Site) Cell {
			if s.File == "" {
				return NoCell()
			}
			return TextCell(filepath.Base(s.File))
		}},
		{ColumnSpec{Title: "Problem", Name: "problem", Width: 14, Fill: 1, Drop: 3, Off: true}, siteProblem},
		{ColumnSpec{Title: "Label", Name: "locationLabel", Width: 10, Drop: 5, Off: true}, func(s *ordering.Site) Cell { return TextOr(s.Label) }},
	}
}

// includedCell reports whether a site is in the order; one that is placed is in another.
func includedCell(s *ordering.Site) Cell {
	switch {
	case s.Placed:
		return Cell{Text: "●", Code: "placed", Role: labels.Good, Num: 2, Known: true}
	case s.In:
		return Cell{Text: "✓", Code: "yes", Role: labels.Good, Num: 1, Known: true}
	default:
		return Cell{Text: format.None, Code: "no", Role: labels.Muted, Known: true}
	}
}

// siteSize returns an area, or the length of a line as text.
func siteSize(s *ordering.Site) Cell {
	if s.Geometry != nil && s.Type == api.MissionArea {
		return NumberCell(s.Area)
	}
	return TextCell(s.SizeText())
}

// siteProblem returns what to look at: a warning, an error, a place that is taken.
func siteProblem(s *ordering.Site) Cell {
	var all []string
	if s.Geometry == nil || s.In && !s.Placed && len(s.FindFaults()) > 0 {
		all = append(all, "error")
	}
	if len(s.Warnings) > 0 {
		all = append(all, "warning")
	}
	switch {
	case s.Doubled:
		all = append(all, "double")
	case s.Duplicate != "":
		all = append(all, "known")
	}
	return TextCell(strings.Join(all, ", "))
}

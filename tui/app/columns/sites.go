package columns

import (
	"path/filepath"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// Sites are the columns of a site of a draft.
func Sites() []Column[ordering.Site] {
	return []Column[ordering.Site]{
		{Spec{Title: "In", Name: "included", Kind: Status, Width: 2}, included},
		{Spec{Title: "Site", Name: "missionName", Width: 14, Fill: 3}, func(s *ordering.Site) Cell { return Text(s.Name) }},
		{Spec{Title: "Type", Name: "missionType", Width: 5}, func(s *ordering.Site) Cell { return labelOf(s.Type, labels.MissionType) }},
		{Spec{Title: "Country", Name: "country", Width: 9, Fill: 1}, func(s *ordering.Site) Cell { return TextOr(s.Country) }},
		{Spec{Title: "City", Name: "city", Width: 9, Fill: 1, Drop: 2}, func(s *ordering.Site) Cell { return TextOr(s.City) }},
		{Spec{Title: "Size", Name: "areaSize", Kind: Area, Drop: 1}, siteSize},
		{Spec{Title: "File", Name: "file", Width: 12, Middle: true, Drop: 4, Off: true}, func(s *ordering.Site) Cell {
			if s.File == "" {
				return None()
			}
			return Text(filepath.Base(s.File))
		}},
		{Spec{Title: "Problem", Name: "problem", Width: 14, Fill: 1, Drop: 3, Off: true}, siteProblem},
		{Spec{Title: "Label", Name: "locationLabel", Width: 10, Drop: 5, Off: true}, func(s *ordering.Site) Cell { return TextOr(s.Label) }},
	}
}

// included is whether a site is in the order; one that is placed is in another.
func included(s *ordering.Site) Cell {
	switch {
	case s.Placed:
		return Cell{Text: "●", Code: "placed", Role: labels.Good, Num: 2, Known: true}
	case s.In:
		return Cell{Text: "✓", Code: "yes", Role: labels.Good, Num: 1, Known: true}
	default:
		return Cell{Text: format.None, Code: "no", Role: labels.Muted, Known: true}
	}
}

// siteSize is an area, or the length of a line as text.
func siteSize(s *ordering.Site) Cell {
	if s.Geometry != nil && s.Type == api.MissionArea {
		return Num(s.Area)
	}
	return Text(s.SizeText())
}

// siteProblem is what to look at: a warning, an error, a place that is taken.
func siteProblem(s *ordering.Site) Cell {
	var all []string
	if s.Geometry == nil || s.In && !s.Placed && len(s.Faults()) > 0 {
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
	return Text(strings.Join(all, ", "))
}

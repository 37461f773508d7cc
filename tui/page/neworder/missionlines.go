package neworder

import (
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// missionLines is a list of the sites of an order, with a line for each mission.
type missionLines struct {
	textLines
	units  format.Units
	widths missionWidths
}

// addMissions adds a line for each site, in at most h lines. If the sites do not fit, the last line has the number of
// sites that are not listed.
func (m *missionLines) addMissions(sites []*ordering.Site, h int) {
	m.widths = m.measureMissions(sites[:min(h, len(sites))])
	for i, site := range sites {
		if i == h-1 && i < len(sites)-1 {
			m.addText(theme.Muted, "and "+groupDigits(len(sites)-i)+" more")
			return
		}
		m.add(m.missionLine(site))
	}
}

// missionWidths are the widths of the columns of the missions. Each column is only as wide as its longest text, so
// that the names get the rest of the line.
type missionWidths struct{ mark, missionType, size, country int }

// measureMissions returns the widths of the columns that the listed missions need. The column of marks is wider if at
// least one mission has a warning or a fault.
func (m *missionLines) measureMissions(sites []*ordering.Site) missionWidths {
	widths := missionWidths{mark: 1}
	for _, site := range sites {
		if isTroubled(site) {
			widths.mark = 3
		}
		widths.missionType = max(widths.missionType, format.Width(format.Word(site.Type).Label))
		widths.size = max(widths.size, format.Width(site.SizeText(m.units)))
		widths.country = max(widths.country, format.Width(format.Clean(site.Country)))
	}
	widths.country = min(widths.country, max(16, m.w/4))
	return widths
}

// missionLine returns the line of a mission: a mark if it has a warning, its name, type, size and country.
func (m *missionLines) missionLine(site *ordering.Site) string {
	mark := format.FitLeft(page.TextIf(isTroubled(site), " !"), m.widths.mark)
	missionType := format.FitLeft(format.Word(site.Type).Label, m.widths.missionType)
	size := format.FitRight(site.SizeText(m.units), m.widths.size)
	country := format.FitLeft(format.Clean(site.Country), m.widths.country)
	end := "  " + missionType + "  " + size + "  " + country
	name := format.FitLeft(format.Clean(site.Name), max(0, m.w-format.Width(mark+end)-1))
	return m.PaintRole(theme.Attention, mark) + m.PaintText(name) + m.PaintMuted(end)
}

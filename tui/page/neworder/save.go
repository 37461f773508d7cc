package neworder

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

// siteWriters write sites by the ending of a file.
var siteWriters = map[string]func(io.Writer, []kmlcsv.Placemark) error{
	".kml":     kmlcsv.WriteKML,
	".geojson": kmlcsv.WriteGeoJSON,
	".json":    kmlcsv.WriteGeoJSON,
	".gpx":     kmlcsv.WriteGPX,
	".csv":     kmlcsv.WriteCSV,
}

// sitesToSave returns the marked sites, or all listed sites that are included.
func (m *sitesStep) sitesToSave() []*ordering.Site {
	if marked := m.markedSites(); len(marked) > 0 {
		return marked
	}
	return slices.DeleteFunc(m.listedSites(), func(s *ordering.Site) bool { return !s.In })
}

// saveSites asks for a file and writes sites with their coordinates.
func (m *sitesStep) saveSites(*ordering.Site) tea.Cmd {
	sites := m.sitesToSave()
	placemarks := ordering.SitePlacemarks(sites)
	help := siteCount(len(sites))
	if out := len(m.draft.Sites) - len(sites); out > 0 {
		help += " of " + groupDigits(len(m.draft.Sites))
	}
	m.AskForFile(page.ExportJob{
		Title: "Save sites",
		Help:  help + ", as .kml, .geojson, .gpx or .csv",
		Says:  siteCount(len(sites)),
		Write: func(to io.Writer, ending string) error {
			write := siteWriters[strings.ToLower(ending)]
			if write == nil {
				return errors.New("end the name with .kml, .geojson, .gpx or .csv")
			}
			return write(to, placemarks)
		},
	}, "sites-"+format.CalendarDay(m.Env.Clock.Now()).Format(time.DateOnly)+".kml")
	return nil
}

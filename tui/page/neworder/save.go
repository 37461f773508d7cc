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

// siteWriters has the function that writes sites for each extension of a file name.
var siteWriters = map[string]func(io.Writer, []kmlcsv.Placemark) error{
	".kml":     kmlcsv.WriteKML,
	".geojson": kmlcsv.WriteGeoJSON,
	".json":    kmlcsv.WriteGeoJSON,
	".gpx":     kmlcsv.WriteGPX,
	".csv":     kmlcsv.WriteCSV,
}

// sitesToSave returns the marked sites. If no site is marked, it returns the included sites that
// match the filter.
func (e *siteEditor) sitesToSave() []*ordering.Site {
	if marked := e.step.markedSites(); len(marked) > 0 {
		return marked
	}
	return slices.DeleteFunc(e.step.listedSites(), func(s *ordering.Site) bool { return !s.In })
}

// saveSites asks for the name of a file and writes the sites of [siteEditor.sitesToSave] to the file.
func (e *siteEditor) saveSites(*ordering.Site) tea.Cmd {
	sites := e.sitesToSave()
	placemarks := ordering.SitePlacemarks(sites)
	count := siteCount(len(sites))
	help := count
	if total := len(e.step.draft.Sites); total > len(sites) {
		help += " of " + groupDigits(total)
	}
	job := page.ExportJob{
		Title: "Save sites",
		Help:  help + ", as .kml, .geojson, .gpx or .csv",
		Noun:  count,
		Write: func(to io.Writer, extension string) error {
			write := siteWriters[strings.ToLower(extension)]
			if write == nil {
				return errors.New("end the name with .kml, .geojson, .gpx or .csv")
			}
			return write(to, placemarks)
		},
	}
	today := format.CalendarDay(e.step.env.Clock.Now())
	page.PromptForFile(e.step.list.Base, job, "sites-"+today.Format(time.DateOnly)+".kml")
	return nil
}

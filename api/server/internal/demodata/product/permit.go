package product

import (
	"fmt"
	"io"
	"math"
	"time"

	"flightdesk/api"
)

// Permit is the document of a flight permission.
type Permit struct {
	Mission   Mission // its deliverables are not looked at
	Place     string
	Authority string
	Reference string
	ValidFrom time.Time
	ValidTo   time.Time
	Issued    time.Time
}

// File returns the document: one page with a sketch of the mission.
func (p Permit) File() (File, error) {
	s, err := surveySite(p.Mission, 0)
	if err != nil {
		return File{}, err
	}
	return File{Name: "flight-permit.pdf", MediaType: "application/pdf", write: func(w io.Writer) error {
		var to pdfPage
		p.fillPage(&to)
		s.drawSketch(&to, pageMargin, 150, pageWidth-2*pageMargin, 330)
		to.writeText(pageMargin, 90, 8, false, "Made up by flightdesk as sample data. It permits nothing.")
		return to.writePDF(w, pdfInfo{
			title: "Flight permission " + p.Reference + ", " + p.Mission.Name, author: p.Authority,
			date: p.Issued.UTC().Format("D:20060102150405Z"),
		})
	}}, nil
}

func (p Permit) fillPage(to *pdfPage) {
	const line = 20.0
	to.writeText(pageMargin, 770, 20, true, "Flight permission")
	to.writeText(pageMargin, 748, 11, false, p.Authority)
	at := p.Mission.Location[0]
	y := 712.0
	for _, row := range [][2]string{
		{"Reference", p.Reference},
		{"Mission", p.Mission.Code + "  " + p.Mission.Name},
		{"Place", p.Place},
		{"Position", fmt.Sprintf("%.5f, %.5f (WGS 84)", at.Lat, at.Lng)},
		{"Operator", p.Mission.Operator},
		{"Valid from", formatDay(p.ValidFrom)},
		{"Valid to", formatDay(p.ValidTo)},
		{"Conditions", "up to 120 m above ground, in sight, by daylight"},
		{"Issued", formatDay(p.Issued)},
	} {
		to.writeText(pageMargin, y, 10, true, row[0])
		to.writeText(pageMargin+100, y, 10, false, shortenText(row[1], 70))
		y -= line
	}
}

func formatDay(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2 January 2006, 15:04 UTC")
}

func shortenText(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-3]) + "..."
	}
	return text
}

// drawSketch draws the mission, north up, into a box, and a scale below.
func (s *surveyedSite) drawSketch(to *pdfPage, x, y, width, height float64) {
	g := s.ground
	scale := min((width-40)/(g.MaxX-g.MinX), (height-40)/(g.MaxY-g.MinY)) // points a metre
	left := x + (width-scale*(g.MaxX-g.MinX))/2
	bottom := y + (height-scale*(g.MaxY-g.MinY))/2
	fmt.Fprintf(&to.content, "0.6 G 0.5 w %.1f %.1f %.1f %.1f re S\n", x, y, width, height)
	fmt.Fprint(&to.content, "0.80 0.88 0.96 rg\n")
	const rows = 240
	step := (g.MaxY - g.MinY) / rows
	for i := range rows {
		at := g.MinY + (float64(i)+0.5)*step
		for _, span := range g.Row(at, 0) {
			fmt.Fprintf(&to.content, "%.2f %.2f %.2f %.2f re f\n",
				left+(span.From-g.MinX)*scale, bottom+float64(i)*step*scale, (span.To-span.From)*scale, step*scale)
		}
	}
	s.tracePath(to, func(at [2]float64) (float64, float64) {
		return left + (at[0]-g.MinX)*scale, bottom + (at[1]-g.MinY)*scale
	})
	fmt.Fprint(&to.content, "0 g 0 G\n")
	bar := roundLength(0.3 * (width - 40) / scale)
	fmt.Fprintf(&to.content, "1.5 w %.1f %.1f m %.1f %.1f l S\n", x, y-14, x+bar*scale, y-14)
	to.writeText(x, y-28, 9, false, fmt.Sprintf("%g m, north up, EPSG:%d", bar, g.EPSG))
}

// tracePath draws the mission's own points: few enough to see.
func (s *surveyedSite) tracePath(to *pdfPage, place func([2]float64) (x, y float64)) {
	const most = 2000
	fmt.Fprint(&to.content, "0.10 0.35 0.65 RG 0.10 0.35 0.65 rg 1.2 w\n")
	every := len(s.ground.Sites)/most + 1
	for i := 0; i < len(s.ground.Sites); i += every {
		x, y := place(s.ground.Sites[i])
		switch {
		case s.ground.Assets:
			fmt.Fprintf(&to.content, "%.2f %.2f 4 4 re f\n", x-2, y-2)
		case i == 0:
			fmt.Fprintf(&to.content, "%.2f %.2f m\n", x, y)
		default:
			fmt.Fprintf(&to.content, "%.2f %.2f l\n", x, y)
		}
	}
	switch s.Type {
	case api.MissionArea:
		fmt.Fprint(&to.content, "s\n")
	case api.MissionLinear:
		fmt.Fprint(&to.content, "S\n")
	}
}

// roundLength returns the largest of 1, 2 and 5 times a power of ten that is
// not longer.
func roundLength(metres float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(metres)))
	for _, nice := range []float64{5, 2} {
		if nice*power <= metres {
			return nice * power
		}
	}
	return power
}

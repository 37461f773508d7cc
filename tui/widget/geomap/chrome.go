package geomap

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// drawChrome writes the scale bar at the bottom left and coordinates at the
// bottom right, as far as there is room.
func (m *Model) drawChrome() {
	y := m.height - 1
	bar := m.scaleBar()
	used := 0
	if m.height >= 3 && len(bar) > 0 && len(bar)+1 <= m.width {
		x := min(1, m.width-len(bar))
		m.frame.writeLabel(x, y, bar, inkChrome, 0)
		used = x + len(bar)
	}
	if m.height < leastLabelHeight {
		return
	}
	m.drawCross()
	right := m.width - 1
	if text := splitClusters(m.shownCoordinates()); used+len(text)+3 <= m.width {
		right -= len(text)
		m.frame.writeLabel(right, y, text, inkChrome, 0)
	}
	if !m.named || right-used < 20 {
		return
	}
	if text := cleanClusters(m.nearestTown(), maxLabel*2); len(text) > 0 &&
		widthOf(text)+6 <= right-used {
		m.frame.writeLabel(used+(right-used-widthOf(text))/2, y, text, inkChrome, 0)
	}
}

// drawCross marks the middle, unless something is written there.
func (m *Model) drawCross() {
	x, y := m.width/2, m.height/2
	if !m.cross || m.frame.text[y*m.width+x] != 0 {
		return
	}
	m.frame.writeLabel(x, y, []textCluster{{"╋", 1}}, inkSelected, 0)
}

// scaleBar returns a bar of at most a quarter of the width and its length: 1, 2 or
// 5 times a power of ten.
func (m *Model) scaleBar() []textCluster {
	perCell := m.cam.metresPerDot() * dotsX
	most := min(max(m.width/4, 5), 16)
	length := roundDown(perCell * float64(most))
	cells := int(math.Round(length / perCell))
	if cells < 2 || length <= 0 {
		return nil
	}
	return splitClusters("├" + strings.Repeat("─", cells-2) + "┤ " + formatDistance(length))
}

// roundDown returns the greatest of 1, 2, 5 times a power of ten up to v.
func roundDown(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	switch {
	case v >= 5*power:
		return 5 * power
	case v >= 2*power:
		return 2 * power
	default:
		return power
	}
}

func formatDistance(metres float64) string {
	switch {
	case metres >= 1000:
		return fmt.Sprintf("%.0f km", metres/1000)
	case metres >= 1:
		return fmt.Sprintf("%.0f m", metres)
	default:
		return fmt.Sprintf("%.0f cm", metres*100)
	}
}

// shownCoordinates returns those of the pointed cell or of the centre, with as many
// digits as a cell is worth.
func (m *Model) shownCoordinates() string {
	p := orb.Point{m.cam.lon, m.cam.lat}
	if m.hover[0] >= 0 {
		at, ok := m.CoordinateAt(m.hover[0], m.hover[1])
		if !ok {
			return ""
		}
		p = at
	}
	digits := min(max(int(math.Ceil(-math.Log10(dotsX/m.cam.scale))), 0), 6)
	return FormatCoordinates(p, digits)
}

// FormatCoordinates writes a position for people: "53.6012 N   9.4821 E".
func FormatCoordinates(p orb.Point, digits int) string {
	return degreesOf(p[1], digits, "N", "S") + "   " + degreesOf(p[0], digits, "E", "W")
}

// degreesOf writes degrees with the side of zero that they are on.
func degreesOf(v float64, digits int, positive, negative string) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', digits, 64)
	if v < 0 && strings.Trim(text, "0.") != "" {
		return text + " " + negative
	}
	return text + " " + positive
}

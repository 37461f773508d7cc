package product

import (
	"fmt"
	"math"
	"time"

	"flightdesk/api"
)

// The camera: a sensor of 13.2 by 8.8 mm behind a lens of 8.8 mm, so that a
// picture is 1.5 times as wide as its height above ground, and 3:2.
const (
	cameraMake  = "Flightdesk"
	cameraModel = "Sample Camera"
	focalLength = 8.8
	widthRatio  = 1.5
)

// shot is a picture straight down.
type shot struct {
	x, y    float64 // metres
	ground  float64 // height of the ground, metres
	height  float64 // above ground, metres
	heading float64 // of the picture's upper edge from the frame's north, radians
	at      time.Time
}

// shots plans n pictures over the mission.
func (s *surveyedSite) shots(n int) []shot {
	const golden = 0.618033988749895
	list := make([]shot, n)
	for i := range list {
		share := (float64(i) + 0.5) / float64(n)
		x, y, heading := s.station(share, math.Mod(0.5+golden*float64(i), 1))
		height := min(max(0.12*s.ground.Extent(), 45), 110)
		if s.ground.Assets {
			height, heading = 55, float64(i)*golden*2*math.Pi
		}
		list[i] = shot{
			x: x, y: y, ground: s.land.At(x, y).Ground, height: height, heading: heading,
			at: s.Flown.Add(time.Duration(i) * 4 * time.Second),
		}
	}
	return list
}

// station returns a place on the mission's ground, so far along and across, and the
// direction of flight there.
func (s *surveyedSite) station(along, across float64) (x, y, heading float64) {
	g := s.ground
	switch {
	case g.Assets:
		site := g.Sites[int(along*float64(len(g.Sites)))]
		return site[0], site[1], 0
	case s.Type == api.MissionLinear:
		return s.onLine(along)
	}
	y = g.MinY + along*(g.MaxY-g.MinY)
	spans := g.Row(y, 0)
	total := 0.0
	for _, span := range spans {
		total += span.To - span.From
	}
	for _, span := range spans {
		if width := span.To - span.From; across*total <= width {
			return span.From + across*total, y, 0
		}
		across -= (span.To - span.From) / total
	}
	return (g.MinX + g.MaxX) / 2, y, 0
}

func (s *surveyedSite) onLine(share float64) (x, y, heading float64) {
	sites := s.ground.Sites
	total := 0.0
	for i := 1; i < len(sites); i++ {
		total += math.Hypot(sites[i][0]-sites[i-1][0], sites[i][1]-sites[i-1][1])
	}
	rest := share * total
	for i := 1; i < len(sites); i++ {
		dx, dy := sites[i][0]-sites[i-1][0], sites[i][1]-sites[i-1][1]
		length := math.Hypot(dx, dy)
		if rest <= length && length > 0 {
			return sites[i-1][0] + dx*rest/length, sites[i-1][1] + dy*rest/length, math.Atan2(dx, dy)
		}
		rest -= length
	}
	last := sites[len(sites)-1]
	return last[0], last[1], 0
}

// spot returns what a pixel of a picture shows: u to the right, v down, both
// -0.5 to 0.5.
func (h shot) spot(u, v float64) (x, y float64) {
	right, up := u*h.height*widthRatio, -v*h.height
	sin, cos := math.Sincos(h.heading)
	return h.x + right*cos + up*sin, h.y - right*sin + up*cos
}

// bearing returns the heading from true north, 0 to below 360 degrees.
func (s *surveyedSite) bearing(h shot) float64 {
	sin, cos := math.Sincos(h.heading)
	a, b := s.ground.Point(h.x, h.y), s.ground.Point(h.x+10*sin, h.y+10*cos)
	east := math.Remainder(b.Lng-a.Lng, 360) * math.Cos(a.Lat*math.Pi/180)
	degrees := math.Mod(math.Atan2(east, b.Lat-a.Lat)*180/math.Pi+360, 360)
	return math.Mod(math.Round(degrees*10)/10, 360)
}

const (
	tagExif = 34665
	tagGPS  = 34853
)

// exif describes a picture.
func (s *surveyedSite) exif(d *TIFFDir, h shot, width, height int) {
	s.sign(d)
	d.ASCII(TagMake, cameraMake)
	d.ASCII(TagModel, cameraModel)
	d.ASCII(TagDateTime, h.at.Format(exifTime))
	d.Short(TagOrientation, 1)
	d.Sub(tagExif, exposure(h, width, height))
	d.Sub(tagGPS, s.position(h))
}

func exposure(h shot, width, height int) *TIFFDir {
	const (
		exposureTime, fNumber, iso, version = 33434, 33437, 34855, 36864
		taken, digitized, offset            = 36867, 36868, 36881
		focal, focal35                      = 37386, 41989
		components, flashpix                = 37121, 40960
		colourSpace, pixelsX, pixelsY       = 40961, 40962, 40963
	)
	e := &TIFFDir{}
	e.Rational(exposureTime, 1000, 0.001)
	e.Rational(fNumber, 10, 4)
	e.Short(iso, 100)
	e.Undefined(version, []byte("0232")...)
	e.ASCII(taken, h.at.Format(exifTime))
	e.ASCII(digitized, h.at.Format(exifTime))
	e.ASCII(offset, "+00:00")
	e.Undefined(components, 1, 2, 3, 0)
	e.Undefined(flashpix, []byte("0100")...)
	e.Rational(focal, 10, focalLength)
	e.Short(focal35, 24)
	e.Short(colourSpace, 1)
	e.Long(pixelsX, uint32(width))
	e.Long(pixelsY, uint32(height))
	return e
}

// position returns where the camera was.
func (s *surveyedSite) position(h shot) *TIFFDir {
	const (
		version, latRef, lat, lngRef, lng, altRef, alt = 0, 1, 2, 3, 4, 5, 6
		clock, directionRef, direction, datum, date    = 7, 16, 17, 18, 29
	)
	p := s.ground.Point(h.x, h.y)
	g := &TIFFDir{}
	g.Bytes(version, 2, 3, 0, 0)
	g.ASCII(latRef, sign(p.Lat, "N", "S"))
	sexagesimal(g, lat, p.Lat)
	g.ASCII(lngRef, sign(p.Lng, "E", "W"))
	sexagesimal(g, lng, p.Lng)
	altitude := h.ground + h.height
	g.Bytes(altRef, 0)
	if altitude < 0 {
		g.Bytes(altRef, 1)
	}
	g.Rational(alt, 100, math.Abs(altitude))
	g.Rational(clock, 1, float64(h.at.Hour()), float64(h.at.Minute()), float64(h.at.Second()))
	g.ASCII(directionRef, "T")
	g.Rational(direction, 10, s.bearing(h))
	g.ASCII(datum, "WGS-84")
	g.ASCII(date, h.at.Format("2006:01:02"))
	return g
}

func sign(v float64, positive, negative string) string {
	if v < 0 {
		return negative
	}
	return positive
}

// sexagesimal sets an angle as degrees, minutes and seconds, to a tenth of a
// millimetre or so.
func sexagesimal(d *TIFFDir, tag uint16, degrees float64) {
	const parts = 100_000
	total := int64(math.Round(math.Abs(degrees) * 3600 * parts))
	d.Rational(tag, parts, float64(total/(3600*parts)), float64(total/(60*parts)%60), float64(total%(60*parts))/parts)
}

// xmp describes a picture in XML.
func (s *surveyedSite) xmp(h shot, more string) string {
	p := s.ground.Point(h.x, h.y)
	return fmt.Sprintf(`<?xpacket begin="`+"\ufeff"+`" id="W5M0MpCehiHzreSzNTczkc9d"?>`+
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`+
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" `+
		`xmlns:drone="https://flightdesk.invalid/ns/sample/" xmp:CreateDate="%s" drone:RelativeAltitude="%.2f" drone:Yaw="%.1f" `+
		`drone:Latitude="%.8f" drone:Longitude="%.8f"%s>`+
		`<dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:title>`+
		`</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>`,
		h.at.Format(time.RFC3339), h.height, s.bearing(h), p.Lat, p.Lng, more, escapeXML(s.Name))
}

package product

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
)

// exifStart is the offset of the TIFF data in the Exif of a JPEG fixture.
const exifStart = 12

// Tags of TIFF directories.
const (
	tagWidth      = 256
	tagHeight     = 257
	tagPixelScale = 33550
	tagTiepoint   = 33922
	tagGeoKeys    = 34735
	tagGPS        = 34853
	tagLatRef     = 1
	tagLat        = 2
	tagLngRef     = 3
	tagLng        = 4
)

// typeBytes are the lengths of values by their TIFF types.
var typeBytes = [...]uint32{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 10: 8, 12: 8}

const tiffHead = 8 // length of the header, before the first directory of a fixture

// tagValues returns the values of a TIFF directory by tag. Writing to a value changes the file.
func tagValues(tiff []byte, directory uint32) map[uint16][]byte {
	const entryLength = 12
	values := map[uint16][]byte{}
	count := binary.LittleEndian.Uint16(tiff[directory:])
	entries := tiff[directory+2:]
	for i := range uint32(count) {
		entry := entries[i*entryLength:][:entryLength]
		tag := binary.LittleEndian.Uint16(entry)
		kind := binary.LittleEndian.Uint16(entry[2:])
		size := binary.LittleEndian.Uint32(entry[4:]) * typeBytes[kind]
		value := entry[8:]
		if size > 4 { // the entry has the offset of the value
			value = tiff[binary.LittleEndian.Uint32(value):]
		}
		values[tag] = value[:size]
	}
	return values
}

// overwrite writes a value to the beginning of b.
func overwrite(b []byte, value any) error {
	_, err := binary.Encode(b, binary.LittleEndian, value)
	return err
}

// placeRaster stretches a GeoTIFF over a site.
func (s site) placeRaster(tiff []byte) error {
	tags := tagValues(tiff, tiffHead)
	width := binary.LittleEndian.Uint32(tags[tagWidth])
	height := binary.LittleEndian.Uint32(tags[tagHeight])
	pixelWidth := (s.ground.east - s.ground.west) / float64(width)
	pixelHeight := (s.ground.north - s.ground.south) / float64(height)
	if err := overwrite(tags[tagPixelScale], []float64{pixelWidth, pixelHeight, 0}); err != nil {
		return err
	}
	// The pixel 0, 0, 0 is in the north-west corner.
	tiepoint := []float64{0, 0, 0, s.ground.west, s.ground.north, 0}
	if err := overwrite(tags[tagTiepoint], tiepoint); err != nil {
		return err
	}
	return overwrite(tags[tagGeoKeys], s.geoKeys())
}

// geoKeys returns the GeoKeys, with which GeoTIFF and LAS files describe their coordinate
// reference system.
func (s site) geoKeys() []uint16 {
	const (
		modelType      = 1024
		rasterType     = 1025
		geographicType = 2048
		angularUnit    = 2054
		projectedType  = 3072
		linearUnit     = 3076

		projectedModel  = 1
		geographicModel = 2
		pixelIsArea     = 1
		metre           = 9001
		degree          = 9102
	)
	// The header has the version 1.1.0 and the number of keys.
	header := []uint16{1, 1, 0, 4}
	// Each key contains its value. The location 0 says so, and 1 is the number of values.
	key := func(id, value uint16) []uint16 { return []uint16{id, 0, 1, value} }
	if s.epsg == epsgGeographic {
		return slices.Concat(header, key(modelType, geographicModel), key(rasterType, pixelIsArea),
			key(geographicType, s.epsg), key(angularUnit, degree))
	}
	return slices.Concat(header, key(modelType, projectedModel), key(rasterType, pixelIsArea),
		key(projectedType, s.epsg), key(linearUnit, metre))
}

// placeCloud stretches the points of a LAS file over a site. LAS stores coordinates as integers,
// which readers multiply by a scale and add to an origin. placeCloud leaves the integers
// unchanged: it changes the scale and the origin of the axes east and north in the header.
func (s site) placeCloud(las []byte) error {
	const (
		scaleStart = 131 // offset in the header of LAS 1.2
		keysStart  = 281 // offset of the GeoKeys in the first record after the header
	)
	// The axes are east, north and up.
	var head struct {
		Scale, Origin [3]float64
		Bounds        [3]struct{ Max, Min float64 }
	}
	if _, err := binary.Decode(las[scaleStart:], binary.LittleEndian, &head); err != nil {
		return err
	}
	for axis, side := range [2]struct{ from, to float64 }{
		{s.ground.west, s.ground.east},
		{s.ground.south, s.ground.north},
	} {
		bounds := &head.Bounds[axis]
		// The integers of the fixture count from the lower corner of the site, so the scale is
		// the width of the site divided by the highest integer.
		lowest := math.Round((bounds.Min - head.Origin[axis]) / head.Scale[axis])
		highest := math.Round((bounds.Max - head.Origin[axis]) / head.Scale[axis])
		head.Origin[axis] = side.from
		head.Scale[axis] = (side.to - side.from) / highest
		bounds.Min = lowest*head.Scale[axis] + side.from
		bounds.Max = highest*head.Scale[axis] + side.from
	}
	if err := overwrite(las[scaleStart:], head); err != nil {
		return err
	}
	return overwrite(las[keysStart:], s.geoKeys())
}

// placePhoto sets the position in the Exif data of a photo.
func placePhoto(tiff []byte, at api.Point) error {
	mainTags := tagValues(tiff, tiffHead)
	gps := tagValues(tiff, binary.LittleEndian.Uint32(mainTags[tagGPS]))
	gps[tagLatRef][0] = 'N'
	gps[tagLngRef][0] = 'E'
	if at.Lat < 0 {
		gps[tagLatRef][0] = 'S'
	}
	if at.Lng < 0 {
		gps[tagLngRef][0] = 'W'
	}
	if err := overwrite(gps[tagLat], sexagesimal(at.Lat)); err != nil {
		return err
	}
	return overwrite(gps[tagLng], sexagesimal(at.Lng))
}

// sexagesimal returns the degrees, minutes and seconds of an angle, each as a numerator and a
// denominator. The precision is about a tenth of a millimetre on the ground.
func sexagesimal(degrees float64) []uint32 {
	const parts = 100_000 // of a second
	total := uint64(math.Round(math.Abs(degrees) * 3600 * parts))
	minutes := total / (60 * parts)
	secondParts := total % (60 * parts)
	return []uint32{
		uint32(minutes / 60), 1,
		uint32(minutes % 60), 1,
		uint32(secondParts), parts,
	}
}

// contourMap is the part of GeoJSON that contours use.
type contourMap struct {
	Type     string           `json:"type"`
	Name     string           `json:"name"`
	Features []contourFeature `json:"features"`
}

type contourFeature struct {
	Type       string         `json:"type"`
	Properties jsontext.Value `json:"properties"`
	Geometry   struct {
		Type        string         `json:"type"`
		Coordinates [][][2]float64 `json:"coordinates"`
	} `json:"geometry"`
}

// placeContours stretches contours over a site. The contours of the fixture are in a
// square from 0, 0 to 1, 1.
func (s site) placeContours(text []byte) ([]byte, error) {
	var c contourMap
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	for i := range c.Features {
		g := &c.Features[i].Geometry
		var lines [][][2]float64
		for _, line := range g.Coordinates {
			lines = append(lines, s.placeLine(line)...)
		}
		g.Coordinates = lines
	}
	return json.Marshal(c)
}

// placeLine converts a line in the unit square to a line on the site, in degrees. It splits
// the line where it crosses the antimeridian, and leaves out parts with a single point.
func (s site) placeLine(line [][2]float64) [][][2]float64 {
	parts := [][][2]float64{nil}
	lngBefore := 0.0
	for i, p := range line {
		lng := math.Remainder(s.degrees.west+p[0]*(s.degrees.east-s.degrees.west), 360)
		lat := s.degrees.south + p[1]*(s.degrees.north-s.degrees.south)
		crossesAntimeridian := i > 0 && math.Abs(lng-lngBefore) > 180
		if crossesAntimeridian {
			parts = append(parts, nil)
		}
		lngBefore = lng
		part := &parts[len(parts)-1]
		*part = append(*part, [2]float64{roundDegrees(lng), roundDegrees(lat)})
	}
	return slices.DeleteFunc(parts, func(part [][2]float64) bool { return len(part) < 2 })
}

func roundDegrees(v float64) float64 { return math.Round(v*1e7) / 1e7 }

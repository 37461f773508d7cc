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

// tagValues returns the values of a TIFF directory by tag. They can be overwritten.
func tagValues(tiff []byte, dir uint32) map[uint16][]byte {
	values := map[uint16][]byte{}
	for i := range binary.LittleEndian.Uint16(tiff[dir:]) {
		entry := tiff[dir+2+12*uint32(i):][:12]
		tag := binary.LittleEndian.Uint16(entry)
		kind := binary.LittleEndian.Uint16(entry[2:])
		size := binary.LittleEndian.Uint32(entry[4:]) * typeBytes[kind]
		value := entry[8:]
		if size > 4 {
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
	east := (s.ground.east - s.ground.west) / float64(width)
	north := (s.ground.north - s.ground.south) / float64(height)
	if err := overwrite(tags[tagPixelScale], []float64{east, north, 0}); err != nil {
		return err
	}
	if err := overwrite(tags[tagTiepoint], []float64{0, 0, 0, s.ground.west, s.ground.north, 0}); err != nil {
		return err
	}
	return overwrite(tags[tagGeoKeys], s.geoKeys())
}

// geoKeys returns the keys of GeoTIFF and LAS for the reference system of a site.
func (s site) geoKeys() []uint16 {
	const (
		model, rasterType, geographic, angular = 1024, 1025, 2048, 2054
		projected, linear                      = 3072, 3076
		degree, metre                          = 9102, 9001
	)
	if s.epsg == epsgGeographic {
		return []uint16{
			1, 1, 0, 4, model, 0, 1, 2, rasterType, 0, 1, 1, geographic, 0, 1, s.epsg, angular, 0, 1, degree,
		}
	}
	return []uint16{
		1, 1, 0, 4, model, 0, 1, 1, rasterType, 0, 1, 1, projected, 0, 1, s.epsg, linear, 0, 1, metre,
	}
}

// placeCloud stretches a LAS file over a site. Its points are relative to the lower
// corner of their box.
func (s site) placeCloud(las []byte) error {
	const scaleStart, keysStart = 131, 281
	var head struct {
		Scale, Origin [3]float64
		Bounds        [3]struct{ Max, Min float64 }
	}
	if _, err := binary.Decode(las[scaleStart:], binary.LittleEndian, &head); err != nil {
		return err
	}
	for i, side := range [2][2]float64{{s.ground.west, s.ground.east}, {s.ground.south, s.ground.north}} {
		bounds := &head.Bounds[i]
		first := math.Round((bounds.Min - head.Origin[i]) / head.Scale[i])
		last := math.Round((bounds.Max - head.Origin[i]) / head.Scale[i])
		head.Origin[i] = side[0]
		head.Scale[i] = (side[1] - side[0]) / last
		bounds.Min = first*head.Scale[i] + side[0]
		bounds.Max = last*head.Scale[i] + side[0]
	}
	if err := overwrite(las[scaleStart:], head); err != nil {
		return err
	}
	return overwrite(las[keysStart:], s.geoKeys())
}

// placePhoto sets the position in the Exif data of a photo.
func placePhoto(tiff []byte, at api.Point) error {
	gps := tagValues(tiff, binary.LittleEndian.Uint32(tagValues(tiff, tiffHead)[tagGPS]))
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

// sexagesimal returns the degrees, minutes and seconds of an angle as fractions, with a
// precision of about a tenth of a millimetre.
func sexagesimal(degrees float64) []uint32 {
	const parts = 100_000 // of a second
	total := uint64(math.Round(math.Abs(degrees) * 3600 * parts))
	minutes := total / (60 * parts)
	return []uint32{uint32(minutes / 60), 1, uint32(minutes % 60), 1, uint32(total % (60 * parts)), parts}
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

// placeLine returns a line of the unit square on a site. It is split where it crosses the
// antimeridian.
func (s site) placeLine(line [][2]float64) [][][2]float64 {
	parts := [][][2]float64{nil}
	before := 0.0
	for i, p := range line {
		lng := math.Remainder(s.degrees.west+p[0]*(s.degrees.east-s.degrees.west), 360)
		lat := s.degrees.south + p[1]*(s.degrees.north-s.degrees.south)
		if i > 0 && math.Abs(lng-before) > 180 {
			parts = append(parts, nil)
		}
		before = lng
		last := &parts[len(parts)-1]
		*last = append(*last, [2]float64{roundDegrees(lng), roundDegrees(lat)})
	}
	return slices.DeleteFunc(parts, func(part [][2]float64) bool { return len(part) < 2 })
}

func roundDegrees(v float64) float64 { return math.Round(v*1e7) / 1e7 }

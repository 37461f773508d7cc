package geotiff

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/crs"
)

// affine is a transformation: x' = a·x + b·y + c, y' = d·x + e·y + f.
type affine struct{ a, b, c, d, e, f float64 }

func (t affine) apply(x, y float64) (float64, float64) {
	return t.a*x + t.b*y + t.c, t.d*x + t.e*y + t.f
}

// scaled returns the transformation that multiplies x' by factorX and y' by factorY.
func (t affine) scaled(factorX, factorY float64) affine {
	return affine{
		a: t.a * factorX,
		b: t.b * factorX,
		c: t.c * factorX,
		d: t.d * factorY,
		e: t.e * factorY,
		f: t.f * factorY,
	}
}

// inverse returns the inverse transformation. ok is false if the transformation cannot be inverted.
func (t affine) inverse() (inverse affine, ok bool) {
	det := t.a*t.e - t.b*t.d
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return affine{}, false
	}
	inverse = affine{a: t.e / det, b: -t.b / det, d: -t.d / det, e: t.a / det}
	inverse.c = -(inverse.a*t.c + inverse.b*t.f)
	inverse.f = -(inverse.d*t.c + inverse.e*t.f)
	return inverse, true
}

// readPlace reads the transformation from pixels to the reference system: from the tags of the raster or,
// if they have none, from the content of a world file. world is nil if there is no world file.
func (f *File) readPlace(world []byte) error {
	transform, isTagged, err := f.raster.readTransform()
	if err != nil {
		return err
	}
	hasCentres, err := f.raster.hasCentres()
	if err != nil {
		return err
	}
	if !isTagged {
		transform = parseWorld(world)
		hasCentres = true // every world file has the position of a centre
	}
	if hasCentres { // position 0, 0 is to be the corner of the first pixel, not its centre
		cornerX, cornerY := transform.apply(-0.5, -0.5)
		transform.c = cornerX
		transform.f = cornerY
	}
	// Without a valid world file, the transformation is zero, which has no inverse. A transformation with
	// useless values has none either. In both cases the raster has no place, which is not an error.
	if _, ok := transform.inverse(); !ok {
		return nil
	}
	x, y := transform.apply(float64(f.Width), float64(f.Height))
	if math.IsNaN(x+y) || math.IsInf(x+y, 0) {
		return errors.New("the position of the raster is not a number")
	}
	f.transform = transform
	f.IsPlaced = true
	return nil
}

// readTransform reads the transformation from the tags: from a tie point and the size of a pixel, or
// from a matrix. It returns false if the image has neither.
func (m *image) readTransform() (transform affine, ok bool, err error) {
	// All tags are read before one is used, because a damaged tag is an error even if it is not needed.
	matrix, err := m.reals(m.dir, tagTransformation)
	if err != nil {
		return affine{}, false, err
	}
	scale, err := m.reals(m.dir, tagPixelScale)
	if err != nil {
		return affine{}, false, err
	}
	tie, err := m.reals(m.dir, tagTiePoint)
	if err != nil {
		return affine{}, false, err
	}
	if len(scale) >= 2 && len(tie) >= 6 {
		return tiedTransform(scale, tie), true, nil
	}
	if len(matrix) >= 16 {
		// The matrix has four rows of four numbers, for x, y, z and 1. The columns and rows for z are not used.
		transform = affine{
			a: matrix[0], b: matrix[1], c: matrix[3],
			d: matrix[4], e: matrix[5], f: matrix[7],
		}
		return transform, true, nil
	}
	return affine{}, false, nil
}

// tiedTransform returns the transformation for pixels of a given size (scale) and one pixel with known
// coordinates (tie). tie has the column, row and layer of the pixel, then its x, y and z. Rows are counted from
// north to south, so y decreases.
func tiedTransform(scale, tie []float64) affine {
	column := tie[0]
	row := tie[1]
	x := tie[3]
	y := tie[4]
	pixelWidth := scale[0]
	pixelHeight := scale[1]
	return affine{
		a: pixelWidth,
		c: x - column*pixelWidth,
		e: -pixelHeight,
		f: y + row*pixelHeight,
	}
}

// parseWorld parses a world file: six lines with the size of a pixel, its rotation and the
// position of the centre of the first pixel.
func parseWorld(text []byte) affine {
	lines := strings.Fields(string(text))
	if len(lines) < 6 {
		return affine{}
	}
	var numbers [6]float64
	for i := range numbers {
		value, err := strconv.ParseFloat(strings.ReplaceAll(lines[i], ",", "."), 64)
		if err != nil {
			return affine{}
		}
		numbers[i] = value
	}
	return affine{a: numbers[0], d: numbers[1], b: numbers[2], e: numbers[3], c: numbers[4], f: numbers[5]}
}

// Codes of GeoKeys and of their values.
const (
	keyModelType    = 1024
	keyRasterType   = 1025
	keyCitation     = 1026
	keyGeographic   = 2048
	keyGeoCitation  = 2049
	keyProjected    = 3072
	keyProjCitation = 3073
	keyProjection   = 3074

	valueProjected  = 1     // of keyModelType
	valueIsPoint    = 2     // of keyRasterType
	valueOwn        = 32767 // user-defined
	maxSystemNumber = 1 << 16
)

// hasCentres reports whether the coordinates in the tags are for the centres of pixels instead of their
// corners.
func (m *image) hasCentres() (bool, error) {
	keys, err := m.integers(m.dir, tagGeoKeys)
	return ParseGeoKeys(keys, nil).numbers[keyRasterType] == valueIsPoint, err
}

// Keys are the GeoKeys of a raster or a point cloud, numbers and texts that define its reference system.
type Keys struct {
	numbers map[uint64]uint64
	texts   map[uint64]string
}

// ParseGeoKeys parses a directory of GeoKeys (OGC 19-008r4, 7.1.2). text has the texts to which the
// keys refer. If the directory is shorter than declared, the missing keys are ignored.
func ParseGeoKeys(directory []uint64, text []byte) Keys {
	k := Keys{numbers: map[uint64]uint64{}, texts: map[uint64]string{}}
	for i := 4; i+4 <= len(directory) && uint64(i/4) <= directory[3]; i += 4 {
		key := directory[i]
		location := directory[i+1]
		count := directory[i+2]
		value := directory[i+3]
		switch location {
		case 0:
			k.numbers[key] = value
		case tagGeoText:
			if value <= uint64(len(text)) && count <= uint64(len(text))-value {
				k.texts[key] = strings.TrimRight(string(text[value:value+count]), "|\x00 ")
			}
		}
	}
	return k
}

// System returns the reference system that the keys define. If it is unknown, system is nil and fault
// says why, as the rest of a sentence about the file.
func (k Keys) System() (system *crs.System, fault string) {
	system, fault = k.systemByCode()
	if system != nil || fault != "" {
		return system, fault
	}
	if system := k.utm(); system != nil {
		return system, ""
	}
	system, fault = k.systemByCitation()
	if system != nil || fault != "" {
		return system, fault
	}
	if k.isProjected() {
		return nil, "has a projected reference system that is not known"
	}
	return nil, "has no reference system"
}

// systemByCode returns the reference system with the EPSG code in the keys. fault is set if the code
// is unknown. If the keys have no code, system is nil and fault is "".
func (k Keys) systemByCode() (system *crs.System, fault string) {
	code := k.numbers[keyProjected]
	if code == 0 && !k.isProjected() { // otherwise the geographic code is the base of the projected system
		code = k.numbers[keyGeographic]
	}
	if code == 0 || code == valueOwn {
		return nil, ""
	}
	system, err := crs.FindCode(int(min(code, maxSystemNumber)))
	if err != nil {
		return nil, "has a reference system that is not known: EPSG:" + strconv.FormatUint(code, 10)
	}
	return system, ""
}

// systemByCitation returns the reference system that a citation, a text in the keys, names or defines.
// fault is set only for the citation of a projected system, because other citations can be any text.
func (k Keys) systemByCitation() (system *crs.System, fault string) {
	isProjected := k.isProjected()
	citations := []uint64{keyProjCitation, keyCitation}
	if !isProjected { // otherwise the geographic citation is about the base of the projected system
		citations = append(citations, keyGeoCitation)
	}
	for _, key := range citations {
		text := strings.TrimSpace(k.texts[key])
		cited := findCited(text)
		isBase := isProjected && cited != nil && cited.IsGeographic()
		if cited != nil && !isBase {
			return cited, ""
		}
		if text != "" && key == keyProjCitation {
			return nil, "has a reference system that is not known: " + strings.ReplaceAll(text, "|", ", ")
		}
	}
	return nil, ""
}

// isProjected reports whether the keys define a projected system, by a code or by its parameters.
func (k Keys) isProjected() bool {
	if k.numbers[keyModelType] == valueProjected || k.numbers[keyProjected] != 0 {
		return true
	}
	return k.numbers[keyModelType] == 0 && k.numbers[keyProjection] != 0
}

// findCited returns the reference system whose name or definition is in the text of a citation, or nil.
func findCited(text string) *crs.System {
	_, definition, isEsri := strings.Cut(text, "ESRI PE String = ")
	if isEsri {
		text = definition
	}
	if text == "" {
		return nil
	}
	if found, err := crs.Parse(text); err == nil {
		return found
	}
	if found, err := crs.Find(text); err == nil {
		return found
	}
	return nil
}

// utm returns the system that the keys define by a UTM zone and a datum, or nil. The key of the projection
// has the zone: 16037 is zone 37 north, and 16137 is zone 37 south.
func (k Keys) utm() *crs.System {
	code := int(min(k.numbers[keyProjection], maxSystemNumber))
	datum, err := crs.FindCode(int(min(k.numbers[keyGeographic], maxSystemNumber)))
	if err != nil {
		return nil
	}
	if code > 16000 && code <= 16060 {
		return crs.UTMOn(datum, code-16000, false)
	}
	if code > 16100 && code <= 16160 {
		return crs.UTMOn(datum, code-16100, true)
	}
	return nil
}

// readSystem reads the reference system from the GeoKeys, or from a .prj file.
func (f *File) readSystem(projection []byte) error {
	m := f.raster
	directory, err := m.integers(m.dir, tagGeoKeys)
	if err != nil {
		return err
	}
	text, err := m.value(m.dir, tagGeoText)
	if err != nil {
		return err
	}
	f.System, f.SystemFault = ParseGeoKeys(directory, text).System()
	if f.System != nil || len(projection) == 0 {
		return nil
	}
	if system, err := crs.Parse(string(projection)); err == nil {
		f.System = system
		f.SystemFault = ""
	} else {
		f.SystemFault = "has a .prj file that is not readable: " + err.Error()
	}
	return nil
}

// Resolution returns the ground size of a pixel in metres, or 0 if unknown.
func (f *File) Resolution() float64 {
	if f.System == nil || !f.IsPlaced {
		return 0
	}
	x := float64(f.Width) / 2
	y := float64(f.Height) / 2
	centre, ok := f.groundPosition(x, y)
	right, rightOK := f.groundPosition(x+1, y)
	below, belowOK := f.groundPosition(x, y+1)
	if !ok || !rightOK || !belowOK {
		return 0
	}
	width := kmlcsv.LengthOf(orb.LineString{centre, right})
	height := kmlcsv.LengthOf(orb.LineString{centre, below})
	return math.Sqrt(width * height)
}

// groundPosition returns the position of a pixel in WGS 84. It returns false if the position cannot be converted.
func (f *File) groundPosition(x, y float64) (orb.Point, bool) {
	lng, lat, err := f.System.ToWGS84(f.transform.apply(x, y))
	return orb.Point{lng, lat}, err == nil
}

// Outline returns the boundary of the raster in WGS 84 as a closed ring, or nil if its position is unknown.
func (f *File) Outline() orb.Ring {
	if f.System == nil || !f.IsPlaced {
		return nil
	}
	const steps = 8 // edges are not straight on the ground
	w := float64(f.Width)
	h := float64(f.Height)
	corners := [5][2]float64{{0, 0}, {w, 0}, {w, h}, {0, h}, {0, 0}}
	var ring orb.Ring
	for i, from := range corners[:4] {
		to := corners[i+1]
		for k := range steps {
			share := float64(k) / steps
			p, ok := f.groundPosition(from[0]+(to[0]-from[0])*share, from[1]+(to[1]-from[1])*share)
			if !ok {
				return nil
			}
			ring = append(ring, p)
		}
	}
	return append(ring, ring[0])
}

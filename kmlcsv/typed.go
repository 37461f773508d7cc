package kmlcsv

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"flightdesk/kmlcsv/crs"

	"github.com/paulmach/orb"
)

// TypedPlace is a place that a user typed or pasted.
type TypedPlace struct {
	Geometries []orb.Geometry // points, line strings or polygons; several only for well-known text or GeoJSON
	Note       string         // assumption that was made to read the place, one short sentence, or ""
}

// maxTyped is the maximum length in bytes of a text that is read as a place.
const maxTyped = 10 << 20

// ErrTyped is the error for a text that is not a place. Its message explains how to type a place.
var ErrTyped = errors.New(`type it like 47.3769, 8.5417 or 47°22'37"N 8°32'30"E`)

// ReadTyped reads a place in any of the usual forms: decimal degrees with a point or a
// comma, degrees with minutes and seconds, hemisphere letters before or after the numbers, a
// geo: address, a link to a map, UTM, MGRS, well-known text or GeoJSON. The latitude is
// first unless letters, labels or the range show that the longitude is first. Several pairs with
// semicolons or line breaks between them are a line or a boundary. A text that can mean two
// places is an error.
func ReadTyped(text string) (t TypedPlace, err error) { return readTypedAs(text, "", longitude) }

// readTypedAs is like ReadTyped, with two assumptions. order says which angle is first if letters, labels and the range
// do not show it; "" means the latitude. lngAxis is longitudeOEast or longitudeOWest if the letter O in a longitude
// such as 8°32'30"O means east (Ost) or west (oeste), and longitude if its meaning is not known.
func readTypedAs(text string, order AxisOrder, lngAxis angleAxis) (t TypedPlace, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return t, ErrTyped
	}
	if len(text) > maxTyped {
		return t, errors.New("too long; save it to a file and open the file")
	}
	lower := strings.ToLower(text)
	if strings.HasPrefix(lower, "geo:") {
		return readGeo(text[len("geo:"):])
	}
	if strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		return readLink(text)
	}
	isGeoJSON := text[0] == '{' || text[0] == '['
	if isGeoJSON || isWKT([]byte(text)) {
		return readShape([]byte(text))
	}
	if t, isGrid, err := readTypedGrid(text); isGrid {
		return t, err
	}
	return readTypedPairs(text, order, lngAxis)
}

// readTypedGrid reads a position in a grid, such as 32U 508107 5395158. isGrid is false if the text is not in such a
// form. If isGrid is true, err is nil or says what is wrong with the position.
func readTypedGrid(text string) (t TypedPlace, isGrid bool, err error) {
	p, note, err := readGrid(text)
	if errors.Is(err, errNoGrid) {
		return t, false, nil
	}
	if err != nil {
		return t, true, err
	}
	t, err = typedPoint(p, note)
	return t, true, err
}

// readTypedPairs reads a latitude and a longitude, or several such pairs with semicolons or line breaks between them.
// order and lngAxis have the same meaning as for readTypedAs. They are only used for a single pair.
func readTypedPairs(text string, order AxisOrder, lngAxis angleAxis) (t TypedPlace, err error) {
	p, note, pairErr := readPairAs(text, order, lngAxis)
	if pairErr == nil {
		return TypedPlace{[]orb.Geometry{p}, note}, nil
	}
	texts := strings.FieldsFunc(text, isPairBreak)
	if len(texts) > 1 {
		return readPairs(texts)
	}
	return t, pairErr
}

// isPairBreak reports whether a character separates pairs.
func isPairBreak(r rune) bool { return strings.ContainsRune(";|\n\r", r) }

// typedPoint returns a point as a place. It returns an error if the point is not on the globe.
func typedPoint(p orb.Point, note string) (t TypedPlace, err error) {
	p, err = onGlobe(p)
	if err != nil {
		return t, err
	}
	return TypedPlace{[]orb.Geometry{p}, note}, nil
}

// onGlobe brings the longitude of a point into -180 to 180. It returns an error if the latitude is over 90 degrees or
// the longitude over 360 degrees.
func onGlobe(p orb.Point) (orb.Point, error) {
	if math.Abs(p[1]) > 90 {
		return p, fmt.Errorf("latitude %v is not between -90 and 90", p[1])
	}
	if math.Abs(p[0]) > 360 {
		return p, fmt.Errorf("longitude %v is not between -180 and 180", p[0])
	}
	if math.Abs(p[0]) > 180 {
		p[0] = wrapLongitude(p[0])
	}
	return p, nil
}

// readGeo reads a geo: address (RFC 5870). text is the address after "geo:".
func readGeo(text string) (t TypedPlace, err error) {
	coordinates, parameters, _ := strings.Cut(text, ";")
	coordinates, query, _ := strings.Cut(coordinates, "?")
	system, hasSystem := strings.CutPrefix(strings.ToLower(parameters), "crs=")
	if hasSystem && !strings.HasPrefix(system, "wgs84") {
		return t, errors.New("the geo: address does not use WGS 84")
	}
	p, ok := plainPair(coordinates)
	isInQuery := p == zeroPosition && query != "" // Android's geo:0,0?q=47.1,8.5(Name)
	if ok && !isInQuery {
		return typedPoint(p, "")
	}
	if values, err := url.ParseQuery(query); err == nil {
		q, _, _ := strings.Cut(values.Get("q"), "(")
		p, ok = plainPair(q)
		if ok {
			return typedPoint(p, "")
		}
	}
	return t, errors.New("the geo: address has no latitude and longitude")
}

// plainPair reads a latitude and a longitude in decimal degrees, as programs write them. It ignores anything after the
// two numbers, such as the zoom level in 47.1,8.5,15z. ok is false if the text does not begin with two numbers.
func plainPair(text string) (p orb.Point, ok bool) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", +~", r) })
	if len(parts) < 2 {
		return p, false
	}
	lat, latEnd := parseNumber([]byte(parts[0]), 0)
	lng, lngEnd := parseNumber([]byte(parts[1]), 0)
	isLatNumber := latEnd > 0 && latEnd == len(parts[0])
	isLngNumber := lngEnd > 0 && lngEnd == len(parts[1])
	return orb.Point{lng, lat}, isLatNumber && isLngNumber
}

var (
	linkPin    = newPattern(`.*!3d(-?[0-9.]+)!4d(-?[0-9.]+)`)      // the last place in a link to Google Maps
	linkCentre = newPattern(`@(-?[0-9.]+),(-?[0-9.]+)`)            // centre of the map in Google Maps
	linkMap    = newPattern(`map=[0-9.]+/(-?[0-9.]+)/(-?[0-9.]+)`) // centre of the map in OpenStreetMap
	linkPath   = newPattern(`/(-?[0-9.]+),[+ ]?(-?[0-9.]+)(?:/|$)`)
)

// readLink reads a link to a map. It returns the position of the marker, otherwise the position that the link searches
// for, otherwise the centre of the map. If the link names a place but only has the centre of the map, it returns an
// error.
func readLink(text string) (t TypedPlace, err error) {
	noPosition := errors.New("the link has no coordinates; open it and copy the address it redirects to")
	u, err := url.Parse(text)
	if err != nil {
		return t, noPosition
	}
	if isShortLink(u) {
		return t, errors.New("a short link holds no position; open it and paste the long address that it leads to")
	}
	if p, ok := markerInLink(u, text); ok {
		return typedPoint(p, "")
	}
	centre, ok := firstPair(matchedPair(linkCentre, text), matchedPair(linkMap, text))
	if !ok {
		return t, noPosition
	}
	if strings.Contains(u.Path, "/maps/place/") {
		return t, errors.New("the link names a place but holds only the centre of the map; " +
			"copy the coordinates of the place")
	}
	return typedPoint(centre, "the centre of the link's map")
}

// markerInLink returns the position of the marker in a link, otherwise the position that the link searches for. u is
// the parsed link. ok is false if the link has neither.
func markerInLink(u *url.URL, link string) (p orb.Point, ok bool) {
	hasPin := linkPin().MatchString(link) // the pin is more exact than the position in the path
	if p, ok := placeInPath(u); ok && !hasPin {
		return p, true
	}
	query := u.Query()
	pairs := []string{
		matchedPair(linkPin, link),
		query.Get("mlat") + "," + query.Get("mlon"),
	}
	for _, name := range []string{"q", "query", "ll", "destination", "daddr", "center", "cp", "loc"} {
		pairs = append(pairs, strings.TrimPrefix(query.Get(name), "loc:"))
	}
	pairs = append(pairs, matchedPair(linkPath, u.Path))
	return firstPair(pairs...)
}

// firstPair returns the position in the first text that has a latitude and a longitude. ok is false if none has.
func firstPair(texts ...string) (p orb.Point, ok bool) {
	for _, text := range texts {
		if p, ok := plainPair(text); ok {
			return p, true
		}
	}
	return p, false
}

// isShortLink reports whether a link is a short link of a map service, which has no position in it.
func isShortLink(u *url.URL) bool {
	host := strings.ToLower(strings.TrimPrefix(u.Host, "www."))
	switch host {
	case "maps.app.goo.gl", "goo.gl", "g.co", "bit.ly", "tinyurl.com", "t.co", "her.is", "binged.it", "maps.apple":
		return true
	}
	return false
}

// placeInPath returns the position in the path of a link, as in /place/47.1,8.5/. ok is false if the path has none.
func placeInPath(u *url.URL) (p orb.Point, ok bool) {
	_, name, ok := strings.Cut(u.Path, "/place/")
	if !ok {
		return p, false
	}
	name, _, _ = strings.Cut(name, "/")
	p, _, err := readPair(strings.ReplaceAll(name, "+", " "))
	return p, err == nil
}

// matchedPair returns the two numbers that a pattern matches in a text, with a comma between them. It returns "" if
// the pattern does not match.
func matchedPair(pattern func() *regexp.Regexp, text string) string {
	if m := pattern().FindStringSubmatch(text); m != nil {
		return m[1] + "," + m[2]
	}
	return ""
}

// readShape reads well-known text or GeoJSON.
func readShape(text []byte) (t TypedPlace, err error) {
	var cells cellReader
	figures, problem := cells.readCell(text)
	if problem == nil && len(figures) == 0 {
		problem = noCoordinates
	}
	if problem != nil {
		return t, errors.New(problem.Message)
	}
	return typedFigures(figures, cells.system)
}

// typedFigures returns shapes as a typed place. It checks the shapes, and converts them to WGS 84. system is their
// reference system, nil for WGS 84.
func typedFigures(figures []rawFigure, system *crs.System) (t TypedPlace, err error) {
	b := newResultBuilder(readOptions{Options: Options{NoPlaces: true}}, FormatCSV)
	for _, f := range figures {
		b.addFromSystem(f, system)
	}
	for _, w := range b.res.Warnings {
		if w.Skipped {
			return t, errors.New(w.Message)
		}
	}
	for _, p := range b.res.Placemarks {
		t.Geometries = append(t.Geometries, p.Geometry)
	}
	if len(b.res.Warnings) > 0 {
		t.Note = b.res.Warnings[0].Message
	}
	return t, nil
}

// readPairs reads several pairs as one geometry. Two different positions are a line, and more are a boundary.
func readPairs(texts []string) (t TypedPlace, err error) {
	var points []orb.Point
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		p, _, err := readPair(text)
		if err != nil {
			return t, fmt.Errorf("point %d: %w", len(points)+1, err)
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return t, ErrTyped
	}
	t, err = typedFigures([]rawFigure{outlineOf(slices.Compact(points))}, nil)
	if err != nil {
		return t, err
	}
	t.Note = shapeNote(t.Geometries[0])
	return t, nil
}

// shapeNote returns a note that says what several pairs were read as, such as "a line".
func shapeNote(g orb.Geometry) string {
	switch g.(type) {
	case orb.Polygon:
		return "a boundary"
	case orb.LineString:
		return "a line"
	default:
		return "one place"
	}
}

var pairLabel = newPattern(`(?i)\b(lat|latitude|breite|lon|lng|long|longitude|länge)\b\.?\s*[:=]?\s*`)

// maxPair is the maximum length in bytes of a text that is read as a pair.
const maxPair = 200

// readPair reads a latitude and a longitude. note describes an assumption, or is "". See readPairAs.
func readPair(text string) (p orb.Point, note string, err error) {
	return readPairAs(text, "", longitude)
}

// readPairAs reads a latitude and a longitude. order says which of them is first if labels, letters and the range do
// not show it; "" means the latitude. lngAxis has the same meaning as for readTypedAs. note describes an assumption, or
// is "".
func readPairAs(text string, order AxisOrder, lngAxis angleAxis) (p orb.Point, note string, err error) {
	if len(text) > maxPair {
		return p, "", whyNoPair(text)
	}
	text = strings.Trim(strings.TrimSpace(dashes.Replace(text)), "()[];, ")
	if label := pairLabel().FindString(text); label != "" {
		order = orderOfLabel(label)
		text = strings.TrimSpace(pairLabel().ReplaceAllString(text, " "))
	}
	possible := possiblePoints(text, order, lngAxis)
	if len(possible) == 0 {
		possible = possiblePoints(cutHeight(text), order, lngAxis)
		note = "without the height"
	}
	switch len(possible) {
	case 0:
		return p, "", whyNoPair(text)
	case 1:
		return acceptPair(possible[0], note)
	}
	first := possible[0]
	second := possible[1]
	return p, "", fmt.Errorf("ambiguous: %v, %v or %v, %v; use decimal points", first[1], first[0], second[1], second[0])
}

// acceptPair checks the position of a pair. If the position is only possible with latitude and longitude exchanged, it
// exchanges them and returns a note about this. Otherwise it returns the given note.
func acceptPair(p orb.Point, note string) (orb.Point, string, error) {
	if isExchanged(p) {
		note = fmt.Sprintf("read as longitude, latitude: %v is not a latitude", p[1])
		p = swapAxes(p)
	}
	p, err := onGlobe(p)
	return p, note, err
}

// isExchanged reports whether a point is not possible, but would be with latitude and longitude exchanged. Longitudes
// up to 360 degrees are possible.
func isExchanged(p orb.Point) bool {
	lng := math.Abs(p[0])
	lat := math.Abs(p[1])
	return lat > 90 && lat <= 360 && lng <= 90
}

// cutHeight removes a height from the end of a position such as "47.1, 8.5, 430". It returns the text before the last
// comma, or "" if no number is after the last comma.
func cutHeight(text string) string {
	lastComma := strings.LastIndexByte(text, ',')
	if lastComma < 0 || countNumbers(text[lastComma:]) == 0 {
		return ""
	}
	return text[:lastComma]
}

// orderOfLabel returns the order of the numbers after a label that pairLabel matches. If the label names the
// longitude, the longitude is first.
func orderOfLabel(label string) AxisOrder {
	label = strings.ToLower(label)
	if strings.HasPrefix(label, "l") && !strings.HasPrefix(label, "lat") {
		return LngLat
	}
	return LatLng
}

// possiblePoints returns the different points that a text can mean. It splits the text at every possible place into two
// angles. Both angles must have equally many numbers.
func possiblePoints(text string, order AxisOrder, lngAxis angleAxis) []orb.Point {
	var found []orb.Point
	for i := 1; i < len(text); i++ {
		if !splitsAt(text, i) {
			continue
		}
		left := strings.Trim(text[:i], angleSeparators)
		right := strings.Trim(text[i:], angleSeparators)
		if !areAngles(left, right) {
			continue
		}
		p, problem := readAngles(left, right, order, lngAxis)
		if problem == nil && !hasPoint(found, p) {
			found = append(found, p)
		}
	}
	return found
}

// readAngles reads the two angles of a position. If an angle has a letter, the letters decide which angle is the
// latitude. Otherwise the first is the latitude, or the second if the order is LngLat.
func readAngles(first, second string, order AxisOrder, lngAxis angleAxis) (orb.Point, *Error) {
	lat := []byte(first)
	lng := []byte(second)
	if order == LngLat {
		lat, lng = lng, lat
	}
	p, problem := readDegreesAs(lat, lng, lngAxis)
	hasLetter := strings.ContainsAny(strings.ToUpper(first+second), "NSZEW")
	if problem != nil && hasLetter { // the letters may show the other order
		return readDegreesAs(lng, lat, lngAxis)
	}
	return p, problem
}

// angleSeparators are the characters that can separate two angles.
const angleSeparators = ",;/| \t"

// areAngles reports whether two parts of a text can be the angles of a position: they have equally many numbers, and
// are not too long.
func areAngles(left, right string) bool {
	isUnclearDash := strings.HasPrefix(right, "- ") // a minus sign, or a dash between the two numbers
	if isUnclearDash || len(left) > maxAngle || len(right) > maxAngle {
		return false
	}
	numbers := countNumbers(left)
	return numbers > 0 && numbers <= maxAngleNumbers && numbers == countNumbers(right)
}

// hasPoint reports whether points contains p. It ignores differences from rounding.
func hasPoint(points []orb.Point, p orb.Point) bool {
	const rounding = 1e-12
	for _, q := range points {
		if math.Abs(q[0]-p[0]) < rounding && math.Abs(q[1]-p[1]) < rounding {
			return true
		}
	}
	return false
}

// maxAngleNumbers is the maximum number of numbers in an angle: degrees, minutes and seconds.
const maxAngleNumbers = 3

// countNumbers returns how many numbers a text has. A point or a comma between two digits is a decimal mark, so 48.71
// is one number. A number has only one decimal mark: 48.71.9 are two numbers, 48.71 and 9.
func countNumbers(text string) (count int) {
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		count++
		i = skipDigits(text, i)
		hasMark := i+1 < len(text) && (text[i] == '.' || text[i] == ',')
		if hasMark && isDigit(text[i+1]) {
			i = skipDigits(text, i+1)
		}
	}
	return count
}

// skipDigits returns the index of the first character from i on that is not a digit.
func skipDigits(text string, i int) int {
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}

// splitsAt reports whether a second angle may begin at index i: after a separator, or before or after a letter.
func splitsAt(text string, i int) bool {
	return strings.IndexByte(angleSeparators, text[i-1]) >= 0 || isLetter(text[i-1]) || isLetter(text[i])
}

// whyNoPair returns the error that explains why a text is not a pair.
func whyNoPair(text string) error {
	switch countNumbers(text) {
	case 0:
		return ErrTyped
	case 1:
		return errors.New("the longitude is missing after the latitude")
	default:
		return fmt.Errorf("%s is not a latitude and longitude; %w", oneLine([]byte(text)), ErrTyped)
	}
}

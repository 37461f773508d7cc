package kmlcsv

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wordSet returns a set of the words in a text.
func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		set[norm.NFD.String(word)] = true
	}
	return set
}

// The words of headers, in lower case and without accents.
var (
	latitudeWords = wordSet(`lat lats latitude lattitude latitud latitudine breite breiten breitengrad breitegrad
		breddegrad breddgrad breedtegraad bredde breedte sirka szerokosc enlem leveyspiiri latitudinea широта 緯度 纬度
		위도`)
	longitudeWords = wordSet(`lon long lng longitude longtitude longitud longitudine lange laenge laengen
		laengengrad langengrad lengdegrad langdgrad lengtegraad lengte lengde langd delka dlugosc boylam pituuspiiri
		долгота 経度 经度 경도`)
	northingWords = wordSet(`north northing northings nord norden nording hoch hochwert nordwert norte noord`)
	eastingWords  = wordSet(`east easting eastings ost osten rechts rechtswert ostwert este est oost ost`)

	degreeWords = wordSet("d deg degs degree degrees grad grado grados degres gradi graden grader grau graus stopnie")
	minuteWords = wordSet("m min mins minute minutes minuten minuto minutos minuti minuter minuty")
	secondWords = wordSet(`s sec secs second seconds sek sekunde sekunden segundo segundos seconde secondes secondi
		sekunder sekundy`)
	sideWords = wordSet(`ref dir direction hem hemi hemisphere ns ew nsew richtung himmelsrichtung quadrant
		sentido`)

	// noiseWords can be in the title of any coordinate column. They do not show which of several positions in a row the
	// column belongs to.
	noiseWords = wordSet(`dd dec decimal dezimal dezimalgrad wgs wgs84 84 etrs 89 nad 83 gda gda94 gda2020 gps gnss
		geo geographic coord coords coordinate coordinates koordinate koordinaten koord coordenada pos position wert
		value map composite the of in utm mga mga94 mga2020 94 2020 2000 nztm itm osgb36 osgb 36 irish grid gk gauss
		kruger krueger ft feet foot us survey metre metres meter meters metros m zone nznz dms gd nzgd sirgas sweref
		tm lv95 lv03 rd new epsg bng`)

	// qualityWords show that a column has the quality of a coordinate, such as its error, and not the coordinate
	// itself.
	qualityWords = wordSet(`rms std stdev sd sigma error err accuracy acc precision genauigkeit rmse lateral quality
		diff delta`)
)

// sizeWords can mean a latitude or a longitude, but also a length or a width.
var sizeWords = wordSet("breite breiten bredde breedte lange laenge laengen lengte lengde langd long delka")

// metreWords are units of length. A title that has one of these units and one of sizeWords, as in "Breite m", means a
// length or a width, not a latitude or a longitude.
var metreWords = wordSet("m mm cm km meter metre meters metres ft feet in inch")

var (
	northWords = wordSet("n north nord norte northern noord")
	southWords = wordSet("s south sud sued sur southern zuid sul")
	eastWords  = wordSet("e east est este ost oost eastern leste")
	westWords  = wordSet("w west ouest oeste ovest western vest")
)

// signWords replaces signs in a header by words: the signs for degrees, minutes and seconds, and m².
var signWords = strings.NewReplacer(
	"°", " deg ", "º", " deg ", "′", " min ", "'", " min ", "″", " sec ", `"`, " sec ", "m²", "m2 ")

// headerWords splits a title into words, in lower case and without accents: "Lat_Deg", "LatDeg" and "Lat (°)" become
// lat and deg.
func headerWords(title string) []string {
	title = signWords.Replace(unmarked.Replace(title))
	var words []string
	var word strings.Builder
	var last rune
	for _, r := range norm.NFD.String(title) {
		if unicode.Is(unicode.Mn, r) { // an accent
			continue
		}
		isWordRune := unicode.IsLetter(r) || unicode.IsDigit(r)
		startsHump := unicode.IsUpper(r) && unicode.IsLower(last) // a capital inside a word starts a new word, as in LatDeg
		startsNumber := unicode.IsDigit(r) && unicode.IsLetter(last) && !startsUnit(words, word.String(), r)
		if !isWordRune || startsHump || startsNumber {
			words = appendWord(words, word.String())
			word.Reset()
		}
		if isWordRune {
			word.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return appendWord(words, word.String())
}

// appendWord appends a word unless it is empty.
func appendWord(words []string, word string) []string {
	if word == "" {
		return words
	}
	return append(words, word)
}

// startsUnit reports whether a digit after a word is a part of a unit, as in e6, m2, km2 and ft2. The digit then
// belongs to the word. before has the earlier words of the title. If there are none, E is not a unit: in the title
// "E1", it means the easting of corner 1.
func startsUnit(before []string, word string, digit rune) bool {
	return word == "e" && len(before) > 0 || digit == '2' && (word == "m" || word == "km" || word == "ft")
}

// anglePart tells whether a column has whole angles or only a part of each angle, such as the minutes.
type anglePart uint8

const (
	wholeAngle anglePart = iota
	degreePart
	minutePart
	secondPart
	sidePart // the hemisphere
)

// axisName is the parsed title of a column that has a coordinate, or a part of a coordinate. For example, "Start Lat
// Min (N)" means the minutes of the latitude of the start, in the northern hemisphere.
type axisName struct {
	axis angleAxis
	grid bool // the column has northings or eastings, not degrees
	weak bool // the title can also mean something else: it is a single letter, or a word for a length
	part anglePart
	side string // hemisphere in the title: n, s, e, w, or o, which can mean east or west; "" for none
	unit string // result of unitOf, such as gon or ft; "" for none
	rest string // words such as start, which name one of several positions in a row

	letter string // the single letter that names the axis, "" for none
	system string // short name of a reference system, "" for none
	about  string // all words except the axis; hasZoneInName and systemTitles look for a reference system in it
}

// parseAxisName parses the title of a column with coordinates, such as "Start Lat (N)" or "RD X". found is false if the
// title does not name a coordinate.
func parseAxisName(title string) (name axisName, found bool) {
	words := joinSides(headerWords(title))
	if containsWord(words, qualityWords) {
		return axisName{}, false
	}
	if axis, isSide := sideOnly(words); isSide {
		return axisName{axis: axis, part: sidePart}, true
	}
	system, wordsWithoutSystem := cutSystem(words)
	name, others, found := findAxis(wordsWithoutSystem)
	if !found && system != "" { // the name of the system contains the axis: Gauss-Boaga Est can be a zone or an easting
		system = ""
		name, others, found = findUncertainAxis(words)
	}
	if !found {
		return axisName{}, false
	}
	name.system = system
	name.readOtherWords(others)
	name.about = system + " " + strings.Join(withUTM(others), " ")
	explainsSigns := strings.ContainsAny(title, "+±") // "N+" means that only positive values are in the north
	if explainsSigns {
		name.side = ""
	}
	return name, true
}

// findUncertainAxis calls findAxis for a title that may name a reference system instead of an axis, such as
// "Gauss-Boaga Est". It marks the result as a weak name of a northing or an easting.
func findUncertainAxis(words []string) (name axisName, others []string, found bool) {
	name, others, found = findAxis(words)
	name.grid = true
	name.weak = true
	return name, others, found
}

// withUTM inserts the word utm before a UTM zone such as 32u, so that the text is recognised as a UTM zone. 32 is the
// number of the zone, and u is the letter of its latitude band.
func withUTM(words []string) []string {
	at := slices.IndexFunc(words, bandedZone().MatchString)
	if at < 0 || slices.Contains(words, "utm") {
		return words
	}
	return slices.Insert(slices.Clone(words), at, "utm")
}

var bandedZone = newPattern(`^(?:[1-5]?[0-9]|60)[c-hj-np-x]$`)

// sideOnly recognises the title of a column that has only hemisphere letters, such as N/S or E/W. axis is the latitude
// for N/S, and the longitude for E/W. isSide is false for other titles.
func sideOnly(words []string) (axis angleAxis, isSide bool) {
	if len(words) == 1 {
		return sideOfPair(words[0])
	}
	if len(words) != 2 {
		return latitude, false
	}
	first := words[0]
	second := words[1]
	areLatitudes := northWords[first] && southWords[second] || southWords[first] && northWords[second]
	if areLatitudes {
		return latitude, true
	}
	isWest := func(word string) bool { return westWords[word] || word == "o" } // O for oeste or ouest
	areLongitudes := eastWords[first] && isWest(second) || isWest(first) && eastWords[second]
	return longitude, areLongitudes
}

// sideOfPair returns the latitude for the word "ns", and the longitude for the word "ew". isSide is false for other
// words.
func sideOfPair(word string) (axis angleAxis, isSide bool) {
	switch word {
	case "ns":
		return latitude, true
	case "ew":
		return longitude, true
	}
	return latitude, false
}

// findAxis finds the word of a title that names the axis: a word for latitude or longitude, otherwise a word for
// northing or easting, otherwise a single letter. It returns an axisName with this axis, and the other words. If only a
// part of a word names the axis, as in gpslat, the rest of the word is among the other words.
func findAxis(words []string) (name axisName, others []string, found bool) {
	var degrees axisName
	if i := degrees.findDegreeWord(words); i >= 0 {
		return degrees, without(words, i), true
	}
	for i, word := range words {
		if axis, rest, ok := axisWithin(word); ok {
			return axisName{axis: axis}, slices.Concat(words[:i], rest, words[i+1:]), true
		}
	}
	metres := axisName{grid: true}
	if i := metres.findMetreWord(words); i >= 0 {
		return metres, without(words, i), true
	}
	letter := axisName{grid: true, weak: true}
	if i := letter.findAxisLetter(words); i >= 0 {
		return letter, without(words, i), true
	}
	return axisName{}, nil, false
}

// without returns the words except the word at an index.
func without(words []string, index int) []string {
	return slices.Concat(words[:index], words[index+1:])
}

// findDegreeWord finds the first word for a latitude or a longitude, and returns its index. It sets the axis. If the
// word can also mean a length, it sets weak, too. If there is no such word, it returns -1 and sets nothing.
func (n *axisName) findDegreeWord(words []string) int {
	for i, word := range words {
		isSize := sizeWords[word] && slices.ContainsFunc(words, func(w string) bool { return metreWords[w] })
		if isSize { // a length or a width in metres
			continue
		}
		if latitudeWords[word] {
			n.weak = sizeWords[word]
			return i
		}
		if longitudeWords[word] {
			n.axis = longitude
			n.weak = sizeWords[word] && word != "long"
			return i
		}
	}
	return -1
}

// findMetreWord finds the first word for a northing or an easting, and returns its index. It sets the axis. Words for a
// direction, such as south, also count; for these words, it sets the hemisphere, too. If there is no such word, it
// returns -1 and sets nothing.
func (n *axisName) findMetreWord(words []string) int {
	for i, word := range words {
		switch {
		case northingWords[word], strings.HasSuffix(word, "northing"), strings.HasSuffix(word, "hochwert"):
			return i
		case eastingWords[word], strings.HasSuffix(word, "easting"), strings.HasSuffix(word, "rechtswert"):
			n.axis = longitude
			return i
		case southWords[word] && len(word) > 1:
			n.side = "s"
			return i
		case westWords[word] && len(word) > 1:
			n.axis = longitude
			n.side = "w"
			return i
		}
	}
	return -1
}

// findAxisLetter finds the first word that is a single letter for a coordinate: n or y for a northing, e, x or w for an
// easting. The letter can be joined to another word, as in utmx. findAxisLetter returns the index of the word, and sets
// the axis and the letter. For w, it sets the western hemisphere instead of the letter. If there is no such word, it
// returns -1 and sets nothing.
func (n *axisName) findAxisLetter(words []string) int {
	for i, word := range words {
		letter := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(word, "koordinate"), "coord"), "coord")
		letter = strings.TrimPrefix(strings.TrimPrefix(letter, "utm"), "grid")
		switch letter {
		case "n", "y":
			n.letter = letter
			return i
		case "e", "x":
			n.axis = longitude
			n.letter = letter
			return i
		case "w":
			n.axis = longitude
			n.side = "w"
			return i
		}
	}
	return -1
}

// axisWithin returns the axis of a word that begins or ends with a word for latitude or longitude, such as gpslat or
// latdeg. rest is what is left of the word. ok is false for other words.
func axisWithin(word string) (axis angleAxis, rest []string, ok bool) {
	for _, name := range []string{"latitude", "latitud", "lat"} {
		if rest, ok := cutEither(word, name); ok {
			return latitude, rest, true
		}
	}
	for _, name := range []string{"longitude", "longitud", "long", "lon", "lng"} {
		if rest, ok := cutEither(word, name); ok {
			return longitude, rest, true
		}
	}
	return latitude, nil, false
}

func cutEither(word, name string) (rest []string, ok bool) {
	if after, ok := strings.CutPrefix(word, name); ok {
		return []string{after}, true
	}
	if before, ok := strings.CutSuffix(word, name); ok {
		return []string{before}, true
	}
	return nil, false
}

// readOtherWords reads the words of a title that do not name the axis. For "Start Lat Min (N)", these are start, min
// and n. The word min sets the part of the angle, and n sets the hemisphere. A word such as feet sets the unit. Words
// such as start say which of several positions in a row the column belongs to; readOtherWords stores them in n.rest.
func (n *axisName) readOtherWords(words []string) {
	var sides []string         // hemispheres
	var positionWords []string // words that tell to which of several positions the column belongs
	for _, word := range words {
		isSecondsOrSouth := word == "s" && n.axis == latitude
		if isSecondsOrSouth { // keep both meanings; chooseNumbers decides when all columns are known
			n.setPart(secondPart)
			sides = append(sides, "s")
			continue
		}
		if side := n.sideOf(word); side != "" {
			sides = append(sides, side)
			continue
		}
		if unit := n.unitOf(word); unit != "" {
			n.unit = unit
			continue
		}
		if part, isPart := partOf(word); isPart {
			n.setPart(part)
			continue
		}
		if isPositionWord(word) {
			positionWords = append(positionWords, word)
		}
	}
	n.rest = strings.Join(positionWords, " ")
	n.settlePartAndSide(sides, words)
}

// settlePartAndSide decides what the cells of the column have. In a column with the title "Latitude N/S" or "Lat deg
// min sec", each cell has a whole angle. settlePartAndSide recognises such titles because they name several hemispheres
// or several parts of an angle. It then sets the part to wholeAngle and sets no hemisphere. If any other title names
// exactly one hemisphere, it sets this hemisphere.
func (n *axisName) settlePartAndSide(sides, words []string) {
	eachHasLetter := len(sides) > 1 && n.part != sidePart
	eachHasParts := countPartWords(words) > 1
	if eachHasLetter || eachHasParts {
		n.part = wholeAngle
		n.side = ""
		return
	}
	if len(sides) == 1 {
		n.side = sides[0]
	}
}

// setPart sets which part of each angle the column has. If a word of the title has already shown that the column has
// hemispheres, a word for degrees does not change this: "Lat Dir (deg)" is a column of hemispheres.
func (n *axisName) setPart(part anglePart) {
	if part == degreePart && n.part == sidePart {
		return
	}
	n.part = part
}

// partOf returns the part of an angle that a word names. ok is false for other words.
func partOf(word string) (part anglePart, ok bool) {
	switch {
	case minuteWords[word]:
		return minutePart, true
	case secondWords[word]:
		return secondPart, true
	case degreeWords[word]:
		return degreePart, true
	case sideWords[word]:
		return sidePart, true
	}
	return wholeAngle, false
}

// unitOf returns the unit that a word means, or "" if it is not a unit. In the title of an angle, m is not a unit but
// means minutes, so the result is "". In the title of a northing or an easting, m means metres.
func (n *axisName) unitOf(word string) string {
	switch word {
	case "ft", "feet", "foot":
		return "ft"
	case "m":
		if n.grid {
			return "m"
		}
		return ""
	}
	return angleUnitOf(word)
}

// angleUnitOf returns the unit of angles that a word of a header names, or "". e5, e6 and e7 are units of 1e-5, 1e-6
// and 1e-7 degrees.
func angleUnitOf(word string) string {
	if minutesForm().MatchString(word) {
		return packedMinutes
	}
	if secondsForm().MatchString(word) {
		return packedSeconds
	}
	switch word {
	case "e5", "e6", "e7", "gon", "rad":
		return word
	case "gons", "grads", "gradian", "gradians", "neugrad":
		return "gon"
	case "microdegrees", "microdeg":
		return "e6"
	case "radians", "radian", "radiant":
		return "rad"
	}
	return ""
}

// countPartWords returns how many of the words mean degrees, minutes or seconds.
func countPartWords(words []string) int {
	count := 0
	for _, word := range words {
		if degreeWords[word] || minuteWords[word] || secondWords[word] {
			count++
		}
	}
	return count
}

// isPositionWord reports whether a word can be the name of one of several positions in a row, such as "start" in
// "start latitude".
func isPositionWord(word string) bool {
	isForm := formDigits().MatchString(word) // mmmm in ddmm.mmmm, for example
	return word != "" && !isForm && !noiseWords[word] && !isZoneWord(word)
}

// sideOf returns the hemisphere that a word means, or "". In the titles of northings and eastings, words such as north
// do not mean a hemisphere, so the result is "".
func (n *axisName) sideOf(word string) string {
	switch {
	case n.grid:
		return ""
	case n.axis == latitude && northWords[word]:
		return "n"
	case n.axis == latitude && southWords[word]:
		return "s"
	case n.axis == longitude && eastWords[word]:
		return "e"
	case n.axis == longitude && westWords[word]:
		return "w"
	case n.axis == longitude && word == "o":
		return "o"
	}
	return ""
}

// How headers name degrees and minutes in one number: ddmm.mmm and ddmmss.
var (
	minutesForm = newPattern(`^d{2,3}m{2,}$`)
	secondsForm = newPattern(`^d{2,3}mms{2,}$`)
	formDigits  = newPattern(`^(?:m{3,}|s{2,})$`)
)

// isZoneWord reports whether a word is a UTM zone with a letter after it, such as 32n, or an EPSG code, such as 25832.
func isZoneWord(word string) bool {
	digits := strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyz")
	isNumber := digits != "" && strings.Trim(digits, "0123456789") == ""
	return isNumber && (len(digits) >= 4 || len(word) == len(digits)+1 && len(digits) == 2)
}

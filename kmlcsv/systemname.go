package kmlcsv

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
	"flightdesk/kmlcsv/places"
)

// shortSystems has the short names of national systems that are used in the headers of tables. Each line has EPSG
// codes or ranges of codes, and then the names for these systems, in lower case without accents, blanks and signs. If
// a name has several codes, the coordinates or the user decide. Longer names are in package crs.
const shortSystems = `28992 rd rdnew rdnap rijksdriehoek rijksdriehoekstelsel amersfoort
2056 lv95 mn95 ch1903+ ch1903+lv95 ch1903lv95
21781 lv03 mn03 ch1903lv03
2056,21781 ch1903 swissgrid
27700 bng osgb osgb36 os osgrid osng osngr britishnationalgrid nationalgrid
2157,2039 itm
29903 ing irishgrid irishnationalgrid tm75
29902 tm65
3006 sweref99tm swereftm
3006-3018 sweref99 sweref
3021 rt90 rt9025gonv
2154 l93 lambert93 rgf93lambert93
2154,3942-3950 rgf93
27572 l2e lambert2e lambertiie lambert2etendu lambertiietendu
31370 l72 lb72 lambert72 belgianlambert72 bd72
3812 l08 lb08 lambert08 lambert2008 belgianlambert2008
2180 1992 pl1992 puwg1992 puwg92 cs92 pl92
2176-2179 2000 pl2000 puwg2000 cs2000
2176 20005 pl20005 pl2000strefa5 pl2000s5 puwg2000strefa5
2177 20006 pl20006 pl2000strefa6 pl2000s6 puwg2000strefa6
2178 20007 pl20007 pl2000strefa7 pl2000s7 puwg2000strefa7
2179 20008 pl20008 pl2000strefa8 pl2000s8 puwg2000strefa8
5514,5513 jtsk sjtsk krovak sjtskkrovak jtskkrovak
23700 eov hd72 hd72eov
3844 stereo70 stereografic1970 s42stereo70
3765 htrs96 htrs96tm
3794 d96 d96tm
3912 d48 d48gk
2100 egsa87 ggrs87 egsa εγσα87 εγσα
3763 tm06 pttm06 ptm06 etrs89pttm06
3301 lest97 lest
3059 lks92
3346 lks94
3414 svy21
2326 hk80 hk1980 hongkong1980
3826,3825 twd97 twd97tm2
3828 twd67
3003,3004 gaussboaga montemario rome40 roma40
3003 gaussboagaovest gaussboagafusoovest montemarioovest montemario1
3004 gaussboagaest gaussboagafusoest montemarioest montemario2
2193 nztm nztm2000
28348-28358 mga mga94 gda94mga
7846-7859 mga2020 gda2020mga
25828-25838 etrs89utm etrsutm euref89utm
27200 nzmg
31287 mgilambert austrialambert lambertat atlambert oelambert
31284,31254,31257 m28 bmn28 bmnm28 gkm28 gk28 mgigk28 mgim28
31285,31255,31258 m31 bmn31 bmnm31 gkm31 gk31 mgigk31 mgim31
31286,31256,31259 m34 bmn34 bmnm34 gkm34 gk34 mgigk34 mgim34
31254-31259 mgigk
31466-31469,31254-31259 gk gausskruger gausskrueger
31466-31469 dhdn dhdngk
31466 gk2 gkzone2 gkstreifen2 gausskruger2 gausskrugerzone2 gausskruegerzone2 dhdngk2
31467 gk3 gkzone3 gkstreifen3 gausskruger3 gausskrugerzone3 gausskruegerzone3 dhdngk3
31468 gk4 gkzone4 gkstreifen4 gausskruger4 gausskrugerzone4 gausskruegerzone4 dhdngk4
31469 gk5 gkzone5 gkstreifen5 gausskruger5 gausskrugerzone5 gausskruegerzone5 dhdngk5
3067 tm35fin etrstm35fin tm35
2393 kkj
9377 ctm12 origennacional magnaorigennacional magnasirgasorigennacional
5367 crtm05 crtm cr05crtm05
`

// loadShortSystems returns the EPSG codes for each name in shortSystems.
var loadShortSystems = sync.OnceValue(func() map[string][]int {
	systems := make(map[string][]int)
	for line := range strings.Lines(shortSystems) {
		words := strings.Fields(line)
		codes := codesIn(words[0])
		for _, name := range words[1:] {
			systems[name] = codes
		}
	}
	return systems
})

// codesIn returns the codes in a list with ranges, such as 31254-31256,31259.
func codesIn(list string) (codes []int) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		code, _ := strconv.Atoi(first) // shortSystems has only numbers
		end, _ := strconv.Atoi(last)
		for ; code <= end; code++ {
			codes = append(codes, code)
		}
	}
	return codes
}

// maxSystemWords is the maximum number of words in the short name of a system.
const maxSystemWords = 6

// axisLetters are the letters of axes. In the title of a column, such a letter can be joined to the short name of a
// system, as in RDX or XRD. This is only recognised for the names in namesBesideLetters.
const axisLetters = "xyenrh"

var namesBesideLetters = wordSet("rd gk itm bng l93 lv95 lv03 eov jtsk")

// cutSystem finds the short name of a reference system in the words of a header. It returns the name, and the other
// words as rest. If there are several names, it returns the name with the most words. If there is none, name is "" and
// rest has all words.
func cutSystem(words []string) (name string, rest []string) {
	systems := loadShortSystems()
	for length := min(len(words), maxSystemWords); length > 0; length-- {
		for first := 0; first+length <= len(words); first++ {
			joined := strings.Join(words[first:first+length], "")
			before := words[:first]
			after := words[first+length:]
			if len(systems[joined]) > 0 {
				return joined, slices.Concat(before, after)
			}
			if system, letter, ok := cutAxisLetter(joined); ok {
				return system, slices.Concat(before, []string{letter}, after)
			}
		}
	}
	return "", words
}

// cutAxisLetter splits a word such as rdx into the short name of a system and the letter of an axis. ok is false if
// the word cannot be split in this way.
func cutAxisLetter(word string) (system, letter string, ok bool) {
	last := len(word) - 1
	if last < 2 {
		return "", "", false
	}
	if strings.IndexByte(axisLetters, word[last]) >= 0 && namesBesideLetters[word[:last]] {
		return word[:last], word[last:], true
	}
	if strings.IndexByte(axisLetters, word[0]) >= 0 && namesBesideLetters[word[1:]] {
		return word[1:], word[:1], true
	}
	return "", "", false
}

// systemNamedBy returns the EPSG codes for the short name of a reference system in a text, such as "Coordinates in RD".
// If the text has any word that is neither part of the name nor a common word for coordinates, it returns nil.
func systemNamedBy(text string) []int {
	if len(text) > maxTitle {
		return nil
	}
	name, rest := cutSystem(headerWords(text))
	for _, word := range rest {
		if !noiseWords[word] && !coordinateWords[word] {
			return nil
		}
	}
	return loadShortSystems()[name]
}

// systemsOf returns the systems with the given EPSG codes that a site may be in: its coordinates are in the area of use
// of the system. positions has the possible coordinates of the site, for example in both orders. at[i] is the position
// of the site in WGS 84 if its coordinates are in systems[i].
func systemsOf(codes []int, positions ...orb.Point) (systems []*crs.System, at []orb.Point) {
	for _, code := range codes {
		system, err := crs.FindCode(code)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(positions, func(p orb.Point) bool { return isInArea(system, p[0], p[1]) })
		if i < 0 {
			continue
		}
		converted, _ := placeIn(system, positions[i][0], positions[i][1])
		systems = append(systems, system)
		at = append(at, converted)
	}
	return systems, at
}

// useShortName recognises a short name such as RD, and uses the reference system with this name. It looks for the name
// in the titles of the coordinate columns, and then in texts. The coordinates of the first row must be in the area of
// use of the system.
//
// ok is false if there is no short name, or if no system with the name fits. If several systems fit, failed is an error
// that asks the user to choose one.
func (r *csvReader) useShortName(first orb.Point, texts []string) (failed *Error, ok bool) {
	positions := []orb.Point{first}
	canBeExchanged := r.layout.orderOpen || r.layout.isXY()
	if canBeExchanged { // the easting may be in the second column
		positions = append(positions, swapAxes(first))
	}
	systems, at := systemsOf(r.codesOfShortName(texts), positions...)
	if len(systems) == 0 {
		return nil, false
	}
	if len(systems) == 1 {
		r.out.useSystem(systems[0])
		return nil, true
	}
	return r.out.askSystemAmong(guessesOf(systems, at), ""), true
}

// codesOfShortName returns the EPSG codes for the short name of a system. It looks for the name in the titles of the
// coordinate columns, and then in the texts. It uses the first name that it finds.
func (r *csvReader) codesOfShortName(texts []string) []int {
	codes := loadShortSystems()[r.layout.systemOfColumns()]
	for _, text := range texts {
		if len(codes) > 0 {
			break
		}
		codes = systemNamedBy(text)
	}
	return codes
}

// guessesOf returns the systems as guesses for a question to the user. Systems with which the first site is near a town
// come first. at[i] is the position of this site in WGS 84 if its coordinates are in systems[i].
func guessesOf(systems []*crs.System, at []orb.Point) []Guess {
	var near, far []Guess
	for i, system := range systems {
		place := places.Lookup(at[i])
		if isAtTown(&place) {
			near = append(near, Guess{system.Code(), place.City})
		} else {
			far = append(far, Guess{system.Code(), ""})
		}
	}
	return append(near, far...)
}

// systemOfColumns returns the short name of the system in the names of the coordinate columns. It returns "" if they
// name no system, or if they name different systems.
func (l *tableLayout) systemOfColumns() string {
	north, east := l.axisNames()
	if north.system == east.system || east.system == "" {
		return north.system
	}
	if north.system == "" {
		return east.system
	}
	return ""
}

// hasZoneInName reports whether the title of a coordinate column says more about the reference system than the short
// name of the system, for example the number of a zone.
func (l *tableLayout) hasZoneInName() bool {
	for _, column := range []int{l.columns.Latitude, l.columns.Longitude} {
		name := l.finder.nameOf(column)
		if strings.TrimSpace(name.about) != name.system {
			return true
		}
	}
	return false
}

// isXY reports whether the coordinate columns are named X and Y. X can be the easting or the northing.
func (l *tableLayout) isXY() bool {
	lat, lng := l.axisNames()
	return !l.byValue && lat.letter == "y" && lng.letter == "x"
}

// pairedLetters are pairs of letters for an easting and a northing. A letter has this meaning only if the header has
// both letters of the pair: H without R is a height.
var pairedLetters = []struct{ east, north string }{
	{east: "r", north: "h"},
	{east: "rw", north: "hw"},
	{east: "m", north: "p"},
}

// findPairedLetters finds two columns that are named by pairedLetters, and uses them as easting and northing. Their
// names can also have the name of a reference system. It does nothing if the table has clearer names for coordinates.
func (h *headerFinder) findPairedLetters() {
	names := h.singleWords()
	for _, pair := range pairedLetters {
		east := slices.IndexFunc(names, func(n singleWord) bool { return n.word == pair.east })
		north := slices.IndexFunc(names, func(n singleWord) bool { return n.word == pair.north })
		if east < 0 || north < 0 || names[east].system != names[north].system {
			continue
		}
		system := names[east].system
		mayMeanMetres := pair.east == "m" && system == ""
		if mayMeanMetres {
			continue
		}
		if h.hasPositions() {
			return // with clearer names, R and H can mean red and height
		}
		h.columns[north].axis = &axisName{grid: true, weak: true, system: system}
		h.columns[east].axis = &axisName{axis: longitude, grid: true, weak: true, system: system}
		return
	}
}

// singleWord is the title of a column that is a single word, apart from the name of a reference system.
type singleWord struct {
	word   string // "" for a title of several words
	system string // short name of the system, or ""
}

// singleWords returns the singleWord of each column.
func (h *headerFinder) singleWords() []singleWord {
	names := make([]singleWord, len(h.columns))
	for i, column := range h.columns {
		if len(column.title) > maxTitle {
			continue
		}
		system, words := cutSystem(headerWords(column.title))
		words = removeNoise(words)
		if len(words) == 1 {
			names[i] = singleWord{words[0], system}
		}
	}
	return names
}

// removeNoise returns a copy of the words of a title without noiseWords. It keeps M, which can be the letter of an
// easting.
func removeNoise(words []string) []string {
	isNoise := func(word string) bool { return noiseWords[word] && word != "m" }
	return slices.DeleteFunc(slices.Clone(words), isNoise)
}

// hasPositions reports whether the titles name a latitude and a longitude, or a northing and an easting.
func (h *headerFinder) hasPositions() bool {
	return len(h.findDegreePositions()) > 0 || len(h.findGridPositions()) > 0
}

package kmlcsv

import (
	"slices"
	"strings"

	"github.com/paulmach/orb"
)

// cornerName is the parsed name of a column that has a corner of a site or an end of a line. For "Corner 2 Lat", the
// key is "2" and the stem is "corner lat".
type cornerName struct {
	key   string // identifies the corner: a number, a letter, a side such as "nw", "start" or "end"; "" for none
	stem  string // the words for a corner, a point or a coordinate in the name
	other bool   // the name also has other words, so it is no corner
}

func (n cornerName) isCorner() bool { return n.key != "" && !n.other }

var (
	// cornerWords are words for the corners of an area.
	cornerWords = wordSet(`corner corners eck ecke ecken eckpunkt eckpunkte vertex vertices vertice coin sommet esquina
		canto angolo hoek hoekpunt horn hjorne naroznik wierzcholek roh grenzpunkt boundary perimeter outline`)
	// pointWords are words for the points of an area or of a line.
	pointWords = wordSet("point points punkt punkte punto ponto pt p node bod latlon latlng lonlat lnglat")

	startWords = wordSet("start from von begin beginn anfang debut inicio inizio")
	endWords   = wordSet("end to bis ende stop finish fin final fine")
)

// sideNames maps names of the corners of a rectangle to compass letters such as "nw". The O in "no" and "so" is
// ambiguous; see sideOfCorner.
var sideNames = map[string]string{
	"northwest": "nw", "northeast": "ne", "southeast": "se", "southwest": "sw",
	"nordwest": "nw", "nordost": "ne", "sudost": "se", "suedost": "se", "sudwest": "sw", "suedwest": "sw",
	"upperleft": "nw", "upperright": "ne", "lowerright": "se", "lowerleft": "sw",
	"topleft": "nw", "topright": "ne", "bottomright": "se", "bottomleft": "sw",
	"obenlinks": "nw", "obenrechts": "ne", "untenrechts": "se", "untenlinks": "sw",
	"ul": "nw", "ur": "ne", "lr": "se", "ll": "sw", "tl": "nw", "tr": "ne", "br": "se", "bl": "sw",
	"nw": "nw", "ne": "ne", "se": "se", "sw": "sw", "no": "no", "so": "so", "min": "sw", "max": "ne",
}

// parseCornerName parses the words in the name of a column. The name need not have a word for a coordinate, such as
// "lat".
func parseCornerName(words []string) (n cornerName) {
	words = joinSides(words)
	var stem []string
	for _, word := range words {
		key := cornerKey(word)
		if key != "" && n.key == "" && !pointWords[word] {
			n.key = key
			continue
		}
		isAxis := latitudeWords[word] || longitudeWords[word]
		if isAxis || cornerWords[word] || pointWords[word] || noiseWords[word] {
			stem = append(stem, word)
		} else {
			n.other = true
		}
	}
	n.stem = strings.Join(stem, " ")
	return n
}

// cornerKey returns a key for a word that identifies a corner or an end: "nw" for "northwest", "start" for "from",
// and "2" for "02" and "2nd". It returns "" for other words.
func cornerKey(word string) string {
	if side := sideNames[word]; side != "" {
		return side
	}
	if startWords[word] {
		return "start"
	}
	if endWords[word] {
		return "end"
	}
	isCornerLetter := len(word) == 1 && word[0] >= 'a' && word[0] <= 'h'
	if isCornerLetter {
		return word
	}
	number := strings.TrimLeft(word, "0")
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		number = strings.TrimSuffix(number, ending)
	}
	isNumber := number != "" && strings.Trim(number, "0123456789") == ""
	if isNumber && len(number) <= 3 {
		return number
	}
	return ""
}

// joinSides replaces two words that together name a corner by its compass letters: "north west" and "upper left"
// become "nw".
func joinSides(words []string) []string {
	var joined []string
	for i := 0; i < len(words); i++ {
		hasNext := i+1 < len(words)
		isLetter := len(words[i]) == 1
		if hasNext && !isLetter {
			if side := sideNames[words[i]+words[i+1]]; side != "" {
				joined = append(joined, side)
				i++ // the next word is joined
				continue
			}
		}
		joined = append(joined, words[i])
	}
	return joined
}

// outline says how the positions of a row are combined into a line or into the boundary of an area.
type outline struct {
	order      []int // indexes of the positions in the order around the area; nil for the order of the columns
	isBox      bool  // the two positions are opposite corners of a rectangle
	isNamedBox bool  // isBox is certain, because the positions have names such as NW and SE
}

// newOutline returns the outline for positions with the given names.
func newOutline(names []cornerName) outline {
	sides := sidesOfCorners(names)
	hasAllSides := !slices.Contains(sides, "")
	if len(names) != 2 {
		if !hasAllSides {
			return outline{}
		}
		return outline{order: orderOfSides(sides)}
	}
	if hasAllSides {
		areOpposite := opposites[sides[0]] == sides[1]
		return outline{isBox: areOpposite, isNamedBox: areOpposite}
	}
	// If an area has only two corners, such as Corner 1 and Corner 2, they must be opposite.
	areCorners := cornerWords[names[0].stem] && names[0].stem == names[1].stem
	return outline{isBox: areCorners}
}

// sidesOfCorners returns the compass letters of each corner: nw, ne, se or sw. They are "" for a corner with another
// kind of name, such as a number.
func sidesOfCorners(names []cornerName) []string {
	hasE := slices.ContainsFunc(names, func(n cornerName) bool { return n.key == "ne" || n.key == "se" })
	sides := make([]string, len(names))
	for i, name := range names {
		sides[i] = sideOfCorner(name.key, hasE)
	}
	return sides
}

// orderOfSides returns the indexes of the corners in clockwise order. sides has the compass letters of each corner.
// The result is nil if two corners have the same letters.
func orderOfSides(sides []string) []int {
	var order []int
	for _, side := range []string{"nw", "ne", "se", "sw"} {
		if i := slices.Index(sides, side); i >= 0 {
			order = append(order, i)
		}
	}
	if len(order) < len(sides) {
		return nil
	}
	return order
}

var opposites = map[string]string{"nw": "se", "se": "nw", "ne": "sw", "sw": "ne"}

// sideOfCorner returns nw, ne, se or sw for the key of a corner, or "" for other keys. The keys "no" and "so" are
// ambiguous. If another corner of the table has an E for east, which hasE says, their O means west, as in Spanish.
// Otherwise it means east, as in German.
func sideOfCorner(key string, hasE bool) string {
	if key == "no" || key == "so" {
		if hasE {
			return key[:1] + "w"
		}
		return key[:1] + "e"
	}
	if opposites[key] != "" {
		return key
	}
	return ""
}

// arrange returns the positions of a row in the order of the outline. It leaves out each position whose isGiven is
// false, because the row does not have it.
func (o *outline) arrange(points []orb.Point, isGiven []bool) []orb.Point {
	order := o.order
	if order == nil {
		for i := range points {
			order = append(order, i)
		}
	}
	var arranged []orb.Point
	for _, i := range order {
		if isGiven[i] {
			arranged = append(arranged, points[i])
		}
	}
	return arranged
}

package crs

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

var (
	codeText = regexp.MustCompile(`^(?:(?i:EPSG|ESRI|SRID|CRS)\s*[:=# /]*)?([0-9]{4,6})$`)
	urnText  = regexp.MustCompile(`(?i)(?:urn:(?:x-)?ogc:def:crs|opengis\.net/(?:def/crs|gml/srs))[:/]+` +
		`(?:(EPSG|ESRI|OGC)[:/.]+(?:xml#)?(?:[0-9.]*[:/])?)?(CRS84|[0-9]{4,6})$`)
	epsgText   = regexp.MustCompile(`(?i)\b(?:EPSG|ESRI|SRID)["\s,:/=#]*(?:[0-9.]+[:/])?:?"?([0-9]{4,6})\b`)
	headerCode = regexp.MustCompile(`^(?i:x|y|e|n|east|north|easting|northing|rechts|hoch|rechtswert|hochwert|` +
		`ostwert|nordwert|crs|srs|koord|coord|coords)[_ .:(-]*([0-9]{4,6})\)?$`)
)

// Find returns the system that a query describes. The query is a code ("EPSG:25832", "25832",
// "urn:ogc:def:crs:EPSG::25832"), or a name or alias in the registry ("ETRS89 / UTM zone 32N",
// "NAD_1983_UTM_Zone_11N"). It can also be a part of a name or a short name, if only one system fits ("UTM 32N",
// "GK4", "LV95", "MGA2020 z55"). If several systems fit, the error lists them. If no system fits, the error is an
// [*UnknownError].
func Find(query string) (*System, error) {
	query = strings.TrimSpace(query)
	if code := codeIn(query); code != 0 {
		return FindCode(code)
	}
	if code := shorthand(words(query)); code != 0 {
		return FindCode(code)
	}
	if found := loadIndex().systems[fold(query)]; len(found) > 0 {
		return systemAt(preferred(found))
	}
	const maxListed = 5
	found := Search(query, maxListed)
	if len(found) == 0 {
		return nil, &UnknownError{
			Problem: fmt.Sprintf("no reference system is called %q", shorten(query)),
			advice:  "give its EPSG code",
		}
	}
	if len(found) == 1 {
		return systemAt(found[0].index)
	}
	isOnlyExactMatch := found[0].rank <= exactRank && found[1].rank > found[0].rank
	if isOnlyExactMatch {
		return systemAt(found[0].index)
	}
	var names []string
	for _, m := range found {
		names = append(names, m.Reference()+" ("+m.Name()+")")
	}
	return nil, fmt.Errorf("%q fits several reference systems: %s; give the code",
		shorten(query), strings.Join(names, ", "))
}

// maxQuery is the maximum length of a query in bytes.
const maxQuery = 400

func shorten(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}

// codeIn returns the code if the query is a code such as "EPSG:25832", otherwise 0.
func codeIn(query string) int {
	if m := codeText.FindStringSubmatch(query); m != nil {
		return atoi(m[1])
	}
	if strings.EqualFold(query, "OGC:CRS84") {
		return 4326
	}
	m := urnText.FindStringSubmatch(query)
	if m == nil {
		return 0
	}
	if strings.EqualFold(m[2], "CRS84") {
		return 4326
	}
	return atoi(m[2])
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // the text was matched as digits
	return n
}

// preferred chooses among systems with the same name, which are given by their indexes in the registry. It returns the
// first system that is not deprecated. If all are deprecated, it returns the first of them. EPSG's systems come before
// Esri's.
func preferred(found []int) int {
	g := loadRegistry()
	best := found[0]
	for _, i := range found[1:] {
		if g.records[best].deprecated && !g.records[i].deprecated {
			best = i
		}
	}
	return best
}

// utmDatum describes the UTM zones on a datum. The EPSG code of a zone is the zone number plus a constant.
type utmDatum struct {
	name         string // name of the datum as users write it before "UTM", in the form that fold returns
	first, last  int    // numbers of the first and the last zone
	north, south int    // constants for the two hemispheres; south is 0 if the datum has no southern zones
}

// utmDatums are the datums that have consecutive codes for their UTM zones.
var utmDatums = []utmDatum{
	{"etrs89", 28, 38, 25800, 0},
	{"etrs1989", 28, 38, 25800, 0},
	{"etrs", 28, 38, 25800, 0},
	{"nad83", 1, 23, 26900, 0},
	{"nad1983", 1, 23, 26900, 0},
	{"nad27", 1, 22, 26700, 0},
	{"nad1927", 1, 22, 26700, 0},
	{"ed50", 28, 38, 23000, 0},
	{"wgs72", 1, 60, 32200, 32300},
	{"wgs84", 1, 60, 32600, 32700},
	{"wgs1984", 1, 60, 32600, 32700},
	{"", 1, 60, 32600, 32700},
}

// shorthand returns the code of a system that users write in a short form: as UTM or MGA with a zone, or by a nickname
// such as GK4. tokens are the words of the query. The result is 0 if they are not a short form.
func shorthand(tokens []string) int {
	if at := slices.Index(tokens, "utm"); at >= 0 && at+1 < len(tokens) {
		datum := strings.Join(tokens[:at], "")
		return utmShorthand(datum, tokens[at+1:])
	}
	if at := slices.Index(tokens, "mga"); at >= 0 {
		return mgaShorthand(tokens)
	}
	return nicknames[strings.Join(tokens, "")]
}

// utmShorthand returns the code of a UTM zone. For the datum "wgs84" and the words "zone", "33" and "s", it returns
// 32733. It returns 0 if the words are not a zone, or if the datum does not have this zone. words must not be empty.
func utmShorthand(datum string, words []string) int {
	if words[0] == "zone" || words[0] == "z" {
		words = words[1:]
	}
	if len(words) == 0 || len(words) > 2 {
		return 0
	}
	number := words[0]
	hemisphere := "n" // if there is no letter after the number
	if len(words) == 2 {
		hemisphere = words[1]
	}
	if hemisphere != "n" && hemisphere != "s" {
		return 0
	}
	zone, err := strconv.Atoi(number)
	if err != nil || len(number) > 2 {
		return 0
	}
	i := slices.IndexFunc(utmDatums, func(d utmDatum) bool { return d.name == datum })
	if i < 0 {
		return 0
	}
	return utmDatums[i].codeOf(zone, hemisphere)
}

// codeOf returns the code of a zone, or 0 if the datum does not have the zone. hemisphere is "n" or "s".
func (d *utmDatum) codeOf(zone int, hemisphere string) int {
	if zone < d.first || zone > d.last {
		return 0
	}
	if hemisphere == "n" {
		return d.north + zone
	}
	if d.south == 0 {
		return 0
	}
	return d.south + zone
}

// mgaShorthand returns the code of a zone of the Map Grid of Australia, such as 7855 for "MGA2020 z55" and 28355 for
// "GDA94 MGA 55" or "MGA 55". It returns 0 if no word is a zone, or if a word is unknown.
func mgaShorthand(words []string) int {
	base := 28300 // on the datum GDA94
	zone := 0
	for _, word := range words {
		isZone := len(word) == 2 && "46" <= word && word <= "59"
		if isZone {
			zone = atoi(word)
		} else if word == "2020" {
			base = 7800
		} else if !slices.Contains([]string{"mga", "gda", "zone", "z", "94", "1994"}, word) {
			return 0
		}
	}
	if zone == 0 {
		return 0
	}
	return base + zone
}

// Match is a system that fits the query of a search.
type Match struct {
	*System
	rank int // lower is better
}

// The rank of a match is the number of words that only the name of the system has, and not the query. The penalties
// below are added to this number.
const (
	noMatch       = -1 // result of rankOf
	shorthandRank = -1
	exactRank     = 0
	aliasPenalty  = 1 // added to the rank of an alias
	esriPenalty   = 3 // added to the rank of Esri's systems
)

// fillers are words of a query that the name of a system need not have.
var fillers = map[string]bool{
	"zone": true, "z": true, "epsg": true, "crs": true, "coordinate": true, "coordinates": true, "system": true,
	"projection": true, "the": true, "of": true, "grid": true,
}

// Search returns at most limit systems that fit a query, best first. The words of the query must be in the name or in
// an alias of the system, or the query must be its code. Deprecated systems and systems with an unsupported
// projection are left out.
func Search(query string, limit int) []Match {
	if len(query) > maxQuery {
		return nil
	}
	if code := codeIn(strings.TrimSpace(query)); code != 0 {
		if s, err := FindCode(code); err == nil {
			return []Match{{s, exactRank}}
		}
		return nil
	}
	wanted := expand(words(query))
	if len(wanted) == 0 {
		return nil
	}
	found := searchNames(wanted)
	if code := shorthand(words(query)); code != 0 {
		if s, err := FindCode(code); err == nil {
			found = append(found, Match{s, shorthandRank})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].rank < found[j].rank })
	return keepComputable(found, limit)
}

// expand replaces the abbreviation "gk" by the words gauss and kruger, and removes fillers.
func expand(tokens []string) []string {
	var wanted []string
	for _, token := range tokens {
		switch {
		case token == "gk":
			wanted = append(wanted, "gauss", "kruger")
		case !fillers[token]:
			wanted = append(wanted, token)
		}
	}
	return wanted
}

// searchNames returns a match for each system in the registry that has all wanted words in its name or in an alias. It
// does not load the systems: each match has a [System] with only its index in the registry.
func searchNames(wanted []string) []Match {
	g := loadRegistry()
	names := loadFoldedNames()
	aliases := loadFoldedAliases()
	var found []Match
	for i, r := range g.records {
		if r.deprecated {
			continue
		}
		if !hasAll(names[i], wanted) && !hasAll(aliases[i], wanted) { // fast check, before words are compared
			continue
		}
		rank := bestRank(wanted, names[i], aliases[i])
		if rank == noMatch {
			continue
		}
		if i >= g.esri {
			rank += esriPenalty
		}
		found = append(found, Match{&System{index: i}, rank})
	}
	return found
}

// bestRank returns the best rank of a name and its aliases for the wanted words, or noMatch. aliases has all aliases,
// with tabs between them.
func bestRank(wanted []string, name, aliases string) int {
	best := rankOf(wanted, name)
	for alias := range strings.SplitSeq(aliases, "\t") {
		rank := rankOf(wanted, alias)
		if rank == noMatch {
			continue
		}
		rank += aliasPenalty
		if best == noMatch || rank < best {
			best = rank
		}
	}
	return best
}

// hasAll reports whether a text contains all wanted words. A part of a longer word also counts.
func hasAll(text string, wanted []string) bool {
	for _, token := range wanted {
		if !strings.Contains(text, token) {
			return false
		}
	}
	return true
}

// rankOf ranks how well a name fits the wanted words: the rank is the number of additional words in the name. It
// returns noMatch if a wanted word is not in the name. The last wanted word may be the beginning of a word, because
// the user may still be typing: "etrs89 lam" fits "ETRS89 / Lambert", but not "ETRS89 / LAEA Europe".
func rankOf(wanted []string, name string) int {
	if name == "" {
		return noMatch
	}
	words := splitFolded(name)
	extra := -len(wanted)
	for _, word := range words {
		if !fillers[word] {
			extra++
		}
	}
	for i, word := range wanted {
		if slices.Contains(words, word) {
			continue
		}
		isLast := i == len(wanted)-1
		if !isLast || !isBeginning(word, words) {
			return noMatch
		}
		extra++ // makes the rank worse than that of a name with exactly this word
	}
	return max(extra, noMatch)
}

// isBeginning reports whether one of the words begins with a text. The text must have at least three letters.
func isBeginning(text string, words []string) bool {
	if len(text) <= 2 {
		return false
	}
	return slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, text) })
}

// keepComputable loads the systems of matches, and returns the first matches, at most limit. It leaves out repeated
// systems and systems that cannot be computed, for instance because their projection is not supported.
func keepComputable(found []Match, limit int) []Match {
	var kept []Match
	seen := map[int]bool{}
	for _, m := range found {
		if len(kept) == limit {
			break
		}
		if seen[m.index] {
			continue
		}
		seen[m.index] = true
		if s, err := systemAt(m.index); err == nil {
			kept = append(kept, Match{s, m.rank})
		}
	}
	return kept
}

// Mentioned returns the system that a text mentions, or nil. The text can be a title, a header or a file name. It can
// mention a system by its name, or by a code after "EPSG". A number without "EPSG" counts as a code only after a word
// for a coordinate, as in "x_25832".
func Mentioned(text string) *System {
	if len(text) > maxQuery {
		text = text[:maxQuery]
	}
	text = strings.TrimSpace(text)
	code := mentionedCode(text)
	if code == 0 {
		return nil
	}
	s, err := FindCode(code)
	if err != nil {
		return nil
	}
	return s
}

// mentionedCode returns the code of the system that a text mentions, or 0.
func mentionedCode(text string) int {
	if code := codeIn(text); code != 0 {
		return code
	}
	if found := epsgText.FindAllStringSubmatch(text, -1); found != nil {
		return atoi(found[len(found)-1][1]) // well-known text has the code of the whole system at its end
	}
	if m := headerCode.FindStringSubmatch(text); m != nil {
		return atoi(m[1])
	}
	return mentionedName(words(text))
}

// maxNameWords is the maximum number of words that a name of a system has.
const maxNameWords = 14

// mentionedName returns the code of the system whose name is among the words of a text, or 0. If several names are
// among the words, the longest wins.
func mentionedName(tokens []string) int {
	for length := min(len(tokens), maxNameWords); length > 0; length-- {
		for first := 0; first+length <= len(tokens); first++ {
			window := tokens[first : first+length]
			if code := shorthand(window); code != 0 && isDistinct(window) {
				return code
			}
			if length == 1 {
				continue
			}
			if code := projectedNamed(strings.Join(window, "")); code != 0 {
				return code
			}
		}
	}
	return 0
}

// isDistinct reports whether a nickname of a system that was found in a text is distinctive enough to mean this system.
// Short nicknames can also be ordinary words. window are the words of the nickname.
func isDistinct(window []string) bool {
	name := strings.Join(window, "")
	return len(name) >= 4 && name != "krovak" || len(window) > 1
}

// projectedNamed returns the code of the projected system with the given name, or 0. name must be in the form that
// fold returns. Names without a digit are ignored, because they can be ordinary words.
func projectedNamed(name string) int {
	if len(name) < 7 || !strings.ContainsAny(name, "0123456789") {
		return 0
	}
	g := loadRegistry()
	found := loadIndex().systems[name]
	if len(found) == 0 {
		return 0
	}
	if i := preferred(found); g.records[i].projected {
		return g.records[i].code
	}
	return 0
}

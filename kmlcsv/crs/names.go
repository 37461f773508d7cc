package crs

import (
	"strings"
	"sync"
	"unicode"
)

// words splits a text into its words and numbers, in lower case and without accents: "Gauß-Krüger Zone4" becomes
// gauss, kruger, zone and 4.
func words(text string) []string { return splitFolded(foldLetters(text)) }

func splitFolded(text string) []string {
	var found []string
	start := 0
	folded := []rune(text)
	for i := 1; i <= len(folded); i++ {
		if i < len(folded) && kindOf(folded[i]) == kindOf(folded[start]) {
			continue
		}
		if kindOf(folded[start]) != kindOther {
			found = append(found, string(folded[start:i]))
		}
		start = i
	}
	return found
}

// The kinds of characters in a name.
const (
	kindOther = iota
	kindLetter
	kindDigit
)

func kindOf(r rune) int {
	switch {
	case unicode.IsLetter(r):
		return kindLetter
	case unicode.IsDigit(r):
		return kindDigit
	case r == '+': // CH1903+ is a different datum from CH1903
		return kindLetter
	}
	return kindOther
}

var foldedLetters = strings.NewReplacer(
	"ä", "a", "á", "a", "à", "a", "â", "a", "ã", "a", "å", "a", "ą", "a", "æ", "ae",
	"ç", "c", "ć", "c", "č", "c", "ď", "d", "đ", "d", "é", "e", "è", "e", "ê", "e", "ë", "e", "ę", "e", "ě", "e",
	"í", "i", "ì", "i", "î", "i", "ï", "i", "ı", "i", "ł", "l", "ñ", "n", "ń", "n", "ň", "n",
	"ö", "o", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ø", "o", "ő", "o", "œ", "oe", "ř", "r",
	"ś", "s", "š", "s", "ş", "s", "ß", "ss", "ť", "t", "ü", "u", "ú", "u", "ù", "u", "û", "u", "ů", "u", "ű", "u",
	"ý", "y", "ź", "z", "ż", "z", "ž", "z", "kruege", "kruge",
)

func foldLetters(text string) string { return foldedLetters.Replace(strings.ToLower(text)) }

// The names of systems, in lower case and without diacritics.
var (
	loadFoldedNames = sync.OnceValue(func() []string {
		return strings.Split(foldLetters(strings.Join(loadNames(), "\n")), "\n")
	})
	loadFoldedAliases = sync.OnceValue(func() []string {
		return strings.Split(foldLetters(strings.Join(loadAliases(), "\n")), "\n")
	})
)

// fold simplifies a name so that it can be compared. It joins the words of the name: "WGS 84 / UTM zone 32N" becomes
// wgs84utmzone32n.
func fold(text string) string { return strings.Join(words(text), "") }

// index finds systems and datums by their names. The names are in the form that fold returns, and the systems are
// given by their indexes in the registry.
type index struct {
	systems map[string][]int // systems by their names and aliases
	datums  map[string]int   // for the name of a datum: a geographic system on this datum
}

var loadIndex = sync.OnceValue(func() *index {
	g := loadRegistry()
	names := loadNames()
	aliases := loadAliases()
	x := &index{systems: make(map[string][]int, 2*len(names)), datums: make(map[string]int, 2000)}
	for i := range g.records {
		x.addSystem(names[i], i)
		for alias := range strings.SplitSeq(aliases[i], "\t") {
			x.addSystem(alias, i)
		}
	}
	for i, r := range g.records {
		if r.projected {
			continue
		}
		for name := range strings.SplitSeq(aliases[len(g.records)+r.datum], "\t") {
			x.addDatum(g, name, i)
		}
		x.addDatum(g, names[i], i)
		for alias := range strings.SplitSeq(aliases[i], "\t") {
			x.addDatum(g, alias, i)
		}
	}
	return x
})

func (x *index) addSystem(name string, record int) {
	key := fold(name)
	found := x.systems[key]
	if key == "" || len(found) > 0 && found[len(found)-1] == record {
		return
	}
	x.systems[key] = append(found, record)
}

// addDatum adds a geographic system to the index under a name of its datum. If the index already has a system under
// this name, it keeps that system. The only exception is a deprecated system, which is replaced by a system that is not
// deprecated.
func (x *index) addDatum(g *registry, name string, record int) {
	key := fold(name)
	before, ok := x.datums[key]
	if key == "" || ok && (!g.records[before].deprecated || g.records[record].deprecated) {
		return
	}
	x.datums[key] = record
}

// nicknames maps short and popular names of systems to codes. The names are in the form that fold returns.
var nicknames = map[string]int{
	"wgs84": 4326, "crs84": 4326, "gps": 4326, "wgs1984": 4326, "etrs89": 4258, "nad83": 4269, "nad27": 4267,
	"webmercator": 3857, "pseudomercator": 3857, "googlemercator": 3857, "sphericalmercator": 3857,
	"britishnationalgrid": 27700, "osgb": 27700, "osgb36": 27700, "osgb1936": 27700, "osnationalgrid": 27700, "bng": 27700,
	"irishtransversemercator": 2157, "itm": 2157, "irishgrid": 29903, "irishnationalgrid": 29903,
	"lambert93": 2154, "l93": 2154, "rgf93lambert93": 2154,
	"rdnew": 28992, "rijksdriehoek": 28992, "rijksdriehoekstelsel": 28992, "amersfoortrdnew": 28992,
	"lambert72": 31370, "belgianlambert72": 31370, "lambert2008": 3812, "belgianlambert2008": 3812,
	"lv95": 2056, "lv03": 21781, "ch1903+lv95": 2056, "ch1903lv03": 21781, "swissgrid": 2056, "mn95": 2056, "mn03": 21781,
	"sweref99tm": 3006, "tm35fin": 3067, "etrstm35fin": 3067, "rt90": 3021, "kkj": 2393,
	"polandcs92": 2180, "puwg1992": 2180, "pl1992": 2180, "cs92": 2180,
	"gk2": 31466, "gk3": 31467, "gk4": 31468, "gk5": 31469,
	"gausskruger2": 31466, "gausskruger3": 31467, "gausskruger4": 31468, "gausskruger5": 31469,
	"gausskrugerzone2": 31466, "gausskrugerzone3": 31467, "gausskrugerzone4": 31468, "gausskrugerzone5": 31469,
	"gausskrugerstreifen2": 31466, "gausskrugerstreifen3": 31467,
	"gausskrugerstreifen4": 31468, "gausskrugerstreifen5": 31469,
	"gkzone2": 31466, "gkzone3": 31467, "gkzone4": 31468, "gkzone5": 31469,
	"nztm": 2193, "nztm2000": 2193, "nzmg": 27200, "krovak": 5514, "sjtsk": 5514, "eov": 23700, "hd72eov": 23700,
	"stereo70": 31700, "htrs96tm": 3765, "htrs96": 3765, "d96tm": 3794, "greekgrid": 2100, "ggrs87": 2100, "egsa87": 2100,
	"lest97": 3301, "lks92": 3059, "lks94": 3346, "itm1": 2039, "israeltm": 2039, "israelitm": 2039,
	"ptm06": 3763, "etrs89ptm06": 3763, "pttm06": 3763, "austrialambert": 31287, "mgiaustrialambert": 31287,
	"svy21": 3414, "hk80": 2326, "hongkong1980grid": 2326, "hk1980": 2326, "twd97": 3826, "vn2000": 4756,
	"gda94": 4283, "gda2020": 7844, "conusalbers": 5070, "laeaeurope": 3035, "etrs89laea": 3035, "bcalbers": 3005,
	"magnasirgasorigennacional": 9377, "origennacional": 9377, "sirgas2000": 4674,
}

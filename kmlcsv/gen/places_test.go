package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// Three squares side by side: two parts of country AA, then BB, which is
// smaller; its own subterritory and an unofficial code within AA.
const threeSquares = `{"features": [
  {"properties": {"iso1A2": "AA", "nameEn": "Aland"}, "geometry": null},
  {"properties": {"nameEn": "West", "country": "AA"}, "geometry": {"coordinates": [[[[0,0],[1,0],[1,1],[0,1],[0,0]]]]}},
  {"properties": {"iso1A2": "AX", "isoStatus": "excRes", "nameEn": "East", "country": "AA"},
   "geometry": {"coordinates": [[[[1,0],[2,0],[2,1],[1,1],[1,0]]]]}},
  {"properties": {"iso1A2": "BB", "nameEn": "Bland", "iso1N3": "002"},
   "geometry": {"coordinates": [[[[2,0],[3,0],[3,1],[2,1],[2,0]]]]}},
  {"properties": {"wikidata": "Q1", "nameEn": "Nobody's"}, "geometry": {"coordinates": [[[[8,0],[9,0],[9,1],[8,0]]]]}}
]}`

func TestBordersWithinACountryAreLeftOut(t *testing.T) {
	w := &world{}
	w.readBorders([]byte(threeSquares))
	var codes []string
	for _, c := range w.countries {
		codes = append(codes, c.code)
	}
	if !slices.Equal(codes, []string{"BB", "AA"}) {
		t.Errorf("from the smallest the countries are %v", codes)
	}
	count := map[[2]uint8]int{}
	for _, b := range w.borders {
		count[b.sides]++
	}
	bb, aa := w.id["BB"], w.id["AA"]
	if count[[2]uint8{aa, 0}] != 5 || count[[2]uint8{bb, 0}] != 3 || count[[2]uint8{aa, bb}] != 1 || len(count) != 3 {
		t.Errorf("edges by sides: %v", count)
	}
}

func TestOverridesAndTerritories(t *testing.T) {
	known := map[string]*country{"GG": {}, "GB": {}}
	for _, c := range []struct{ iso, wikidata, group, country, want string }{
		{"", "Q7835", "151", "RU", "UA"},
		{"", "Q23681", "145", "", "CY"},
		{"CQ", "Q3405693", "GG", "GB", "GG"},
		{"", "Q21", "150", "GB", "GB"},
		{"GB", "Q145", "", "", "GB"},
		{"", "Q620634", "015", "", ""},
	} {
		var f feature
		f.Properties.ISO, f.Properties.Wikidata = c.iso, c.wikidata
		f.Properties.Groups, f.Properties.Country = []string{c.group}, c.country
		if got := codeOf(&f, known); got != c.want {
			t.Errorf("%s %s is of %q, want %q", c.iso, c.wikidata, got, c.want)
		}
	}
}

// message is a protocol buffer with its length before it.
func message(id int64, name, country, feature string, population uint64, dx, dy int64) []byte {
	signed := func(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }
	var b []byte
	text := func(tag uint64, s string) {
		b = binary.AppendUvarint(b, tag<<3|2)
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	number := func(tag, v uint64) {
		b = binary.AppendUvarint(b, tag<<3)
		b = binary.AppendUvarint(b, v)
	}
	number(1, signed(id))
	text(2, name)
	text(3, country)
	text(4, "ignored")
	text(7, feature)
	number(9, population)
	number(10, signed(dx))
	number(11, signed(dy))
	return append(binary.AppendUvarint(nil, uint64(len(b))), b...)
}

func TestReadPlaces(t *testing.T) {
	src := slices.Concat(
		message(20, "  Second \t", "BB", "PPL", 5000, 1_000_000, -2_000_000),
		message(10, "First", "AA", "PPLX", 100, -500_000, 100_000))
	got := readPlaces(src)
	want := []place{
		{20, "Second", "BB", "PPL", 5000, 1_000_000, -2_000_000},
		{10, "First", "AA", "PPLX", 100, 500_000, -1_900_000},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestOnlyTownsAreKept(t *testing.T) {
	w := &world{id: map[string]uint8{"AA": 1}}
	places := []place{
		{1, "Village", "AA", "PPL", 999, 0, 0},
		{2, "Quarter", "AA", "PPLX", 50_000, 0, 0},
		{3, "Two words", "AA", "PPL", 1000, 17_999_999, 8_999_999},
		{4, "Elsewhere", "ZZ", "PPL", 1_000_000, -18_000_000, -9_000_000},
	}
	table, names := w.encodeCities(places)
	// Elsewhere is in the first cell, at its corner; the other in the last.
	filled := make([]byte, rows*columns/8)
	filled[0], filled[len(filled)-1] = 1, 0x80
	want := slices.Concat([]byte{2, 2}, filled, []byte{1, 1, 166, 0},
		[]byte{0, 0, 0, 0, 0x60, 0x0a},       // 166 << 36
		[]byte{0x3f, 0x7e, 0x9d, 0x1f, 0, 0}, // 359,999 | 499 << 19 | 1 << 28
		[]byte{0, 0}, []byte{9, 9})
	if !bytes.Equal(table, want) || len(names) != 1 || string(names[0]) != "ElsewhereTwo words" {
		t.Errorf("wrote %x … %x, want %x; names %q", table[:2], table[2+len(filled):], want[2+len(filled):], names)
	}
}

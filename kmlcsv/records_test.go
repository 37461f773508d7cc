package kmlcsv

import (
	"encoding/csv"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func readRecords(data string, delim byte) (rows [][]string, numbers []int, open bool) {
	r := recordReader{data: []byte(data), delim: delim}
	for r.nextRecord() {
		var row []string
		for _, f := range r.fields {
			row = append(row, string(f))
		}
		rows, numbers = append(rows, row), append(numbers, r.row)
	}
	return rows, numbers, r.hasOpenQuote
}

// TestRecordsAgainstEncodingCSV compares the records of random texts with those of encoding/csv.
func TestRecordsAgainstEncodingCSV(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	read := 0
	for range 20_000 {
		var text strings.Builder
		for range r.IntN(30) {
			text.WriteString([]string{"a", "b c", ",", ";", "\"", "\"\"", "\n", "\r\n", " ", "é", "\"x\""}[r.IntN(11)])
		}
		reader := csv.NewReader(strings.NewReader(text.String()))
		reader.FieldsPerRecord = -1
		want, err := reader.ReadAll()
		if err != nil {
			continue
		}
		read++
		rows, _, open := readRecords(text.String(), ',')
		var got [][]string
		for _, row := range rows {
			if len(row) == 1 && row[0] == "" {
				continue // encoding/csv leaves out blank lines, and nothing else is read so
			}
			for i := range row {
				row[i] = strings.ReplaceAll(row[i], "\r\n", "\n") // so does encoding/csv inside quotes
			}
			got = append(got, row)
		}
		want = withoutBlank(want)
		if open || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %q, want %q", text.String(), got, want)
		}
	}
	if read < 2000 {
		t.Errorf("only %d texts are CSV", read)
	}
}

func withoutBlank(rows [][]string) (out [][]string) {
	for _, row := range rows {
		if len(row) != 1 || row[0] != "" {
			out = append(out, row)
		}
	}
	return out
}

func TestRecords(t *testing.T) {
	for text, want := range map[string][][]string{
		"a,b\r\rc":             {{"a", "b"}, {""}, {"c"}},
		"a\n":                  {{"a"}},
		",\n,":                 {{"", ""}, {"", ""}},
		"\"a\"b,c":             {{"ab", "c"}},
		"\"a\"\"b\"\"\",c":     {{"a\"b\"", "c"}},
		"a\"b\"\n":             {{"a\"b\""}},
		"\"a\rb\nc\"\n\"\",\"": {{"a\rb\nc"}},
	} {
		if got, _, _ := readRecords(text, ','); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	_, numbers, open := readRecords("a\n\n\"b\nc\"\r\nd\n\"e", ',')
	if !reflect.DeepEqual(numbers, []int{1, 2, 3, 4}) || !open {
		t.Errorf("rows %v, open %t", numbers, open)
	}
}

func TestDelimiter(t *testing.T) {
	for text, want := range map[string]byte{
		"name,lat,lng\nA,1,2\n":                       ',',
		"name;lat;lng\nA;1,5;2,5\n":                   ';',
		"name\tlat\tlng\nA, B\t1\t2\n":                '\t',
		"name|lat|lng\nA|1|2\n":                       '|',
		"name,points\nF,\"1,2; 3,4; 5,6\"\n":          ',',
		"name;points\nF;\"1,2; 3,4; 5,6\"\n":          ';',
		"a,b;c\n1;2\n3;4\n":                           ';',
		"wkt\nPOINT (1 2)\n":                          0,
		",\"":                                         ',',
		"\"":                                          0,
		"name,lat,lng\nA,1,2,x\nB,1\n\n,,\nC,1,2\n":   ',',
		"\"a;b;c\",lat,lng\n\"d;e;f\",1,2\n":          ',',
		"name;note;lat;lng\nA;b, c, d, e;50,5;10,5\n": ';',
	} {
		if got := delimiterOf([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzCSV looks for CSV files with the faults that FuzzKML looks for.
func FuzzCSV(f *testing.F) {
	f.Add(Template())
	for _, text := range []string{
		"name;lat;lng\nKöln;50,9375;6,9603\n", "sep=|\nname|lat|lng\n\"A\"|50°30'15\"\"N|W 10.5\n",
		"site,seq,lat,lng\nF,1,50,10\nF,3,50.01,10.01\nF,2,50,10.01\n", "lat,lng\n151,-33\n95,200\n,\n",
		"name,wkt\nF,\"SRID=4326;MULTIPOLYGON Z (((10 50 1,10.01 50 1,10.01 50.01 1,10 50 1)))\"\n",
		"name,geojson\nF,\"{\"\"type\"\":\"\"Point\"\",\"\"coordinates\"\":[10,50]}\"\n", "name,x,y\nA,1,2\n", "\"a\"b,c\n\"",
		"\xff\xfel\x00a\x00t\x00,\x00l\x00n\x00g\x00\n\x001\x00,\x002\x00", "name,points\n'=x,[{\"lat\":1,\"lng\":2}]\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkParse(t, data, FormatCSV)
		for _, join := range []Kind{Linear, Area} {
			if res, err := Parse(data, Options{Format: FormatCSV, NoPlaces: true, Join: join}); err == nil {
				checkResult(t, "joined", res)
			} else if e := (*Error)(nil); !errors.As(err, &e) || e.Line < 0 {
				t.Fatal(err)
			}
		}
	})
}

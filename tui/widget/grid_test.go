package widget_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget"
)

// site is a row of the grids in these tests.
type site struct {
	code, name, status string
	area               float64 // square metres, 0 for none
	price              float64
	currency           string
	due                time.Time
	version            int
}

var fruit = []site{
	{"A1", "Äpfel", "open", 300_000, 12420, "EUR", day(12, 1), 1},
	{"B2", "Birnen", "done", 40_000, 980.5, "EUR", day(11, 30), 1},
	{"C3", "Äpfel rot", "open", 1_000_000, 1_200_000, "JPY", day(12, 24), 1},
	{"D4", "time 4:30", "done", 0, 0, "", time.Time{}, 1},
}

func day(month time.Month, d int) time.Time {
	return time.Date(2026, month, d, 9, 0, 0, 0, tuitest.Clock.Location())
}

var sheetColumns = []widget.Column{
	{Title: "Code", Name: "orderCode", Width: 6},
	{Title: "Name", Name: "Name", Width: 12, Fill: 1},
	{Title: "Status", Name: "status", Width: 8, Kind: columns.Status},
	{Title: "Area", Name: "areaSize", Kind: columns.Area, Drop: 1},
	{Title: "Price", Name: "price", Kind: columns.Money, Drop: 2},
	{Title: "Due", Name: "deadline", Kind: columns.Date, Drop: 3},
	{Title: "Version", Name: "Version", Kind: columns.Number, Off: true},
}

func source(rows []site) widget.RowSource {
	return widget.RowSource{
		Len: len(rows), ID: func(i int) string { return rows[i].code },
		Stamp: func(i int) string { return fmt.Sprint(rows[i].version) },
		Look:  func(i int) (widget.Cell, bool) { return widget.Cell{}, rows[i].status == "off" },
		Cell: func(i, c int) widget.Cell {
			r := rows[i]
			switch c {
			case 0:
				return widget.Cell{Text: r.code}
			case 1:
				return widget.Cell{Text: r.name}
			case 2:
				return columns.StateCell(
					format.StatusLabel{StatusDisplay: format.StatusDisplay{Glyph: "●", Label: r.status, Role: theme.Good}, Wire: r.status},
					slices.Index([]string{"open", "done"}, r.status),
				)
			case 3:
				if r.area == 0 {
					return columns.NoCell()
				}
				return columns.NumberCell(r.area)
			case 4:
				if r.price == 0 {
					return columns.NoCell()
				}
				return columns.Cell{Num: r.price, Code: r.currency, Known: true}
			case 5:
				return columns.DayCell(r.due)
			default:
				return columns.NumberCell(r.version)
			}
		},
	}
}

func sheet(rows []site) (*widget.Grid, *time.Time) {
	now := tuitest.Clock
	s := widget.NewGrid(func() time.Time { return now }, sheetColumns...)
	s.SetSource(source(rows))
	return s, &now
}

// codes returns the codes of the rows in display order.
func codes(s *widget.Grid) []string {
	var found []string
	text, _ := s.CopyTable()
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:] {
		code, _, _ := strings.Cut(line, "\t")
		found = append(found, code)
	}
	return found
}

func TestGridFiltersRows(t *testing.T) {
	for query, want := range map[string]string{
		"":                            "A1 B2 C3 D4",
		"äPF":                         "A1 C3",
		"apf":                         "A1 C3", // on any keyboard
		"name:apf":                    "A1 C3",
		"äpfel rot":                   "C3",
		`name:"äpfel rot"`:            "C3",
		"na:birn":                     "B2",
		"ordercode:b":                 "B2",
		"4:30":                        "D4", // a colon in a word
		"kiwi":                        "",
		"status:open":                 "A1 C3",
		"-status:open":                "B2 D4",
		"-äpfel":                      "B2 D4",
		"area:>30":                    "C3",
		"area:>=30":                   "A1 C3",
		"area:<5":                     "B2",
		"area:=100":                   "C3",
		"area:>":                      "A1 B2 C3 D4", // while it is typed
		"price:>1,000":                "A1 C3",
		"due:<2026-12-01":             "B2",
		"due:<=2026-12-01":            "A1 B2",
		"due:>2026-12-01 status:open": "C3",
		"due:>nonsense":               "A1 B2 C3 D4",
		"status:":                     "A1 B2 C3 D4",
		"version:1":                   "A1 B2 C3 D4", // a column that is not shown
		`"`:                           "A1 B2 C3 D4",
	} {
		s, _ := sheet(fruit)
		s.ApplyFilter(query)
		if got := strings.Join(codes(s), " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
		if fitting, of := s.CountFitting(); fitting != len(strings.Fields(want)) || of != 4 {
			t.Errorf("%s: %d of %d", query, fitting, of)
		}
	}
}

func TestGridSortsByValueNotByText(t *testing.T) {
	for column, want := range []string{
		"A1 B2 C3 D4", "A1 C3 B2 D4", "A1 C3 B2 D4", "B2 A1 C3 D4", "B2 A1 C3 D4", "B2 A1 C3 D4",
	} {
		s, _ := sheet(fruit)
		s.SortNext(column + 1)
		if got := strings.Join(codes(s), " "); got != want {
			t.Errorf("column %d: %s, want %s", column, got, want)
		}
	}
	s, _ := sheet(fruit)
	s.SortNext(4)
	s.ReverseSort()
	if got := strings.Join(codes(s), " "); got != "C3 A1 B2 D4" {
		t.Errorf("by area, the other way round: %s; what has none comes last", got)
	}
	s.SortNext(-4)
	if got := strings.Join(codes(s), " "); got != "A1 B2 C3 D4" {
		t.Errorf("as they come: %s", got)
	}
	if s.ReverseSort(); strings.Join(codes(s), " ") != "D4 C3 B2 A1" {
		t.Errorf("as they come, the other way round: %s", codes(s))
	}
}

func TestSortNextCyclesThroughVisibleColumns(t *testing.T) {
	s, _ := sheet(fruit)
	header := func() string { return strings.Split(ansi.Strip(s.View(loadPlain(t), 90, 6, true)), "\n")[0] }
	for range 6 {
		s.SortNext(1)
	}
	if !strings.Contains(header(), "▴ Due") {
		t.Errorf("the sixth is %q", header())
	}
	if s.SortNext(1); strings.Contains(header(), "▴") {
		t.Errorf("behind the last is %q", header())
	}
	if s.SortNext(-1); !strings.Contains(header(), "▴ Due") {
		t.Errorf("before the first is %q", header())
	}
	x := strings.Index(header(), "Code")
	if s.SortBy(x); !strings.Contains(header(), "▴ Code") {
		t.Errorf("after a click on Code: %q", header())
	}
	if s.SortBy(x); !strings.Contains(header(), "▾ Code") {
		t.Errorf("after two: %q", header())
	}
	if s.SortBy(0); !strings.Contains(header(), "▾ Code") {
		t.Error("the margin is a column")
	}
}

func TestTheOrderOfTheSourceIsMarked(t *testing.T) {
	s, _ := sheet(fruit)
	src := source(fruit)
	src.SortedBy = "deadline"
	src.Descending = true
	s.SetSource(src)
	header := func(w int) string { return strings.Split(ansi.Strip(s.View(loadPlain(t), w, 6, true)), "\n")[0] }
	if got := header(90); !strings.Contains(got, "▾ Due") {
		t.Errorf("sorted by the source: %q", got)
	}
	if got := header(40); strings.Contains(got, "Due") {
		t.Errorf("a column that the user has not chosen takes the room of others: %q", got)
	}
	if got := s.HiddenSort(); got != "▾ Due" {
		t.Errorf("without the column the order is %q", got)
	}
	s.ReverseSort()
	if got := header(90); !strings.Contains(got, "▴ Due") {
		t.Errorf("reversed: %q", got)
	}
	if got := s.HiddenSort(); got != "" {
		t.Errorf("with the column the order is %q", got)
	}
	s.SortNext(1)
	if got := header(90); !strings.Contains(got, "▴ Code") || strings.Contains(got, "▴ Due") {
		t.Errorf("sorted by the user: %q", got)
	}
}

func TestArrangeColumnsHidesAndOrdersColumns(t *testing.T) {
	s, _ := sheet(fruit)
	places := s.ColumnPlaces()
	if len(places) != 7 || places[0].Name != "orderCode" || !places[6].Off {
		t.Fatalf("at first: %+v", places)
	}
	s.ArrangeColumns([]widget.ColumnPlace{
		{Name: "deadline"},
		{Name: "Version"},
		{Name: "orderCode", Off: true},
		{Name: "gone"},
		{Name: "deadline"},
	})
	s.RefreshRows()
	header := strings.Fields(strings.Split(ansi.Strip(s.View(loadPlain(t), 120, 6, true)), "\n")[0])
	if got := strings.Join(header, " "); got != "Due Name Status Area ha Price Version" && got != "Due Version Name Status Area ha Price" {
		t.Errorf("the columns are %s", got)
	}
	again, _ := sheet(fruit)
	again.ArrangeColumns(s.ColumnPlaces())
	again.RefreshRows()
	if again.View(loadPlain(t), 120, 6, true) != s.View(loadPlain(t), 120, 6, true) {
		t.Error("kept and taken again, the columns stand otherwise")
	}
	var off []widget.ColumnPlace
	for _, p := range places {
		p.Off = true
		off = append(off, p)
	}
	s.ArrangeColumns(off)
	if s.RefreshRows(); !strings.Contains(ansi.Strip(s.View(loadPlain(t), 120, 6, true)), "A1") {
		t.Error("with all columns off, nothing is shown")
	}
}

func TestChangedRowsAreMarkedForAMinute(t *testing.T) {
	s, now := sheet(fruit)
	marked := func() (rows []string) {
		for _, line := range strings.Split(ansi.Strip(s.View(loadPlain(t), 90, 8, false)), "\n") {
			if strings.Contains(line, "┃") {
				rows = append(rows, strings.Fields(strings.ReplaceAll(strings.ReplaceAll(line, "▸", ""), "┃", ""))[0])
			}
		}
		return rows
	}
	if got := marked(); got != nil || s.HasChanges() {
		t.Fatalf("at first, %v are marked", got)
	}
	next := append([]site{{code: "Z9", name: "new"}}, fruit...)
	next[3].version++
	next = append(next, site{code: "E5", name: "older"}) // of an older page
	s.SetSource(source(next))
	if got := strings.Join(marked(), " "); got != "Z9 C3" || !s.HasChanges() {
		t.Errorf("marked are %s, want the new one above and the one that changed", got)
	}
	*now = now.Add(30 * time.Second)
	s.SetSource(source(next))
	if got := strings.Join(marked(), " "); got != "Z9 C3" {
		t.Errorf("after half a minute: %s", got)
	}
	*now = now.Add(31 * time.Second)
	if got := marked(); got != nil || s.HasChanges() {
		t.Errorf("after a minute: %v", got)
	}
}

func TestSelectedRowStaysOnItsLine(t *testing.T) {
	rows := many(200)
	s, _ := sheet(rows)
	s.View(loadPlain(t), 90, 12, true)
	s.Move(50)
	line := func() int {
		return slices.IndexFunc(
			strings.Split(ansi.Strip(s.View(loadPlain(t), 90, 12, true)), "\n"),
			func(l string) bool { return strings.Contains(l, "▸") },
		)
	}
	s.Move(-5)
	before, id := line(), codes(s)[s.Cursor()]
	s.SetSource(source(append(many(7)[3:], rows...)))
	s.SetSource(source(append([]site{{code: "new1"}, {code: "new2"}}, rows...)))
	if got := line(); got != before || codes(s)[s.Cursor()] != id {
		t.Errorf("%s stands in line %d, want %s in %d", codes(s)[s.Cursor()], got, id, before)
	}
}

func TestGridHasALineForMoreRows(t *testing.T) {
	s, _ := sheet(fruit)
	src := source(fruit)
	src.More = true
	s.SetSource(src)
	got := ansi.Strip(s.View(loadPlain(t), 60, 9, true))
	lines := strings.Split(got, "\n")
	if !strings.Contains(lines[5], "⋯ more below") {
		t.Errorf("drawn as\n%s", got)
	}
	if s.IsOnMore() {
		t.Error("the first row stands for what is below")
	}
	s.Move(4)
	if !s.IsOnMore() {
		t.Error("the line below the rows is a row")
	}
	if _, ok := s.Current(); ok {
		t.Error("what is below is a row")
	}
	if got := strings.Join(codes(s), " "); got != "A1 B2 C3 D4" {
		t.Errorf("copied are %s", got)
	}
	src.Loading = true
	s.SetSource(src)
	if got := ansi.Strip(s.View(loadPlain(t), 60, 9, true)); !strings.Contains(got, "⋯ loading more…") {
		t.Errorf("while it is read:\n%s", got)
	}
	s.ApplyFilter("open")
	if got := ansi.Strip(s.View(loadPlain(t), 60, 9, true)); strings.Contains(got, "⋯") {
		t.Errorf("among filtered rows a gap is shown:\n%s", got)
	}
}

func TestCopiesHaveUncutTexts(t *testing.T) {
	s, _ := sheet(fruit)
	s.View(loadPlain(t), 120, 6, true)
	var got []string
	for range 6 {
		text, _ := s.CopyCell()
		got = append(got, text)
		s.MoveColumn(1)
	}
	want := []string{"A1", "Äpfel", "open", "30.0 ha", "12,420.00 EUR", "2026-12-01 09:00:00 +01:00"}
	if !slices.Equal(got, want) {
		t.Errorf("copied %q, want %q", got, want)
	}
	s.MoveColumn(-9)
	if s.Column() != 0 {
		t.Errorf("the column is %d", s.Column())
	}
	if row := s.CopyRow(); row != "A1\tÄpfel\topen\t300000\t12420.00\tEUR\t2026-12-01T09:00:00+01:00" {
		t.Errorf("the row is %q", row)
	}
	if _, rows := s.CopyTable(); rows != 4 {
		t.Errorf("%d rows are copied", rows)
	}
}

func TestExportWritesCSVAndJSON(t *testing.T) {
	rows := append(
		slices.Clone(fruit),
		site{code: "=1+1", name: "a \"b\",\r\n\x1b[31m", status: "@x", area: math.Inf(1), price: 3, due: day(11, 2)},
	)
	s, _ := sheet(rows)
	s.ApplyFilter("-birnen -time")
	var csv, json strings.Builder
	if err := errors.Join(s.Export().Write(&csv, ".csv"), s.Export().Write(&json, ".json")); err != nil {
		t.Fatal(err)
	}
	wantCSV := "orderCode,Name,status,areaSize,price,priceCurrency,deadline\r\n" +
		"A1,Äpfel,open,300000,12420.00,EUR,2026-12-01T09:00:00+01:00\r\n" +
		"C3,Äpfel rot,open,1000000,1200000,JPY,2026-12-24T09:00:00+01:00\r\n" +
		"'=1+1,\"a \"\"b\"\",\r\n\x1b[31m\",'@x,,3.00,,2026-11-02T09:00:00+01:00\r\n"
	if csv.String() != wantCSV {
		t.Errorf("the CSV is\n%q\nwant\n%q", csv.String(), wantCSV)
	}
	wantJSON := `[
{"orderCode":"A1","Name":"Äpfel","status":"open","areaSize":300000,"price":{"amount":12420.00,"currency":"EUR"},"deadline":"2026-12-01T09:00:00+01:00"},
{"orderCode":"C3","Name":"Äpfel rot","status":"open","areaSize":1000000,"price":{"amount":1200000,"currency":"JPY"},"deadline":"2026-12-24T09:00:00+01:00"},
{"orderCode":"=1+1","Name":"a \"b\",\r\n\u001b[31m","status":"@x","areaSize":null,"price":{"amount":3.00,"currency":""},"deadline":"2026-11-02T09:00:00+01:00"}
]
`
	if json.String() != wantJSON {
		t.Errorf("the JSON is\n%s\nwant\n%s", json.String(), wantJSON)
	}
	s.ApplyFilter("kiwi")
	json.Reset()
	if err := s.Export().Write(&json, ".json"); err != nil || json.String() != "[\n]\n" {
		t.Errorf("of no row: %q, %v", json.String(), err)
	}
}

func TestExportIsASnapshot(t *testing.T) {
	s, _ := sheet(fruit)
	e := s.Export()
	s.SetSource(source(many(3)))
	s.ApplyFilter("nothing")
	var b strings.Builder
	if err := e.Write(&b, ".csv"); err != nil || e.Len() != 4 || !strings.Contains(b.String(), "D4") {
		t.Errorf("%d rows, %v:\n%s", e.Len(), err, b.String())
	}
}

func TestFindFacetsCountsMatchingValues(t *testing.T) {
	s, _ := sheet(fruit)
	title, facets := s.FindFacets("äpfel status:", 5)
	if title != "Status" || fmt.Sprint(facets) != "[{open 2}]" {
		t.Errorf("%s %v", title, facets)
	}
	if _, facets = s.FindFacets("-status:d", 5); fmt.Sprint(facets) != "[{done 2}]" {
		t.Errorf("%v", facets)
	}
	for _, query := range []string{"", "äpfel", "area:3", "4:30", "due:"} {
		if title, facets := s.FindFacets(query, 5); title != "" || facets != nil {
			t.Errorf("%q: %s %v", query, title, facets)
		}
	}
	for query, want := range map[string]string{
		"st": "status:", "-st": "-status:", "äpfel status:o": "äpfel status:open ", "name:äpfel": "name:Äpfel ", "name:time": `name:"time 4:30" `,
		"": "", "zz": "zz", "status:zz": "status:zz", "ar": "area:",
	} {
		if got := s.CompleteQuery(query); got != want {
			t.Errorf("%q is completed to %q, want %q", query, got, want)
		}
	}
}

func many(n int) []site {
	rows := make([]site, n)
	for i := range rows {
		rows[i] = site{
			fmt.Sprintf("ORD-%06d", i), fmt.Sprintf(
				"Site %d of the northern district", i*7919%n,
			), []string{"open", "done", "off"}[i%3],
			float64(i%997) * 1000, float64(i%1009) * 10.5, "EUR", day(11, 1).AddDate(0, 0, i%300), 1,
		}
	}
	return rows
}

func TestGridsMatchTheirGolden(t *testing.T) {
	th := tuitest.LoadTheme(t, "dark")
	for _, size := range tuitest.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) {
			empty, _ := sheet(nil)
			few, _ := sheet(fruit)
			sorted, now := sheet(many(40))
			sorted.SortNext(4)
			sorted.ReverseSort()
			filtered, _ := sheet(many(40))
			filtered.ApplyFilter("status:open area:>2")
			changed, _ := sheet(fruit)
			next := slices.Clone(fruit)
			next[1].version++
			more := source(next)
			more.More = true
			changed.SetSource(more)
			chosen, _ := sheet(fruit)
			chosen.ArrangeColumns([]widget.ColumnPlace{
				{Name: "deadline"}, {Name: "Version"}, {Name: "Name"}, {Name: "status", Off: true},
			})
			chosen.RefreshRows()
			_ = now
			golden.RequireEqual(t, drawStates(
				boxState{Name: "no rows", Box: empty.View(th, size.W, 3, true)},
				boxState{Name: "few", Box: few.View(th, size.W, 6, true)},
				boxState{Name: "sorted by area", Box: sorted.View(th, size.W, size.H/2, true)},
				boxState{Name: "filtered", Box: filtered.View(th, size.W, 6, true)},
				boxState{Name: "changed, rows missing", Box: changed.View(th, size.W, 8, true)},
				boxState{Name: "other columns", Box: chosen.View(th, size.W, 6, true)},
				boxState{Name: "very narrow", Box: few.View(th, 20, 6, true)},
			))
		})
	}
}

func TestGridsStayInTheirRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 400 {
		rows := make([]site, r.IntN(12))
		for i := range rows {
			rows[i] = site{
				fmt.Sprint(i, tuitest.OddText(r, 2)), tuitest.OddText(r, 6), tuitest.OddText(r, 2),
				r.NormFloat64() * math.Pow(10, float64(r.IntN(300))), r.NormFloat64() * 1e9, tuitest.OddText(r, 1), tuitest.Clock.AddDate(r.IntN(9000)-4000, 0, 0), r.IntN(3),
			}
		}
		s, _ := sheet(rows)
		for range 4 {
			src := source(rows)
			src.More = r.IntN(2) == 0
			s.SetSource(src)
			s.SortNext(r.IntN(20) - 10)
			s.ApplyFilter(tuitest.OddText(r, 1))
			s.Move(r.IntN(20) - 10)
			s.MoveColumn(r.IntN(9) - 4)
			places := s.ColumnPlaces()
			r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
			places[0].Off = !places[0].Off
			s.ArrangeColumns(places)
			s.RefreshRows()
			w, h := r.IntN(140), r.IntN(16)
			th := tuitest.LoadTheme(t, themes[r.IntN(2)])
			tuitest.RequireExact(t, fmt.Sprintf("%+v", rows), s.View(th, w, h, r.IntN(2) == 0), w, h)
			s.Click(r.IntN(20))
			s.SortBy(r.IntN(140))
		}
		if err := errors.Join(s.Export().Write(io.Discard, ".csv"), s.Export().Write(io.Discard, ".json")); err != nil {
			t.Fatal(err)
		}
	}
}

// texts returns a grid with rows of words.
func texts(rows [][]string, all ...widget.Column) *widget.Grid {
	s := widget.NewGrid(func() time.Time { return day(11, 24) }, all...)
	s.SetSource(sourceOf(rows))
	return s
}

// sourceOf returns a source of rows of texts. The first text of a row is its ID.
func sourceOf(rows [][]string) widget.RowSource {
	return widget.RowSource{
		Len: len(rows), ID: func(i int) string { return rows[i][0] },
		Cell: func(i, c int) widget.Cell { return columns.TextCell(rows[i][c]) },
	}
}

func TestAColumnOfTimesOfTodayIsNarrow(t *testing.T) {
	now := day(11, 24).Add(10 * time.Hour)
	times := []time.Time{now, now.Add(-time.Hour)}
	s := widget.NewGrid(
		func() time.Time { return now }, widget.Column{Title: "At", Kind: columns.Date, Clock: true},
		widget.Column{Title: "Path", Width: 4, Fill: 1},
	)
	show := func() string {
		s.SetSource(widget.RowSource{
			Len: len(times),
			ID:  func(i int) string { return times[i].String() },
			Cell: func(i, c int) widget.Cell {
				if c == 0 {
					return columns.DayCell(times[i])
				}
				return columns.TextCell("/orders")
			},
		})
		return ansi.Strip(s.View(loadPlain(t), 40, 3, true))
	}
	if got := show(); !strings.Contains(got, "▸ 19:00:00  /orders") {
		t.Errorf("times of today are\n%s", got)
	}
	times = append(times, now.AddDate(0, 0, -2))
	if got := show(); !strings.Contains(got, "▸     19:00:00  /orders") {
		t.Errorf("times of other days are\n%s", got)
	}
}

func TestTextsAreNotCutWhileAnotherColumnHasRoom(t *testing.T) {
	rows := [][]string{{"Access road to the northern gate", "Stade", "Line"}, {"Pump", "", "Asset"}}
	s := texts(
		rows, widget.Column{Title: "Name", Width: 8, Fill: 1},
		widget.Column{Title: "City", Width: 8, Fill: 1}, widget.Column{Title: "Type", Width: 14},
	)
	if got := ansi.Strip(s.View(loadPlain(t), 56, 3, true)); !strings.Contains(got, rows[0][0]+"  Stade") {
		t.Errorf("the name is cut while there is room:\n%s", got)
	}
}

func TestNarrowTablesLeaveOutWhatEveryRowHas(t *testing.T) {
	rows := [][]string{
		{"Access road, north", "Nordlicht GmbH", "Line", "Hamburg", "–"},
		{"Pump", "Nordlicht GmbH", "Asset", "Stade", "–"},
	}
	s := texts(rows, widget.Column{Title: "Name", Width: 8, Fill: 1}, widget.Column{Title: "Client", Width: 14, Fill: 1},
		widget.Column{Title: "Type", Width: 14}, widget.Column{Title: "City", Width: 9, Drop: 1}, widget.Column{Title: "Note", Width: 12})
	all := 3 + 18 + 2 + 14 + 2 + 5 + 2 + 7 + 2 + 4 + 1
	if s.WantedWidth() != all-2-4 {
		t.Errorf("%d cells are wanted, want %d without the blank column", s.WantedWidth(), all-6)
	}
	for _, c := range []struct {
		w         int
		row, foot string
	}{
		{all, "Access road, north  Nordlicht GmbH  Line   Hamburg  –", ""},
		{all - 6, "Access road, north  Nordlicht GmbH  Line   Hamburg", ""},
		{all - 7, "Access road, north  Nordlicht GmbH  Line", "+1 column"},
		{all - 16, "Access road, north  Line         Hamburg", "All rows: Client Nordlicht GmbH"},
	} {
		view := ansi.Strip(s.View(loadPlain(t), c.w, 6, true))
		lines := strings.Split(view, "\n")
		if !strings.Contains(lines[1], c.row) || !strings.HasSuffix(lines[5], c.foot+strings.Repeat(" ", min(1, len(c.foot)))) {
			t.Errorf("in %d cells there is no %q with %q:\n%s", c.w, c.row, c.foot, view)
		}
		if c.foot == "" && strings.TrimSpace(lines[5]) != "" {
			t.Errorf("in %d cells there is a note below the rows:\n%s", c.w, view)
		}
	}
	s.SortBy(4) // by the name, which is not cut for that
	view := ansi.Strip(s.View(loadPlain(t), 3+18+2+5+1, 6, true))
	if !strings.Contains(view, "▴ Name") || !strings.Contains(view, rows[0][0]) {
		t.Errorf("the sorted name is cut:\n%s", view)
	}
}

func TestTheLastLineSaysThatOnlyLoadedRowsHaveTheSameValue(t *testing.T) {
	rows := [][]string{{"Access road to the northern gate, phase two", "Nord GmbH"}, {"Pump, phase one", "Nord GmbH"}}
	source := sourceOf(rows)
	source.More = true
	s := texts(rows, widget.Column{Title: "Name", Width: 8, Fill: 1}, widget.Column{Title: "Client", Width: 14, Fill: 1})
	s.SetSource(source)
	for _, filter := range []string{"", "phase"} {
		s.ApplyFilter(filter)
		view := ansi.Strip(s.View(loadPlain(t), 50, 7, true))
		if view = view[strings.LastIndex(view, "\n"):]; !strings.Contains(view, "All loaded rows: Client") {
			t.Errorf("with the filter %q the last line is %q", filter, view)
		}
	}
}

func TestAColumnHasOneValueAgainAfterADifferentRowIsGone(t *testing.T) {
	rows := [][]string{{"Pump", "Line"}, {"Road", "Line"}, {"Dam", "Asset"}}
	s := texts(rows, widget.Column{Title: "Name", Width: 8}, widget.Column{Title: "Type", Width: 8})
	isRepeated := func() bool { return s.Columns[1].Same == "Line" }
	if isRepeated() {
		t.Error("three rows with two types have one type")
	}
	s.SetSource(sourceOf(rows[:2]))
	if !isRepeated() {
		t.Error("two rows with one type have two types")
	}
	rows[1][1] = "Asset"
	s.SetSource(sourceOf(rows))
	if isRepeated() {
		t.Error("after a change, three rows with two types have one type")
	}
}

func TestARowOfItsOwnHasNothingInCommon(t *testing.T) {
	s := texts([][]string{{"Access road, north", "Nordlicht GmbH"}},
		widget.Column{Title: "Name", Width: 4}, widget.Column{Title: "Client", Width: 14})
	if s.WantedWidth() != 3+18+2+14+1 {
		t.Errorf("one row wants %d cells", s.WantedWidth())
	}
	if got := ansi.Strip(s.View(loadPlain(t), 30, 6, true)); !strings.Contains(got, "Nordlicht") {
		t.Errorf("the client of the only row is left out:\n%s", got)
	}
}

func TestTheLastLineHasTheTextsThatTheSelectedRowCuts(t *testing.T) {
	rows := [][]string{{"Whitelee blade inspection, spring", "Line"}, {"Pump", "Asset"}, {"Dam", "Asset"}, {"Road", "Line"}}
	s := texts(rows, widget.Column{Title: "Name", Width: 8, Fill: 1}, widget.Column{Title: "Type", Width: 6})
	foot := func() string {
		lines := strings.Split(ansi.Strip(s.View(loadPlain(t), 40, 6, true)), "\n")
		return strings.TrimSpace(lines[5])
	}
	if got := foot(); got != "▸ "+rows[0][0] {
		t.Errorf("the last line is %q", got)
	}
	s.Move(1)
	if got := foot(); got != "" {
		t.Errorf("of a row that is shown in full, the last line is %q", got)
	}
	s.Move(-1)
	s.HasDetails = true
	if got := foot(); got != "" {
		t.Errorf("with details next to the table, the last line is %q", got)
	}
}

func TestLongNamesHaveTwoLinesIfTheTableHasThem(t *testing.T) {
	rows := [][]string{
		{"Whitelee blade inspection, spring", "Line"},
		{"Reußenköge: Rotorblätter vor dem Winter", "Asset"},
		{"Pump", "Asset"},
	}
	s := texts(rows, widget.Column{Title: "Name", Width: 8, Fill: 1}, widget.Column{Title: "Type", Width: 6})
	lines := strings.Split(ansi.Strip(s.View(loadPlain(t), 40, 7, true)), "\n")
	want := []string{
		"   Name                           Type",
		" ▸ Whitelee blade inspection,     Line",
		"     spring",
		"   Reußenköge: Rotorblätter vor   Asset",
		"     dem Winter",
		"   Pump                           Asset",
		"",
	}
	for i := range want {
		if got := strings.TrimRight(lines[i], " "); got != want[i] {
			t.Errorf("line %d is %q, want %q", i, got, want[i])
		}
	}
	for line, name := range map[int]string{2: rows[0][0], 4: rows[1][0], 5: rows[2][0]} {
		if !s.Click(line) || s.Selected() != name {
			t.Errorf("a click on line %d selects %q, want %q", line, s.Selected(), name)
		}
	}
	if s.Click(6) {
		t.Error("a click below the rows selects one of them")
	}
	if s.LineOf(1) != 3 || s.LineOf(2) != 5 {
		t.Errorf("the second and the third row begin at lines %d and %d, want 3 and 5", s.LineOf(1), s.LineOf(2))
	}
}

func TestTheSecondLineOfAnIndentedNameHasOnlyTheRestOfIt(t *testing.T) {
	rows := [][]string{{"  harz_ndvi_of_the_whole_district.tif", "NDVI"}}
	s := texts(rows, widget.Column{Title: "File", Width: 8, Fill: 1}, widget.Column{Title: "Product", Width: 7})
	lines := strings.Split(ansi.Strip(s.View(loadPlain(t), 40, 6, true)), "\n")
	upper := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(lines[1]), "NDVI"))
	lower := strings.TrimSpace(lines[2])
	if got := strings.TrimPrefix(upper, "▸ ") + lower; strings.TrimSpace(got) != strings.TrimSpace(rows[0][0]) {
		t.Errorf("the two lines %q and %q are not the name", upper, lower)
	}
	if !strings.HasPrefix(lines[2], "       "+lower) {
		t.Errorf("the second line is not indented more than the name: %q", lines[2])
	}
}

// A long text has as many lines as there is room for, all with the same indent. If it has only two, the second is
// not indented, because that would cut more of it.
func TestALongTextHasAsManyLinesAsThereAre(t *testing.T) {
	rows := [][]string{{"No flight date, unchanged for 9 days", "Line"}}
	s := texts(rows, widget.Column{Title: "Late", Width: 8, Fill: 1}, widget.Column{Title: "Type", Width: 4})
	for height, want := range map[int][]string{
		6: {" ▸ No flight date,   Line", "     unchanged for", "     9 days"},
		3: {" ▸ No flight date,   Line", "   unchanged for 9…"},
	} {
		lines := strings.Split(ansi.Strip(s.View(loadPlain(t), 26, height, true)), "\n")
		for i := range want {
			if got := strings.TrimRight(lines[i+1], " "); got != want[i] {
				t.Errorf("with %d lines, line %d is %q, want %q", height, i+1, got, want[i])
			}
		}
	}
}

func TestAGlyphIsInTheFirstLineOfALongState(t *testing.T) {
	rows := [][]string{{"? mission.planning_of_somewhere", "Line"}}
	s := texts(rows, widget.Column{Title: "Event", Width: 8, Fill: 1}, widget.Column{Title: "Type", Width: 4})
	lines := strings.Split(ansi.Strip(s.View(loadPlain(t), 36, 6, true)), "\n")
	if !strings.HasPrefix(lines[1], " ▸ ? mission.planning_of_ ") || !strings.HasPrefix(lines[2], "     somewhere ") {
		t.Errorf("the state is drawn as %q and %q", lines[1], lines[2])
	}
}

func TestTheLastLineHasTextsThatCannotHaveTwoLines(t *testing.T) {
	rows := [][]string{{"Alpha Ventus", "Agriculture", "1,234,567,890"}, {"Pump", "", ""}}
	s := texts(rows, widget.Column{Title: "Name", Width: 8, Fill: 1}, widget.Column{Title: "Type", Width: 6},
		widget.Column{Title: "Points", Width: 9, Right: true})
	lines := strings.Split(ansi.Strip(s.View(loadPlain(t), 32, 8, true)), "\n")
	if strings.TrimSpace(lines[2]) != "Ventus" {
		t.Errorf("the name does not have two lines: %q", lines)
	}
	if got := strings.TrimSpace(lines[7]); got != "▸ Agriculture · 1,234,567,890" {
		t.Errorf("the last line is %q", got)
	}
}

func TestNamesAreCutInOneLineIfNotAllOfThemCanHaveTwo(t *testing.T) {
	rows := [][]string{
		{"Whitelee blade inspection, spring", "Line"},
		{"Reußenköge: Rotorblätter vor dem Winter", "Asset"},
		{"Pump", "Asset"},
	}
	s := texts(rows, widget.Column{Title: "Name", Width: 8, Fill: 1}, widget.Column{Title: "Type", Width: 6})
	view := ansi.Strip(s.View(loadPlain(t), 40, 6, true))
	if strings.Contains(view, "dem Winter") || !strings.Contains(view, "▸ "+rows[0][0]) {
		t.Errorf("a name has two lines, or the last line does not have the selected name:\n%s", view)
	}
	if !s.Click(2) || s.Selected() != rows[1][0] || s.LineOf(1) != 2 {
		t.Errorf("a click on line 2 selects %q", s.Selected())
	}
}

func TestStatesAreCompletedByLabelOrValue(t *testing.T) {
	all := []format.StatusLabel{
		{StatusDisplay: format.StatusDisplay{Glyph: "◆", Label: "Quotes ready"}, Wire: "biddingWithQuote"},
		{StatusDisplay: format.StatusDisplay{Glyph: "●", Label: "Completed"}, Wire: "completed"},
	}
	s := widget.NewGrid(
		func() time.Time { return day(11, 24) },
		widget.Column{Title: "Status", Name: "status", Kind: columns.Status, Width: 14},
	)
	s.SetSource(widget.RowSource{
		Len: len(all), ID: func(i int) string { return all[i].Wire },
		Cell: func(i, _ int) widget.Cell { return columns.StateCell(all[i], i) },
	})
	for query, want := range map[string]string{
		"status:qu": `status:"Quotes ready" `, `status:"quotes r`: `status:"Quotes ready" `, "status:bid": "status:biddingWithQuote ", "status:comp": "status:Completed ",
	} {
		got := s.CompleteQuery(query)
		if got != want {
			t.Errorf("%q is completed to %q, want %q", query, got, want)
		}
		s.ApplyFilter(got)
		if fitting, _ := s.CountFitting(); fitting != 1 {
			t.Errorf("%q leaves %d rows", got, fitting)
		}
	}
}

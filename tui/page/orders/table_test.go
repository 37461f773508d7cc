package orders_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestColumnsAreChosenAndKept(t *testing.T) {
	views := filepath.Join(t.TempDir(), "views", "prod.json")
	keep := func(o *tui.Options) { o.Views = views }
	d := apptest.Open(t, 100, 30, keep)
	d.Press("|")
	d.RequireText("Columns of orders", "▸ ✓ Code", "Placed")
	d.Press("G", "space", "esc")
	d.SeesNot("Reason")
	d.Press("|", "j", "j", "j", "space") // without Sites
	d.SeesNot("Sites  Area")
	d.Press("j", "K", "K", "K", "K") // Area before all
	d.Press("j", "h", "h", "l", "enter")
	d.RequireText(" Area ha  Code ")
	header := lineWith(d, "Area ha")
	again := apptest.Open(t, 100, 30, keep)
	if got := lineWith(again, "Area ha"); got != header || strings.Contains(got, "Missions") {
		t.Errorf("in the next session the columns are\n%s\nwant\n%s", got, header)
	}
	again.Press("|", "R", "enter")
	again.RequireText("Code        Name", "Missions  Area ha")
}

func TestTheLastColumnStays(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("|")
	for range 14 {
		d.Press("space", "j")
	}
	d.Press("g", "space", "space", "space", "enter")
	d.RequireText("17 orders", "▸ ")
}

func TestATableIsExported(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("/")
	d.Type("status:comp")
	d.Press("enter", "E")
	d.RequireText("Export orders", "~/surveys/orders-2026-11-24.csv", "4 rows shown, as CSV or .json")
	d.Press("enter")
	d.RequireText("Exported 4 rows to ~/surveys/orders-2026-11-24.csv")
	path := filepath.Join(d.Options.Folder, "orders-2026-11-24.csv")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\r\n")
	const head = "\uFEFFCode,Name,Status,Missions,Area (ha),Due"
	const first = "ORD-100219,Tarfaya substation and lines,Completed,2,33.8"
	if len(lines) != 6 || lines[0] != head || !strings.HasPrefix(lines[1], first) {
		t.Errorf("the file is\n%s", data)
	}

	d.Press("esc", "E", "enter") // the same name, all rows
	d.Press("enter")             // too soon: it was typed before the question came
	d.RequireText("Replace file", "exists. Replace it?")
	d.Advance(time.Second)
	d.Press("esc")
	d.RequireText("Export orders")
	d.Press("esc")
	if again, _ := os.ReadFile(path); string(again) != string(data) {
		t.Fatal("the file was replaced although that was refused")
	}
	d.Press("E", "enter")
	d.Advance(time.Second)
	d.Press("enter")
	d.RequireText("Exported 17 rows")
	if again, _ := os.ReadFile(path); strings.Count(string(again), "\n") != 18 {
		t.Errorf("after it was replaced the file is\n%s", again)
	}

	d.Press("E", "ctrl+u")
	d.Type("~/surveys/raw.csv")
	d.Press("tab")
	d.RequireText("CSV with", "Names of the service")
	d.Press("right", "enter")
	d.RequireText("Exported 17 rows to ~/surveys/raw.csv")
	raw, _ := os.ReadFile(filepath.Join(d.Options.Folder, "raw.csv"))
	if !strings.HasPrefix(string(raw), "orderCode,orderName,status,") || !strings.Contains(string(raw), ",biddingWithQuote,") {
		t.Errorf("the file for programs is\n%s", raw)
	}

	d.Press("E", "ctrl+u")
	d.Type("~/surveys/all.JSON")
	d.Press("enter")
	d.RequireText("Exported 17 rows to ~/surveys/all.JSON")
	data, err = os.ReadFile(filepath.Join(d.Options.Folder, "all.JSON"))
	var rows []map[string]any
	if err != nil || json.Unmarshal(data, &rows) != nil || len(rows) != 17 || rows[0]["orderCode"] != "ORD-100249" || rows[0]["areaSize"] == nil {
		t.Errorf("%v, the JSON is\n%s", err, data)
	}
	entries, _ := os.ReadDir(d.Options.Folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

func TestAFileThatCannotBeWrittenIsAskedForAgain(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("E", "ctrl+u")
	d.Press("enter")
	d.RequireText("file name required")
	d.Type("nowhere/orders.csv")
	d.Press("enter")
	d.RequireText("Export orders", "nowhere/orders.csv", "no such folder; use another path")
	d.Press("ctrl+u")
	d.Type("~")
	d.Press("enter")
	d.RequireText("this is a folder; use another path")
	d.Press("esc")
	d.SeesNot("Export orders")
}

func TestCellRowAndTableAreCopied(t *testing.T) {
	var native []string
	d := apptest.Open(t, 100, 30, func(o *tui.Options) {
		o.Clipboard = func(text string) (string, error) {
			native = append(native, text)
			return "", nil
		}
	})
	d.Screen()
	d.Press("y")
	d.RequireText("Copied ORD-100249")
	d.Press("l", "l", "y")
	d.RequireText("Copied biddingWithQuote")
	d.Press("h", "Y")
	d.RequireText("Copied the row")
	d.Press("ctrl+y")
	d.RequireText("Copied the table, 17 rows")
	if len(native) != 4 || native[0] != "ORD-100249" || native[1] != "biddingWithQuote" ||
		!strings.HasPrefix(native[2], "ORD-100249\tReußenköge") || strings.Count(native[3], "\n") != 18 {
		t.Errorf("the system's clipboard got %q", native)
	}
	d.Press("/")
	d.Type("zzz")
	d.Press("enter", "y")
	d.RequireText("copy cell: no row selected")
	d.Press("E")
	d.RequireText("export: no rows")
}

func TestAFilterShowsWhatATermCanBe(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("/")
	d.Type("st")
	d.Press("tab")
	d.RequireText("/ status:", "Completed 4", "Archived 2", "Quotes ready 2", "Awaiting operator 1")
	d.Type("co")
	d.RequireText("Completed 4", "4 of 17")
	d.SeesNot("Quotes ready 2")
	d.Press("tab")
	d.Type("area:>1")
	d.RequireText("/ status:Completed area:>1", "3 of 17", "Tarfaya")
	d.Press("ctrl+u")
	d.Type("status:biddingW")
	d.RequireText("biddingWithQuote 4", "4 of 17") // the value behind the label
	d.Press("tab")
	d.RequireText("/ status:biddingWithQuote ")
}

// newer answers with pages of a list of orders that begins at first.
func newer(first *int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/missions") {
			apptest.AnswerNothing(w, r)
			return
		}
		if _, id, isRecord := strings.Cut(r.URL.Path, "/getorder/"); isRecord {
			apptest.WriteAnswer(w, 200, fmt.Sprintf(`{"id":%q,"orderStatus":"completed"}`, id))
			return
		}
		order := func(n int) string {
			return fmt.Sprintf(`"uuid":"u%d","orderCode":"ORD-%04d","orderName":"order %d","status":"completed"`, n, n, n)
		}
		n := *first
		if _, err := fmt.Sscanf(path.Base(r.URL.Path), "ORD-%d", &n); err == nil {
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+order(n)+`}}`)
			return
		}
		if c := r.URL.Query().Get("cursor"); c != "" {
			fmt.Sscan(c, &n)
		}
		var members []string
		for i := n; i > n-50 && i > 0; i-- {
			members = append(members, order(i))
		}
		list := apptest.OrderList(members...)
		if n > 50 {
			list = strings.Replace(list, `"nextCursor":null,"hasNextPage":false`, fmt.Sprintf(`"nextCursor":"%d","hasNextPage":true`, n-50), 1)
		}
		apptest.WriteAnswer(w, 200, list)
	}
}

func TestNewOrdersComeAboveThoseThatWereRead(t *testing.T) {
	first, copied := 120, ""
	d := apptest.OpenAgainst(t, newer(&first), func(o *tui.Options) {
		o.Clipboard = func(text string) (string, error) {
			copied = text
			return "", nil
		}
	})
	d.RequireText("120 orders", "▸ ORD-0120")
	d.Press("j", "j")
	first = 200 // more than a page
	d.Advance(time.Minute)
	d.RequireText("200 orders", "▸ ORD-0118") // it stays with its order
	d.Press("g")
	d.RequireText("▸┃ORD-0200")
	d.Press("ctrl+y")
	rows := strings.Split(strings.TrimSpace(copied), "\n")[1:]
	if len(rows) != 200 {
		t.Errorf("%d rows are read", len(rows))
	}
	for i, row := range rows {
		if want := fmt.Sprintf("ORD-%04d\t", 200-i); !strings.HasPrefix(row, want) {
			t.Fatalf("row %d is %q, want %q", i, row, want)
		}
	}
}

func TestTheBorderIsDraggedAndKept(t *testing.T) {
	views := filepath.Join(t.TempDir(), "views.json")
	keep := func(o *tui.Options) { o.Views = views }
	d := apptest.Open(t, 140, 40, keep)
	border := func(d *apptest.Session) int {
		row := []rune(lineWith(d, "ORD-100239"))
		for x := range row {
			if row[x] == '│' {
				return x
			}
		}
		return -1
	}
	d.Advance(time.Second)
	from := border(d)
	d.Send(tea.MouseClickMsg{X: from, Y: 10, Button: tea.MouseLeft})
	d.Send(tea.MouseMotionMsg{X: 60, Y: 12, Button: tea.MouseLeft})
	d.Send(tea.MouseReleaseMsg{X: 60, Y: 12})
	d.Send(tea.MouseMotionMsg{X: 90, Y: 12})
	moved := border(d)
	if moved >= from || moved < 50 {
		t.Fatalf("the border stands at %d:\n%s", moved, d.Screen())
	}
	again := apptest.Open(t, 140, 40, keep)
	again.Advance(time.Second)
	if got := border(again); got != moved {
		t.Errorf("in the next session the border stands at %d, want %d", got, moved)
	}
	again.Send(tea.MouseClickMsg{X: 5, Y: 4, Button: tea.MouseLeft}) // the title of a column
	again.RequireText("▴ Code")
}

func TestTheMapIsDraggedAndTellsWhereTheMouseIs(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("j", "j", "j", "j", "j", "enter")
	d.RequireText("Orders › ORD-100231")
	place := func() string {
		words := strings.Fields(lineWith(d, "├"))
		return strings.Join(words[len(words)-4:], " ")
	}
	centre := place()
	d.Send(tea.MouseMotionMsg{X: 80, Y: 12})
	pointed := place()
	if pointed == centre || d.View().MouseMode != tea.MouseModeAllMotion {
		t.Errorf("over the map stands %q, as before", pointed)
	}
	d.Send(tea.MouseMotionMsg{X: 10, Y: 12})
	if place() != centre {
		t.Errorf("off the map stands %q, want the centre %q", place(), centre)
	}
	d.Send(tea.MouseClickMsg{X: 80, Y: 12, Button: tea.MouseLeft})
	d.Send(tea.MouseMotionMsg{X: 90, Y: 16, Button: tea.MouseLeft})
	d.Send(tea.MouseReleaseMsg{X: 90, Y: 16})
	if got := place(); got != pointed {
		t.Errorf("the place that was held is %q, want it under the mouse still, %q", got, pointed)
	}
	d.Send(tea.MouseMotionMsg{X: 95, Y: 20, Button: tea.MouseLeft}) // of a press somewhere else
	d.Send(tea.MouseMotionMsg{X: 90, Y: 16})
	if got := place(); got != pointed {
		t.Errorf("a map that was let go of has moved: %q", got)
	}
	before := d.Screen()
	d.Press("%")
	if d.Screen() == before {
		t.Error("the map is drawn in the same glyphs")
	}
	d.Press("%", "%", "_", "}")
	d.RequireText("▸ MSN-300539")
	d.Press("{")
	d.RequireText("▸ MSN-300538")
}

// TestTableFrames is run with -update to draw them anew.
func TestTableFrames(t *testing.T) {
	first := 60
	d := apptest.OpenAgainst(t, newer(&first))
	first = 130 // more than a page of new orders
	d.Press("r", "g", "l")
	d.CompareFrames(t, "changed")
	d = apptest.Open(t, 100, 30)
	d.Press("/")
	d.Type("status:c")
	d.CompareFrames(t, "filter")
	d.Type("zzz")
	d.CompareFrames(t, "filter-nothing")
	d.Press("esc", ">", ">", ">", ">", ">", "R", "|")
	d.Resize(140, 40)
	d.Advance(time.Second) // the selection rests, and its order is read
	d.CompareFrames(t, "columns")
	d.Press("esc", "E")
	d.CompareFrames(t, "export")
}

// lineWith returns the first line of the screen with a text.
func lineWith(d *apptest.Session, text string) string {
	for l := range strings.SplitSeq(d.Screen(), "\n") {
		if strings.Contains(l, text) {
			return l
		}
	}
	return ""
}

func TestAFilterNamesTheHiddenColumnThatMatches(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("2", "/")
	d.Type("windkraft")
	d.RequireText("17 of 17, found in Company")
	d.Press("ctrl+u")
	d.Type("whitelee")
	d.RequireText("1 of 17")
	d.SeesNot("found in")
}

package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseReadsTimesAndEvents(t *testing.T) {
	s, err := Parse("dir/first-day.scenario", []byte("\ufefftitle First day\n\n# a comment\n0s place levee \"Elbe levee, km 3\" due 6d\r\n"+
		"1h\tissue-quote levee Economy price 1388.43 expires 2d\n1h place-orders 2 over 4h\n1d6h clock 1d\n1d6h note \"The end\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "first-day" || s.Title != "First day" {
		t.Errorf("%q %q", s.Name, s.Title)
	}
	type at struct {
		line  int
		after time.Duration
		text  string
	}
	var got []at
	for _, e := range s.Events {
		got = append(got, at{e.Line, e.After, e.Text})
	}
	want := []at{
		{4, 0, `place levee "Elbe levee, km 3" due 6d`},
		{5, time.Hour, "issue-quote levee Economy price 1388.43 expires 2d"},
		{6, time.Hour, "place-orders, 1 of 2"},
		{6, 3 * time.Hour, "place-orders, 2 of 2"},
		{7, 30 * time.Hour, "clock 1d"},
		{8, 30 * time.Hour, `note "The end"`},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if s.Events[4].Clock != 24*time.Hour {
		t.Errorf("the clock moves by %v", s.Events[4].Clock)
	}
}

func TestParseErrorsSayWhatToDo(t *testing.T) {
	const quoted = "0s place a A\n1h issue-quote a Economy expires 2h\n"
	const ordered = quoted + "2h accept-quote a Economy\n"
	for text, want := range map[string]string{
		"":                                   "f: no events; add a line",
		"# nothing\n":                        "f: no events",
		"soon place a A":                     `f:1: "soon" is not a time; begin with the time`,
		"-1h place a A":                      "f:1: -1h is out of range",
		"1h":                                 "f:1: no event; add one of accept-delivery",
		"1h place a A\n59m note B":           "f:2: 59m is before line 1; put the lines in the order",
		"0s fly a":                           `f:1: unknown event "fly"; use accept-delivery`,
		"0s place a":                         `f:1: something is missing; write: place ORDER "TITLE"`,
		"0s place 1a A":                      `"1a" cannot be a name; use a letter`,
		"0s place a A\n0s place a B":         `f:2: an order "a" was placed before; use another name`,
		"0s place a A due soon":              `"soon" is not a length of time; use`,
		"0s place a A late 3d":               `"late" is too much; write: place`,
		`0s place a "A`:                      `a quotation mark is not closed; add another "`,
		`0s place a ""`:                      "a text is empty",
		"0s place-orders 0":                  `"0" is not a number of orders; use 1 to 1000`,
		"0s issue-quote a Economy":           `no order "a" so far; place it in an earlier line`,
		quoted + "1h accept-quote a E":       `f:3: a has no quote "E" so far; issue it`,
		quoted + "3h accept-quote a E":       `a has no quote "E"`,
		quoted + "3h accept-quote a Economy": `quote "Economy" of a expires at 3h0m0s; decide it before`,
		quoted + "2h reject-quote a Economy\n2h accept-quote a Economy": `quote "Economy" of a is rejected already`,
		quoted + "2h assign-operator a Bo":                              "no quote of a is accepted so far; add: accept-quote a QUOTE",
		quoted + "2h issue-quote a Express price free":                  `"free" is not a price; use a number`,
		ordered + "2h accept-quote a Economy":                           "a quote of a is accepted already; remove this line",
		ordered + "2h issue-quote a Express":                            "a quote of a is accepted already",
		ordered + "2h schedule-flight a in 1d":                          "a is awaitingPilot then, which is too early or too late",
		ordered + "2h record-permit a granted":                          "a has no operator so far; add: assign-operator",
		ordered + "2h assign-operator a Bo\n3h schedule-flight a":       "something is missing; write: schedule-flight ORDER in 3d",
		ordered + "2h assign-operator a Bo\n3h record-permit a yes":     `"yes" is not a status; write: record-permit`,
		ordered + "2h assign-operator a Bo\n3h accept-delivery a":       "a is pilotAssigned then",
		quoted + "2h cancel-order a\n3h describe a B":                   "a is cancelled; remove this line",
		"0s endpoint warehouse":                                         "something is missing; write: endpoint HOST answers 500",
		"0s endpoint warehouse answers 302":                             `"302" is not a status; use 200, or 400 to 599`,
		"0s endpoint ware_house answers 500":                            `"ware_house" is not a host`,
		"0s callbacks lose":                                             `"lose" is not a fault of callbacks; write: callbacks normal|drop`,
		"0s service answers no":                                         `"no" is not a status`,
		"0s clock":                                                      "something is missing; write: clock 1d",
		"0s note \xff":                                                  "f: not UTF-8",
		"0s note " + strings.Repeat("x", 2001):                          "a text has more than 2000 characters",
		ordered + "2h assign-operator a Bo\n2h schedule-flight a in 1d\n3d deliver a\n3d cancel-order a": "the data of a is delivered, which is too late",
		ordered + "2h reject-quote a Economy":        "a quote of a is accepted already",
		strings.Repeat("0s x\n", 12):                 "f: 2 more errors",
		strings.Repeat("0s place-orders 1000\n", 11): "f: 11000 events; the limit is 10000",
		strings.Repeat("#", maxFile+1):               "f: larger than",
		"0s place a A\n1h\n2h note B\n3h note":       "f:2: no event",
	} {
		s, err := Parse("f", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got %v, %v; want %s", text, s, err, want)
		}
	}
	if _, err := Parse("f", []byte("0s fly\n0s note\n")); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two faults: %v", err)
	}
}

// Values at the limits are accepted, and values beyond them are not.
func TestParseAcceptsValuesAtTheLimits(t *testing.T) {
	const ordered = "0s place a A\n1h issue-quote a Q expires 2h\n"
	for within, beyond := range map[string]string{
		"0s note " + strings.Repeat("ä", 2000):                 "0s note " + strings.Repeat("ä", 2001),
		"0s place a " + strings.Repeat("x", 200):               "0s place a " + strings.Repeat("x", 201),
		"0s place " + strings.Repeat("a", 40) + " A":           "0s place " + strings.Repeat("a", 41) + " A",
		"0s place-orders 1000":                                 "0s place-orders 1001",
		"0s place-orders 1 over 3650d":                         "0s place-orders 1 over 3651d",
		"3650d note A":                                         "3650d1s note A",
		"0s service answers 400":                               "0s service answers 399",
		"0s service answers 599":                               "0s service answers 600",
		"0s place a A\n0s issue-quote a Q price 0.01":          "0s place a A\n0s issue-quote a Q price 0",
		"0s place a A\n0s issue-quote a Q price 1000000000000": "0s place a A\n0s issue-quote a Q price 1000000000001",
		ordered + "2h59m59s accept-quote a Q":                  ordered + "3h accept-quote a Q",
		ordered + "1h accept-quote a Q\n1h cancel-order a":     ordered + "1h accept-quote a R\n1h cancel-order a",
		"0s clock 1s":        "0s clock 0s",
		"0s note \"a b\"":    "0s note \"a\tb\"",
		"title A\n0s note B": "0s note B\ntitle A",
		strings.Repeat("0s place-orders 1000\n", 10):                    strings.Repeat("0s place-orders 1000\n", 10) + "0s note A\n",
		"0s note A\n" + strings.Repeat("#", maxFile-len("0s note A\n")): "0s note A\n" + strings.Repeat("#", maxFile+1-len("0s note A\n")),
	} {
		if _, err := Parse("f", []byte(within)); err != nil {
			t.Errorf("%.60q: %v", within, err)
		}
		if s, err := Parse("f", []byte(beyond)); err == nil {
			t.Errorf("%.60q is taken as %+v", beyond, s)
		}
	}
	if _, err := Parse("f", []byte(strings.Repeat("0s x\n", 10))); strings.Contains(err.Error(), "more errors") {
		t.Error(err)
	}
}

func TestLoadFindsFilesAndBuiltinScenarios(t *testing.T) {
	for _, name := range BuiltinNames() {
		s, err := Load(name)
		if err != nil || s.Name != name || s.Title == name {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	path := filepath.Join(t.TempDir(), "mine.txt")
	if err := os.WriteFile(path, []byte("0s note A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(path); err != nil || s.Name != "mine" || len(s.Events) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := Load("late-fligt"); err == nil || !strings.Contains(err.Error(), "use busy-week, ") {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := Load(filepath.Dir(path) + "/none"); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestTheReadmeHasAllEvents(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range eventVerbs() {
		row := "| `" + name + " " + strings.ReplaceAll(v.usage, "|", `\|`) + "` | " + v.means + " |"
		if !strings.Contains(string(text), row) {
			t.Errorf("api/README.md has no line %s", row)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range BuiltinNames() {
		text, err := builtin.ReadFile("builtin/" + name + ending)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("0s endpoint a answers 500\n1h callbacks drop\n2h service answers 503\n3h clock 1d\n"))
	f.Add([]byte("0s place a \"A\n0s place-orders 3 over 1s over 2s\n0s x \"\" \"\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse("f", text)
		if err != nil {
			if s != nil || !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%v with %v", s, err)
			}
			return
		}
		for i, e := range s.Events {
			if e.Text == "" || e.After < 0 || i > 0 && e.After < s.Events[i-1].After {
				t.Errorf("event %d is %+v", i, e)
			}
		}
	})
}

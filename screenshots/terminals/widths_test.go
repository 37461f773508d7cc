//go:build terminals

package terminals

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/term"

	"flightdesk/tui/format"
)

// measureInto names the file that this program, started in a terminal, writes
// into how wide texts are there.
const measureInto = "TERMINALS_MEASURE"

func TestMain(m *testing.M) {
	if into := os.Getenv(measureInto); into != "" {
		if err := measure(into); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// sample is a text with the cells that it takes once it is cleaned.
type sample struct {
	name, text string
	cells      int
	but        string // terminal that differs, and by it: "kitty 3"
}

func samples() ([]sample, error) {
	data, err := os.ReadFile(filepath.Join(os.Getenv("TERMINALS_ROOT"), "tui", "layout", "testdata", "widths.tsv"))
	if err != nil {
		return nil, err
	}
	var all []sample
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		cells, err := strconv.Atoi(parts[2])
		if err != nil {
			return nil, err
		}
		all = append(all, sample{parts[0], parts[1], cells, strings.Join(parts[3:], "")})
	}
	return all, nil
}

// width is what a terminal makes of a text as it came, and cleaned.
type width struct{ Raw, Cleaned int }

func measure(into string) error {
	all, err := samples()
	if err != nil {
		return err
	}
	before, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return err
	}
	defer func() { _ = term.Restore(os.Stdin.Fd(), before) }()
	format.SumCodePoints(true)
	in := bufio.NewReader(os.Stdin)
	column := func(text string) (int, error) {
		fmt.Printf("\x1b[5;1H\x1b[2K%s\x1b[6n", text)
		answer, err := in.ReadString('R')
		if err != nil {
			return 0, err
		}
		at, err := strconv.Atoi(strings.TrimSuffix(answer[strings.LastIndexByte(answer, ';')+1:], "R"))
		return at - 1, err
	}
	widths := map[string]width{}
	for _, s := range all {
		var w width
		if w.Raw, err = column(s.text); err == nil {
			w.Cleaned, err = column(format.Clean(s.text))
		}
		if err != nil {
			return err
		}
		widths[s.name] = w
	}
	data, err := json.Marshal(widths)
	if err != nil {
		return err
	}
	if err := os.WriteFile(into+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(into+".new", into)
}

func TestTerminalsMeasureCleanedTextAsTheAppDoes(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TERMINALS_ROOT", root)
	all, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	on := display(t)
	found := map[string]map[string]width{}
	for _, e := range emulators {
		into := filepath.Join(t.TempDir(), "widths.json")
		e.start(t, on, false, []string{measureInto + "=" + into, "TERMINALS_ROOT=" + root}, self)
		eventually(t, "measuring in "+e.name, func() bool { _, err := os.Stat(into); return err == nil })
		data, err := os.ReadFile(into)
		if err == nil {
			widths := map[string]width{}
			err = json.Unmarshal(data, &widths)
			found[e.name] = widths
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var table strings.Builder
	for _, s := range all {
		fmt.Fprintf(&table, "\n%-22s %-12s app %2d", s.name, s.text, s.cells)
		for _, e := range emulators {
			w := found[e.name][s.name]
			fmt.Fprintf(&table, "  %s %d/%d", e.name, w.Raw, w.Cleaned)
			if w.Cleaned != s.cells && s.but != fmt.Sprint(e.name, " ", w.Cleaned) {
				t.Errorf("%s: %s takes %d cells, and is measured as %d", e.name, s.name, w.Cleaned, s.cells)
			}
		}
	}
	t.Log("cells as it came / cleaned:", table.String())
}

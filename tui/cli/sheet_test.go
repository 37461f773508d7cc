package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"flightdesk/tui/app/columns"
)

// printingCall returns a call that prints to out.
func printingCall(out io.Writer, format string) *Call {
	cmd := &cobra.Command{}
	cmd.SetOut(out)
	cmd.SetErr(io.Discard)
	cmd.Flags().Uint("limit", 0, "")
	return &Call{Context: context.Background(), Cmd: cmd, Output: format}
}

// Text of a service stays on its line and controls no terminal.
func TestHostileTextInRowsIsHarmless(t *testing.T) {
	type row struct {
		Name string `json:"name"`
	}
	all := []columns.Column[*row]{{ColumnSpec: columns.ColumnSpec{Title: "Name", Name: "name"}, Value: func(r *row) columns.Cell { return columns.TextCell(r.Name) }}}
	hostile := []row{{"a\x1b[2Jb\nc"}, {"=1+1"}, {"x\u202ey\u009b2J"}}
	for format, want := range map[string]string{
		"table": "Name\na␛[2Jb c\n=1+1\nx\uFFFDy\uFFFD2J\n\n3 rows\n",
		"csv":   "name\na␛[2Jb c\n'=1+1\nx\uFFFDy\uFFFD2J\n",
		"json":  `{"name":"a\u001b[2Jb\nc"}` + "\n" + `{"name":"=1+1"}` + "\n" + `{"name":"x\u202ey\u009b2J"}` + "\n",
	} {
		var out strings.Builder
		rows := eachOf(oneRow(&hostile, nil), func(list *[]row) ([]row, error) { return *list, nil })
		if err := printFormattedRows(printingCall(&out, format), "row", all, "", rows); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", format, out.String(), err)
		}
	}
}

func TestAListEndsAtTheLimitOrWithAnError(t *testing.T) {
	broken := errors.New("broken")
	all := func(yield func(*int, error) bool) {
		for i := range 3 {
			if !yield(&i, nil) {
				return
			}
		}
		yield(nil, broken)
	}
	for limit, want := range map[string]string{"0": "0\n2\n", "1": "0\n", "2": "0\n2\n"} {
		var out strings.Builder
		c := printingCall(&out, "json")
		if err := c.Cmd.Flags().Set("limit", limit); err != nil {
			t.Fatal(err)
		}
		err := printFormattedRows(c, "number", []columns.Column[*int]{}, "", filterRows(all, func(i *int) bool { return *i != 1 }))
		if out.String() != want || errors.Is(err, broken) != (limit == "0") {
			t.Errorf("--limit %s: %q, %v", limit, &out, err)
		}
	}
}

// A table has the named columns first and the others unless they are off. Wide tables and CSV have
// all columns.
func TestATableAlsoHasColumnsThatAreNotNamed(t *testing.T) {
	type row struct{ Code, Name, City, ID string }
	column := func(spec columns.ColumnSpec, of func(*row) string) columns.Column[*row] {
		return columns.Column[*row]{ColumnSpec: spec, Value: func(r *row) columns.Cell { return columns.TextCell(of(r)) }}
	}
	all := []columns.Column[*row]{
		column(columns.ColumnSpec{Title: "Code", Name: "code"}, func(r *row) string { return r.Code }),
		column(columns.ColumnSpec{Title: "Name", Name: "name"}, func(r *row) string { return r.Name }),
		column(columns.ColumnSpec{Title: "City", Name: "city", Off: true}, func(r *row) string { return r.City }),
		column(columns.ColumnSpec{Name: "id"}, func(r *row) string { return r.ID }),
	}
	for format, want := range map[string]string{
		"table": "Name  Code\nn     c\n\n1 row\n", "wide": "Name  Code  City\nn     c     –\n\n1 row\n", "csv": "name,code,city,id\nn,c,,i\n",
	} {
		var out strings.Builder
		if err := printFormattedRows(printingCall(&out, format), "row", all, "name", oneRow(&row{"c", "n", "", "i"}, nil)); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", format, out.String(), err)
		}
	}
}

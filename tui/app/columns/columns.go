// Package columns says what is shown of every entity: one table of typed columns
// for each. The screen's table and its filter, sort, chooser, copies and files
// come from it, and so do the tables and CSV of the command line.
package columns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"flightdesk/tui/format"
)

// ColumnSpec describes a column apart from its values.
type ColumnSpec struct {
	Title    string
	Full     string // the title in a shell's table; "" is Title
	Name     string // in filters, exports and settings; "" is Title
	Kind     ColumnKind
	Decimals int // of Number

	Width  int  // cells; the minimum of a Fill column, ignored for numbers and days
	Fill   int  // weight of the share of the width that is left
	Right  bool // aligned at the right; numbers and days always are
	Middle bool // cut in the middle, as file names are
	Drop   int  // leaves first where the width is short, the highest first; 0 stays
	Off    bool // hidden unless it is chosen

	Shell bool // of the command line only
	Ago   bool // a shell's table shows how long ago it was, in place of the day
	Least int  // cells kept in a shell's table that is too wide; 0 is never cut
}

// Column is a column of an entity: its description, and its value of a row.
type Column[T any] struct {
	ColumnSpec
	Value func(row *T) Cell
}

// ColumnSpecs returns the descriptions of columns.
func ColumnSpecs[T any](all []Column[T]) []ColumnSpec {
	specs := make([]ColumnSpec, len(all))
	for i := range all {
		specs[i] = all[i].ColumnSpec
	}
	return specs
}

// ScreenColumns returns the columns that the terminal app has.
func ScreenColumns[T any](all []Column[T]) []Column[T] {
	return slices.DeleteFunc(slices.Clone(all), func(c Column[T]) bool { return c.Shell })
}

// LayColumns returns the columns of the layouts' names, in their order and laid out as
// those say. A title is the column's unless the layout has one.
func LayColumns[T any](all []Column[T], layouts ...ColumnSpec) []Column[T] {
	laid := make([]Column[T], len(layouts))
	for i, layout := range layouts {
		laid[i] = PickColumns(all, layout.Name)[0]
		layout.Kind, layout.Decimals = laid[i].Kind, laid[i].Decimals
		layout.Title = cmp.Or(layout.Title, laid[i].Title)
		laid[i].ColumnSpec = layout
	}
	return laid
}

// WithValue returns the columns with another value in one of them.
func WithValue[T any](all []Column[T], name string, value func(*T) Cell) []Column[T] {
	all = slices.Clone(all)
	for i := range all {
		if all[i].MachineName() == name {
			all[i].Value = value
		}
	}
	return all
}

// CellsOf returns the function that finds the cell of a row in a column, where at
// finds the row.
func CellsOf[T any](all []Column[T], at func(row int) *T) func(row, column int) Cell {
	return func(row, column int) Cell { return all[column].Value(at(row)) }
}

// PickColumns returns the columns of the names, in their order. It panics if there is
// no such column: names are written next to the tables, not read from outside.
func PickColumns[T any](all []Column[T], names ...string) []Column[T] {
	picked := make([]Column[T], len(names))
	for i, name := range names {
		at := slices.IndexFunc(all, func(c Column[T]) bool { return c.MachineName() == name })
		if at < 0 {
			panic(fmt.Sprintf("columns: no column %q", name))
		}
		picked[i] = all[at]
	}
	return picked
}

// ColumnsOf makes columns of an entity columns of what contains it.
func ColumnsOf[T, U any](all []Column[T], of func(*U) *T) []Column[U] {
	outer := make([]Column[U], len(all))
	for i := range all {
		value := all[i].Value
		outer[i] = Column[U]{all[i].ColumnSpec, func(row *U) Cell { return value(of(row)) }}
	}
	return outer
}

// IsRight reports whether the column is aligned at the right.
func (c *ColumnSpec) IsRight() bool {
	return c.Right || c.Kind != Words && c.Kind != Status
}

// MachineName returns what the column is called where people do not read it.
func (c *ColumnSpec) MachineName() string { return cmp.Or(c.Name, c.Title) }

// FilterWord returns what a filter calls the column by: the first word of its title.
func (c *ColumnSpec) FilterWord() string {
	word, _, _ := strings.Cut(strings.ToLower(c.Title), " ")
	return word
}

// OutName returns the column's name in what is copied or exported: of areas that are
// written in a chosen unit with that, since the name alone means square metres.
func (c *ColumnSpec) OutName() string {
	if _, unit := c.outUnit(); unit != "" {
		return c.MachineName() + unit
	}
	return c.MachineName()
}

// outUnit returns how many square metres there are in the unit that was chosen
// for the column's areas, and its name; "" where none was, or it has no areas.
func (c *ColumnSpec) outUnit() (per float64, name string) {
	chosen := format.ChosenUnits().Areas
	if c.Kind != Area || chosen == format.BySize {
		return 1, ""
	}
	text := string(chosen)
	return format.PriceUnit().Per, format.CapitalizeFirst(text)
}

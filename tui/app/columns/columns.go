// Package columns says what is shown of every entity: one table of typed columns
// for each. The screen's table and its filter, sort, chooser, copies and files
// come from it, and so do the tables and CSV of the command line.
package columns

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// ColumnSpec describes a column apart from its values.
type ColumnSpec struct {
	Title string
	Full  string // the title in a shell's table; "" is Title
	Name  string // in filters, exports and settings; "" is Title in lower case
	Kind  ColumnKind
	Of    string // the member that it shows, as Order.Deadline; "" is that of its name

	Width  int  // cells; the minimum of a Fill column, ignored for numbers and days
	Fill   int  // weight of the share of the width that is left
	Right  bool // aligned at the right; numbers and days always are
	Middle bool // cut in the middle, as file names are
	Drop   int  // leaves first where the width is short, the highest first; 0 stays
	Off    bool // hidden unless it is chosen
	Clock  bool // of Date: the time of the day as well
	Units  format.Units

	// What the rows of a table were measured to be.
	Longest int  // cells of the longest text; 0 where that is not known
	Same    bool // all rows have one text

	Shell bool // of the command line only
	Ago   bool // a shell's table shows how long ago it was, in place of the day
	Least int  // cells kept in a shell's table that is too wide; 0 is never cut
}

// Column is a column of an entity: its description, and its value of a row.
type Column[T any] struct {
	ColumnSpec
	Value func(row T) Cell
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

// InUnits returns the columns with their areas and times in units.
func InUnits[T any](all []Column[T], units format.Units) []Column[T] {
	for i := range all {
		all[i].Units = units
	}
	return all
}

// HideColumns returns the columns with those of the names off.
func HideColumns[T any](all []Column[T], names ...string) []Column[T] {
	for i := range all {
		all[i].Off = all[i].Off || slices.Contains(names, all[i].MachineName())
	}
	return all
}

// CellsOf returns the function that finds the cell of a row in a column, where at
// finds the row.
func CellsOf[T any](all []Column[T], at func(row int) T) func(row, column int) Cell {
	return func(row, column int) Cell { return all[column].Value(at(row)) }
}

// PickColumns returns the columns of the names, which have spaces between them, in their
// order. It panics if there is no such column: names are written next to the tables, not
// read from outside.
func PickColumns[T any](all []Column[T], names string) []Column[T] {
	var picked []Column[T]
	for name := range strings.FieldsSeq(names) {
		at := slices.IndexFunc(all, func(c Column[T]) bool { return c.MachineName() == name })
		if at < 0 {
			panic(fmt.Sprintf("columns: no column %q", name))
		}
		picked = append(picked, all[at])
	}
	return picked
}

// PickFirst returns the columns of the names, in their order, and behind them those of
// other names.
func PickFirst[T any](all []Column[T], names string) []Column[T] {
	picked := PickColumns(all, names)
	for _, c := range all {
		if !slices.ContainsFunc(picked, func(p Column[T]) bool { return p.MachineName() == c.MachineName() }) {
			picked = append(picked, c)
		}
	}
	return picked
}

// ColumnsOf makes columns of an entity columns of what contains it.
func ColumnsOf[T, U any](all []Column[T], of func(U) T) []Column[U] {
	outer := make([]Column[U], len(all))
	for i := range all {
		value := all[i].Value
		outer[i] = Column[U]{all[i].ColumnSpec, func(row U) Cell { return value(of(row)) }}
	}
	return outer
}

// Pointers points at each of the items.
func Pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}

// IsRight reports whether the column is aligned at the right.
func (c *ColumnSpec) IsRight() bool {
	return c.Right || c.Kind != Words && c.Kind != Status
}

// MachineName returns what the column is called where people do not read it.
func (c *ColumnSpec) MachineName() string { return cmp.Or(c.Name, strings.ToLower(c.Title)) }

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
	if chosen := string(c.Units.Areas); c.Kind == Area && chosen != "" && chosen != string(format.BySize) {
		return c.Units.PriceUnit().Per, format.CapitalizeFirst(chosen)
	}
	return 1, ""
}

// InShell writes a cell for people in a shell's table, where every value has
// its unit; "" is none.
func (c *ColumnSpec) InShell(cell Cell, now time.Time) string {
	switch {
	case c.Kind == Status && cell.Known: // a shell has no need of glyphs
		_, label, _ := strings.Cut(cell.Text, " ")
		return label
	case cell.Text == format.None:
		return ""
	case cell.Text != "" || !cell.Known:
		return cell.Text
	case c.Kind == Area:
		return c.Units.Area(cell.Num)
	case c.Kind == Date && c.Ago:
		return format.Age(cell.Time, now)
	case c.Kind == Date && !c.Clock:
		return format.Day(c.ShownTime(cell, now), now)
	case c.Kind == Number:
		return strconv.FormatFloat(cell.Num, 'f', -1, 64)
	default:
		return c.WriteCell(cell, format.Unit{}, now)
	}
}

// ForPrograms writes a cell for programs that a shell runs: as the service has
// sent it, in square metres and bytes; "" is none.
func (c *ColumnSpec) ForPrograms(cell Cell) string {
	switch {
	case cell.Data != "":
		return cell.Data
	case c.Kind == Words:
		return c.RawCell(cell)
	case c.Kind == Area && cell.Known:
		return strconv.FormatFloat(cell.Num, 'f', -1, 64)
	case !cell.Known && cell.Text != format.None:
		return cell.Text
	default:
		return c.RawCell(cell)
	}
}

// TableHeading returns the title over the column in a shell's table.
func (c *ColumnSpec) TableHeading() string { return cmp.Or(c.Full, c.Title) }

// RowFacts returns what columns say of a row, each behind its heading, with times in full.
func RowFacts[T any](all []Column[T], row T, now time.Time) [][2]string {
	var facts [][2]string
	for i := range all {
		c := &all[i]
		cell := c.Value(row)
		text := c.InShell(cell, now)
		if c.TableHeading() == "" {
			continue
		} else if c.Kind == Date && cell.Known && cell.Day == NoDay && len(cell.Data) > len(time.DateOnly) {
			text = cell.Time.In(c.Units.ClockAt(now, cell.Zone).Location()).Format(time.RFC3339)
		} else if c.Kind == Date && cell.Data != "" {
			text = cell.Data
		}
		facts = append(facts, [2]string{c.TableHeading(), text})
	}
	return facts
}

// Values are the values of columns that are not those of a member of the row, by the
// columns' names.
type Values[T any] map[string]func(T) Cell

//go:embed columns.json
var descriptions []byte

// tables are the columns of columns.json, by the names of their tables.
var tables = readTables(descriptions)

func readTables(text []byte) map[string][]ColumnSpec {
	var all map[string][]ColumnSpec
	if err := json.Unmarshal(text, &all, json.MatchCaseInsensitiveNames(true)); err != nil {
		panic(err)
	}
	return all
}

// MakeColumns returns the columns of a table with their values: where none is named, the column shows the
// row's member of its name and has the kind of its type. It panics if there is no such
// member, or no column of a value.
func MakeColumns[T any](table string, values Values[T]) []Column[T] {
	all := make([]Column[T], len(tables[table]))
	used := 0
	for i, spec := range tables[table] {
		all[i] = Column[T]{spec, values[spec.MachineName()]}
		if all[i].Value == nil {
			fillMember(&all[i])
		} else {
			used++
		}
	}
	if used != len(values) {
		panic(fmt.Sprintf("columns: %d of %d values have a column", used, len(values)))
	}
	return all
}

// fillMember has a column show a member of its row, of whose type its kind is.
func fillMember[T any](c *Column[T]) {
	var member reflect.StructField
	name := c.MachineName()
	index := []int(nil)
	in := reflect.TypeFor[T]().Elem()
	for part := range strings.SplitSeq(cmp.Or(c.Of, name), ".") {
		is := func(member string) bool { return strings.EqualFold(member, part) }
		var ok bool
		member, ok = in.FieldByNameFunc(is)
		if !ok {
			panic(fmt.Sprintf("columns: no member %q", part))
		}
		index = append(index, member.Index...)
		in = member.Type
		if in.Kind() == reflect.Pointer {
			in = in.Elem()
		}
	}
	switch reflect.New(member.Type).Interface().(type) {
	case *int, *int64, **int, **int64:
		if c.Kind == Words {
			c.Kind = Number
		}
	case *api.Time, *api.Date:
		c.Kind = Date
	case *api.MissionStatus, *api.SchedulingStatus, *api.PermissionStatus, *api.DeliveryStatus, *ops.KeyRequestStatus:
		c.Kind = Status
	}
	c.Value = func(row T) Cell {
		cell := memberCell(reflect.ValueOf(row).Elem().FieldByIndex(index).Addr().Interface())
		if cell.Text == format.None {
			cell = orUnread(cell, MoreOf(row), name)
		}
		return cell
	}
}

// memberCell returns the cell of the member that at points to.
func memberCell(at any) Cell {
	switch v := at.(type) {
	case *Cell:
		return *v
	case *string:
		return TextOr(*v)
	case **string:
		return TextAt(*v)
	case *int:
		return knownCell(*v)
	case *int64:
		return knownCell(*v)
	case **int:
		return NumOf(*v)
	case **int64:
		return NumOf(*v)
	case **float64:
		return AreaOf(*v, nil)
	case *api.Days:
		return DaysCell(*v)
	case *api.Time:
		return TimeCell(*v)
	case *api.Date:
		return dateCell(*v)
	}
	return statusCell(at)
}

// statusCell returns the cell of a status, or of other values that have labels.
func statusCell(at any) Cell {
	switch v := at.(type) {
	case *api.MissionStatus:
		return MissionState(*v)
	case *api.SchedulingStatus:
		return StateCell(format.Status(*v), 0)
	case *api.PermissionStatus:
		return StateCell(format.Status(*v), 0)
	case *api.DeliveryStatus:
		return StateCell(format.Status(*v), 0)
	case *ops.KeyRequestStatus:
		return StateCell(format.Status(*v), 0)
	}
	return WordCell(at)
}

// WordCell returns the cell of values of the service that have labels.
func WordCell(at any) Cell {
	switch v := at.(type) {
	case *[]string:
		return TextCell(strings.Join(*v, ", ")).WithTone(format.Muted)
	case *[]api.Scope:
		return listCell(*v, api.Scopes(), JoinValues)
	case *[]api.EventName:
		return listCell(*v, api.EventNames(), format.WordList)
	case *[]api.Sensor:
		return listCell(*v, nil, format.WordList)
	case *[]api.Deliverable:
		return listCell(*v, nil, format.WordList)
	}
	if v := reflect.ValueOf(at).Elem(); v.Kind() == reflect.String {
		return labelOf(v.String())
	}
	panic(fmt.Sprintf("columns: %T is not shown in a cell", at))
}

// listCell returns values as their words, "all" for as many as are known.
func listCell[T ~string](values, known []T, say func([]T) string) Cell {
	cell := Cell{Text: say(values), Data: JoinValues(values)}
	if known != nil && len(values) == len(known) {
		cell.Text = "all"
	}
	return cell
}

// MoreOf returns the members of a row of a list that have no column.
func MoreOf(row any) api.ExtraMembers {
	if f, is := row.(*ListedFile); is && f.Package != nil {
		all := maps.Clone(f.Package)
		maps.Copy(all, f.Extra)
		return all
	}
	extra := reflect.ValueOf(row).Elem().FieldByName("Extra")
	if !extra.IsValid() {
		return nil
	}
	members, _ := extra.Interface().(api.ExtraMembers)
	return members
}

// Package columns has a table of typed columns for each kind of object. The tables of the
// app, with their filters, sorting and exports, and the tables and CSV of the command
// line are generated from it.
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

// ColumnSpec describes a column of a table: its names, its kind and its layout.
type ColumnSpec struct {
	Title string // heading in the app
	Full  string // heading in tables on the command line; "" for Title
	Name  string // name in filters, exports and settings; "" for Title in lower case
	Kind  ColumnKind
	Of    string // struct field of the row to show, such as Order.Deadline; "" for the field named like the column

	Width  int  // width in terminal cells; minimum width if Fill is set; ignored for numbers and days
	Fill   int  // the remaining width is divided among columns in proportion to Fill
	Right  bool // right-align texts; numbers and days are always right-aligned
	Middle bool // shorten texts in the middle, for file names
	Drop   int  // if the table is too wide, columns with the highest Drop are hidden first; 0 is never hidden
	Off    bool // hidden unless the user selects it
	Steady int  // cells that the column has even if its texts are shorter; it also stays if they are all the same
	Clock  bool // for Date: with the time of day
	Units  format.Units

	// The following fields depend on the rows of the table. They are set before the table is drawn.
	Longest int    // width of the longest text in terminal cells; 0 if unknown
	Blank   bool   // no row has a value
	Same    string // text of every row if all rows have the same value, otherwise ""

	Shell bool // show the column only on the command line
	Ago   bool // on the command line, show the age instead of the day
	Least int  // minimum width to which the command line shortens the column; 0 if it is never shortened
}

// IsRepeated reports whether every row has the same value, or none has a value. It is false for a steady column,
// whose values are about to change.
func (c *ColumnSpec) IsRepeated() bool {
	isSteady := c.Steady > 0 && !c.Blank
	return !isSteady && (c.Blank || c.Same != "")
}

// Column is a column of a table whose rows have type T. Value returns the cell for a row.
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

// ScreenColumns returns the columns without the columns that only the command line shows.
func ScreenColumns[T any](all []Column[T]) []Column[T] {
	return slices.DeleteFunc(slices.Clone(all), func(c Column[T]) bool { return c.Shell })
}

// InUnits makes the columns show areas and times in the given units. It changes and returns the given columns.
func InUnits[T any](all []Column[T], units format.Units) []Column[T] {
	for i := range all {
		all[i].Units = units
	}
	return all
}

// HideColumns hides the columns with the given names.
func HideColumns[T any](all []Column[T], names ...string) []Column[T] {
	for i := range all {
		all[i].Off = all[i].Off || slices.Contains(names, all[i].MachineName())
	}
	return all
}

// CellsOf returns a function that returns the cell in a row and a column. rowAt returns the object of a row number.
func CellsOf[T any](all []Column[T], rowAt func(row int) T) func(row, column int) Cell {
	return func(row, column int) Cell { return all[column].Value(rowAt(row)) }
}

// PickColumns returns the columns with the given names, in the given order. names is a list such as
// "code name status". PickColumns panics if a name is unknown, because names is always a constant.
func PickColumns[T any](all []Column[T], names string) []Column[T] {
	var picked []Column[T]
	for name := range strings.FieldsSeq(names) {
		column, ok := findColumn(all, name)
		if !ok {
			panic(fmt.Sprintf("columns: no column %q", name))
		}
		picked = append(picked, column)
	}
	return picked
}

func findColumn[T any](all []Column[T], name string) (column Column[T], ok bool) {
	for _, c := range all {
		if c.MachineName() == name {
			return c, true
		}
	}
	return Column[T]{}, false
}

// PickFirst returns the columns with the given names in the order of the names, followed by all
// other columns.
func PickFirst[T any](all []Column[T], names string) []Column[T] {
	picked := PickColumns(all, names)
	for _, c := range all {
		if _, isPicked := findColumn(picked, c.MachineName()); !isPicked {
			picked = append(picked, c)
		}
	}
	return picked
}

// ColumnsOf makes columns for rows of type U from columns for rows of type T. of returns the T in a
// U, for instance the api.Mission in a cache.Mission.
func ColumnsOf[T, U any](all []Column[T], of func(U) T) []Column[U] {
	outer := make([]Column[U], len(all))
	for i := range all {
		value := all[i].Value
		outer[i] = Column[U]{all[i].ColumnSpec, func(row U) Cell { return value(of(row)) }}
	}
	return outer
}

// Pointers returns pointers to the items.
func Pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}

// IsRight reports whether the column is right-aligned.
func (c *ColumnSpec) IsRight() bool {
	return c.Right || c.Kind != Words && c.Kind != Status
}

// MachineName returns the name of the column in exports and settings.
func (c *ColumnSpec) MachineName() string { return cmp.Or(c.Name, strings.ToLower(c.Title)) }

// FilterWord returns the name of the column in filters: the first word of its title.
func (c *ColumnSpec) FilterWord() string {
	word, _, _ := strings.Cut(strings.ToLower(c.Title), " ")
	return word
}

// OutName returns the name of the column in copies and exports. If the user has chosen a unit for
// areas, the unit is part of the name; otherwise areas are in m².
func (c *ColumnSpec) OutName() string {
	if _, unit := c.outUnit(); unit != "" {
		return c.MachineName() + unit
	}
	return c.MachineName()
}

// outUnit returns the unit for exporting the column's areas, and how many m² it has. The name is "" for m².
func (c *ColumnSpec) outUnit() (per float64, name string) {
	if c.Kind != Area || c.Units.Areas == "" || c.Units.Areas == format.BySize {
		return 1, ""
	}
	return c.Units.PriceUnit().Per, format.CapitalizeFirst(string(c.Units.Areas))
}

// InShell returns the text of a cell for a table on the command line, with units. It returns "" if
// there is no value.
func (c *ColumnSpec) InShell(cell Cell, now time.Time) string {
	switch {
	case c.Kind == Status && cell.Known: // without the glyph
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

// ForPrograms returns the value of a cell for other programs: unchanged from the service, areas in m²
// and sizes in bytes. It returns "" if there is no value.
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

// TableHeading returns the heading of the column in tables on the command line.
func (c *ColumnSpec) TableHeading() string { return cmp.Or(c.Full, c.Title) }

// RowFacts returns a list of headings and values that describes a single row, with full times.
func RowFacts[T any](all []Column[T], row T, now time.Time) [][2]string {
	var facts [][2]string
	for i := range all {
		c := &all[i]
		cell := c.Value(row)
		if c.TableHeading() == "" {
			continue
		}
		text := c.InShell(cell, now)
		hasClock := cell.Known && cell.Day == NoDay && len(cell.Data) > len(time.DateOnly)
		if c.Kind == Date && hasClock {
			text = cell.Time.In(c.Units.ClockAt(now, cell.Zone).Location()).Format(time.RFC3339)
		} else if c.Kind == Date && cell.Data != "" {
			text = cell.Data
		}
		facts = append(facts, [2]string{c.TableHeading(), text})
	}
	return facts
}

// Values has functions that return cells, by the name of the column. Columns without a function show
// a struct field of the row.
type Values[T any] map[string]func(T) Cell

//go:embed columns.json
var descriptions []byte

// tables has the columns from columns.json, by the name of the table.
var tables = readTables(descriptions)

func readTables(text []byte) map[string][]ColumnSpec {
	var all map[string][]ColumnSpec
	if err := json.Unmarshal(text, &all, json.MatchCaseInsensitiveNames(true)); err != nil {
		panic(err)
	}
	return all
}

// MakeColumns returns the columns of a table that is described in columns.json. A column shows the
// result of its function in values. Without a function, it shows the struct field of the row with the
// same name. MakeColumns panics if there is no such field, or if values has a name that is not a column.
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

// fillMember makes a column show the struct field of the row that it is named after. The type of the
// field determines the kind of the column.
func fillMember[T any](c *Column[T]) {
	name := c.MachineName()
	rowType := reflect.TypeFor[T]().Elem()
	member, index := findMember(rowType, cmp.Or(c.Of, name))
	c.Kind = kindOfMember(member.Type, c.Kind)
	c.Value = func(row T) Cell {
		pointer := reflect.ValueOf(row).Elem().FieldByIndex(index).Addr()
		cell := memberCell(pointer.Interface())
		if cell.Text == format.None {
			cell = orUnread(cell, MoreOf(row), name)
		}
		return cell
	}
}

// kindOfMember returns the kind of a column that shows a field of the given type. If the type does
// not determine the kind, it returns kind.
func kindOfMember(memberType reflect.Type, kind ColumnKind) ColumnKind {
	switch reflect.New(memberType).Interface().(type) {
	case *int, *int64, **int, **int64:
		if kind == Words {
			return Number
		}
	case *api.Time, *api.Date:
		return Date
	case *api.MissionStatus, *api.SchedulingStatus, *api.PermissionStatus, *api.DeliveryStatus, *ops.KeyRequestStatus:
		return Status
	}
	return kind
}

// findMember returns the field of a struct type at a path such as Order.Deadline, and its index for
// reflect. It panics if there is no such field.
func findMember(structType reflect.Type, path string) (member reflect.StructField, index []int) {
	for name := range strings.SplitSeq(path, ".") {
		var exists bool
		member, exists = structType.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
		if !exists {
			panic(fmt.Sprintf("columns: no member %q", name))
		}
		index = append(index, member.Index...)
		structType = member.Type
		if structType.Kind() == reflect.Pointer {
			structType = structType.Elem()
		}
	}
	return member, index
}

// memberCell returns the cell for a field of a row. pointer points to the field.
func memberCell(pointer any) Cell {
	switch v := pointer.(type) {
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
	case **float64: // in rows, only areas have this type
		return AreaOf(*v, nil)
	case *api.Days:
		return DaysCell(*v)
	case *api.Time:
		return TimeCell(*v)
	case *api.Date:
		return dateCell(*v)
	}
	return statusCell(pointer)
}

// statusCell returns the cell for a status or another value with a label. pointer points to the value.
func statusCell(pointer any) Cell {
	switch v := pointer.(type) {
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
	return WordCell(pointer)
}

// WordCell returns a cell with the label for a value that the service sent, such as a status. pointer
// points to the value or to a list of values.
func WordCell(pointer any) Cell {
	switch v := pointer.(type) {
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
	v := reflect.ValueOf(pointer).Elem()
	if v.Kind() == reflect.String {
		return labelOf(v.String())
	}
	panic(fmt.Sprintf("columns: %T is not shown in a cell", pointer))
}

// listCell returns the cell for a list of values. It shows "all" if the list has every known value.
func listCell[T ~string](values, known []T, join func([]T) string) Cell {
	cell := Cell{Text: join(values), Data: JoinValues(values)}
	if known != nil && len(values) == len(known) {
		cell.Text = "all"
	}
	return cell
}

// MoreOf returns the JSON members of a row that this program does not know.
func MoreOf(row any) api.ExtraMembers {
	file, isFile := row.(*ListedFile)
	if isFile && file.Package != nil {
		all := maps.Clone(file.Package)
		maps.Copy(all, file.Extra)
		return all
	}
	extra := reflect.ValueOf(row).Elem().FieldByName("Extra")
	if !extra.IsValid() {
		return nil
	}
	members, _ := extra.Interface().(api.ExtraMembers)
	return members
}

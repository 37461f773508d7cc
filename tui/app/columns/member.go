package columns

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// Values are the values of columns that are not those of a member of the row, by the
// columns' names.
type Values[T any] map[string]func(*T) Cell

// MakeColumns returns columns with their values: where none is named, the column shows the
// row's member of its name and has the kind of its type. It panics if there is no such
// member, or no column of a value.
func MakeColumns[T any](specs []ColumnSpec, values Values[T]) []Column[T] {
	all, used := make([]Column[T], len(specs)), 0
	for i, spec := range specs {
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

func fillMember[T any](c *Column[T]) {
	name := c.MachineName()
	member, ok := reflect.TypeFor[T]().FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
	if !ok {
		panic(fmt.Sprintf("columns: no member %q", name))
	}
	switch reflect.New(member.Type).Interface().(type) {
	case *int, *int64, **int:
		if c.Kind == Words {
			c.Kind = Number
		}
	case *api.Time, *api.Date:
		c.Kind = Date
	case *api.MissionStatus:
		c.Kind = Status
	}
	c.Value = func(row *T) Cell {
		cell := memberCell(reflect.ValueOf(row).Elem().FieldByIndex(member.Index).Addr().Interface())
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
		return TextCell(*v)
	case **string:
		return TextAt(*v)
	case *int:
		return knownCell(*v)
	case *int64:
		return knownCell(*v)
	case **int:
		return NumOf(*v)
	case **float64:
		return AreaOf(*v, nil)
	case *api.Time:
		return TimeCell(*v)
	case *api.Date:
		return dateCell(*v)
	case *api.MissionStatus:
		return MissionState(*v)
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
	case *api.SchedulingStatus:
		return plainState(format.Status(*v))
	case *api.PermissionStatus:
		return plainState(format.Status(*v))
	case *api.DeliveryStatus:
		return plainState(format.Status(*v))
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

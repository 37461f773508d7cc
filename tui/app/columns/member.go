package columns

import (
	"fmt"
	"reflect"
	"strings"

	"flightdesk/api"
)

// FillMembers gives the columns that have no value declared the value of the row's
// member of the same name. It panics if there is no such member.
func FillMembers[T any](all []Column[T]) []Column[T] {
	for i := range all {
		if all[i].Value == nil {
			all[i].Value = memberValue[T](&all[i].ColumnSpec)
		}
	}
	return all
}

func memberValue[T any](c *ColumnSpec) func(*T) Cell {
	name, words := c.MachineName(), c.Kind == Words
	member, ok := reflect.TypeFor[T]().FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
	if !ok {
		panic(fmt.Sprintf("columns: no member %q", name))
	}
	return func(row *T) Cell {
		return memberCell(reflect.ValueOf(row).Elem().FieldByIndex(member.Index).Addr().Interface(), words)
	}
}

// memberCell returns the cell of the member that at points to.
func memberCell(at any, words bool) Cell {
	switch v := at.(type) {
	case *Cell:
		return *v
	case *string:
		return TextCell(*v)
	case **string:
		return TextAt(*v)
	case *int:
		return NumberCell(*v)
	case *int64:
		return NumberCell(*v)
	case **int:
		return NumOf(*v)
	case *api.Time:
		if words {
			return TextCell(FormatMoment(*v))
		}
		return TimeCell(*v)
	}
	panic(fmt.Sprintf("columns: %T is not shown in a cell", at))
}

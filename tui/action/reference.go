package action

import (
	"fmt"
	"strings"
)

// Title is how help and documentation call a scope.
func (s Scope) Title() string {
	switch s {
	case Everywhere:
		return "Everywhere"
	case List:
		return "In a list"
	case Table:
		return "Filter and sort"
	case FilterLine:
		return "While typing the filter"
	case Map:
		return "While the map is in focus"
	case MapView:
		return "The map"
	case Orders:
		return "Orders"
	case Order:
		return "One order"
	case Steps:
		return "New order"
	case Sites:
		return "New order: files"
	case Missions:
		return "New order: missions"
	case Form:
		return "New order: form"
	case Review:
		return "New order: review"
	default:
		return string(s)
	}
}

// Reference is the whole table as a page of documentation.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nMade from the app's table of actions. In the app `?` lists those of the page on the screen. While text is typed only\n" +
		"keys act that no text is made of.\n")
	for _, scope := range Scopes() {
		fmt.Fprintf(&b, "\n## %s\n\n| keys | does | action |\n|---|---|---|\n", scope.Title())
		for _, a := range table {
			if a.Scope == scope {
				keys := strings.ReplaceAll("`"+strings.Join(a.Keys, "` `")+"`", "|", `\|`)
				fmt.Fprintf(&b, "| %s | %s | `%s.%s` |\n", keys, a.Help, a.Scope, a.ID)
			}
		}
	}
	return b.String()
}

package columns

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/layout"
)

// UnknownMembers returns the members of a record that this program does not know, by
// name: each as the service sent it, a text without its quotes. Those that it
// knows and could not read are marked.
func UnknownMembers(members api.ExtraMembers) (all [][2]string) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text := UnreadMember(members, name)
		if text == "" {
			text = sentText(members[name])
		}
		all = append(all, [2]string{"+ " + name, text})
	}
	return all
}

// sentText returns a member as it was sent, a text without its quotes.
func sentText(member json.RawMessage) string {
	var text string
	if json.Unmarshal(member, &text) != nil {
		return string(member)
	}
	return text
}

// mostUnread is how many cells of a member that could not be read are shown: a
// place may have thousands of points.
const mostUnread = 160

// UnreadMember returns a member that could not be read, as it was sent and marked; "" where
// there is none.
func UnreadMember(members api.ExtraMembers, name string) string {
	member, is := members[name]
	if !is || !api.IsUnread(name) {
		return ""
	}
	return layout.CutLine(layout.Clean(sentText(member)), mostUnread) + " (unreadable)"
}

// orUnread returns a cell, in whose place a member stands that could not be read.
func orUnread(cell Cell, members api.ExtraMembers, name string) Cell {
	if text := UnreadMember(members, name); text != "" {
		return Cell{Text: text, Data: sentText(members[name])}
	}
	return cell
}

// UnknownText returns [Unknown] in one line.
func UnknownText(members api.ExtraMembers) string {
	var parts []string
	for _, field := range UnknownMembers(members) {
		parts = append(parts, field[0]+" "+field[1])
	}
	return strings.Join(parts, "  ")
}

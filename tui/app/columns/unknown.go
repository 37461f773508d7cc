package columns

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"flightdesk/api"
)

// Unknown are the members of a record that this program does not know, by
// name: each as the service sent it, a text without its quotes.
func Unknown(members api.Extra) (all [][2]string) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var text string
		if json.Unmarshal(members[name], &text) != nil {
			text = string(members[name])
		}
		all = append(all, [2]string{"+ " + name, text})
	}
	return all
}

// UnknownText is [Unknown] in one line.
func UnknownText(members api.Extra) string {
	var parts []string
	for _, field := range Unknown(members) {
		parts = append(parts, field[0]+" "+field[1])
	}
	return strings.Join(parts, "  ")
}

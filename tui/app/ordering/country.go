package ordering

import (
	"strings"

	"flightdesk/kmlcsv/places"
	"flightdesk/tui/format"
)

// CountryName returns the English name of a country given by its name, its code
// or the beginning of one name. Where several names begin so, hint asks which.
// What is no country's is taken as it is: the service may know it.
func CountryName(typed string) (name, hint string) {
	var begin []string
	folded := format.Fold(typed)
	for _, c := range places.Countries() {
		name := format.Fold(c.Name)
		if folded == name || folded == format.Fold(c.Code) {
			return c.Name, ""
		}
		if len(folded) > 2 && strings.HasPrefix(name, folded) {
			begin = append(begin, c.Name)
		}
	}
	switch len(begin) {
	case 0:
		return typed, ""
	case 1:
		return begin[0], ""
	default:
		return typed, "which one: " + strings.Join(begin[:min(len(begin), 4)], ", ") + "?"
	}
}

package ordering

import (
	"strings"

	"flightdesk/kmlcsv/places"
)

// CountryName returns the English name of a country given by its name, its code
// or the beginning of one name. Where several names begin so, hint asks which.
// What is no country's is taken as it is: the service may know it.
func CountryName(typed string) (name, hint string) {
	var begin []string
	for _, c := range places.Countries() {
		if strings.EqualFold(typed, c.Name) || strings.EqualFold(typed, c.Code) {
			return c.Name, ""
		}
		if len(typed) > 2 && len(c.Name) >= len(typed) && strings.EqualFold(typed, c.Name[:len(typed)]) {
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

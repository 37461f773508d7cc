package ordering

import (
	"testing"
)

func TestCountriesAreFoundOnAnyKeyboard(t *testing.T) {
	for typed, want := range map[string]string{"de": "Germany", "cote": "Côte d'Ivoire", "CÔTE D'I": "Côte d'Ivoire", "nowhere": "nowhere"} {
		if name, hint := CountryName(typed); name != want || hint != "" {
			t.Errorf("%q is %q, %q; want %q", typed, name, hint, want)
		}
	}
}

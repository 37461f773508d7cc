package config

import (
	"strings"
	"testing"
)

func TestAProfileNameHasAtMostFortyCharacters(t *testing.T) {
	for name, isValid := range map[string]bool{
		"acme":                         true,
		"a.b-c_d":                      true,
		strings.Repeat("a", 40):        true,
		strings.Repeat("a", 41):        false,
		"":                             false,
		".acme":                        false,
		"acme\n":                       false,
		"../" + strings.Repeat("a", 5): false,
	} {
		if isProfileName(name) != isValid {
			t.Errorf("%q: %v", name, !isValid)
		}
	}
}

func TestASecretIsNotStoredForALongEndpointID(t *testing.T) {
	used := ""
	use := func(id string) error {
		return EndpointSecrets{}.use(id, func(account string) error {
			used = account
			return nil
		})
	}
	if err := use(strings.Repeat("a", 64)); err != nil || used == "" {
		t.Errorf("used %q, %v", used, err)
	}
	used = ""
	if err := use(strings.Repeat("a", 65)); err == nil || used != "" {
		t.Errorf("used %q, %v", used, err)
	}
}

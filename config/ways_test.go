package config_test

import (
	"errors"
	"strings"
	"testing"

	"flightdesk/config"
)

func TestDisplaySettingsOfAProfileOverrideThoseOfTheFile(t *testing.T) {
	c, err := load(t, world(t, nil), `areas = "acres"
times = "site"
[profiles.a]
base_url = "https://a.example/api/v1/public"
[profiles.b]
base_url = "https://b.example/api/v1/public"
areas = "km2"
notices = "off"
`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]config.DisplaySettings{
		"a": {Areas: "acres", Times: "site", Notices: "auto"},
		"b": {Areas: "km2", Times: "site", Notices: "off"},
	} {
		if p, _ := c.Profile(name); c.DisplaySettingsOf(p) != want {
			t.Errorf("%s: %+v, not %+v", name, c.DisplaySettingsOf(p), want)
		}
	}
}

func TestAnInvalidDisplaySettingIsAFaultOfItsLine(t *testing.T) {
	_, err := load(t, world(t, nil), `areas = "ha"
[profiles.a]
base_url = "https://a.example/api/v1/public"
times = "utc"
notices = true
`)
	var faults config.Faults
	if !errors.As(err, &faults) || len(faults) != 3 {
		t.Fatalf("%v", err)
	}
	for i, want := range []string{
		":1: areas: unknown area unit; use auto, hectares, km2, acres",
		":4: profiles.a.times: unknown clock; use local, site",
		":5: profiles.a.notices: expected quoted text, not true or false",
	} {
		if got := faults[i].Error(); !strings.HasSuffix(got, want) {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

package config

import (
	"cmp"
	"slices"
	"strings"
)

// AppWays are settings of how the app shows things. Empty ones are not set.
type AppWays struct {
	Areas   string // one of AreaUnits
	Times   string // one of Clocks
	Notices string // one of NoticeWays
}

// What the keys areas, times and notices take; the first one is what holds
// where a key is in neither the profile nor the top of the file.
var (
	AreaUnits  = []string{"auto", "hectares", "km2", "acres"}
	Clocks     = []string{"local", "site"}
	NoticeWays = []string{"auto", "bell", "off"}
)

// readWays reads the keys of a table.
func (t *tomlTable) readWays() AppWays {
	return AppWays{
		Areas:   t.readText("areas", oneOf("area unit", AreaUnits)),
		Times:   t.readText("times", oneOf("clock", Clocks)),
		Notices: t.readText("notices", oneOf("notice setting", NoticeWays)),
	}
}

func oneOf(what string, known []string) func(string) string {
	return func(s string) string {
		if slices.Contains(known, s) {
			return ""
		}
		return "unknown " + what + "; use " + strings.Join(known, ", ")
	}
}

// WaysOf returns those of a profile, with those of the whole file where it has none.
func (c *Config) WaysOf(p Profile) AppWays {
	return AppWays{
		Areas:   cmp.Or(p.Ways.Areas, c.Ways.Areas, AreaUnits[0]),
		Times:   cmp.Or(p.Ways.Times, c.Ways.Times, Clocks[0]),
		Notices: cmp.Or(p.Ways.Notices, c.Ways.Notices, NoticeWays[0]),
	}
}

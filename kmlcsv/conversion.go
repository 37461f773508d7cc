package kmlcsv

import (
	"fmt"
	"math"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// conversion is a reference system that positions of the file were converted from.
type conversion struct {
	system   *crs.System
	accuracy crs.Accuracy // the worst of the positions that were checked
	checked  int
}

// maxChecked is how many positions of a system the accuracy is checked at.
const maxChecked = 500

// maxConversionText is the length of the longest warning about a system in characters. Names in
// it can be text of the file.
const maxConversionText = 400

// countConversion notes how accurate the conversion of a position from a system is. The
// position is in WGS 84.
func (b *resultBuilder) countConversion(s *crs.System, p orb.Point) {
	if s == nil || s.IsWGS84() {
		return
	}
	c := b.conversionFrom(s)
	if c.checked >= maxChecked {
		return
	}
	accuracy := s.AccuracyAt(p[0], p[1])
	if c.checked == 0 || isWorse(accuracy, c.accuracy) {
		c.accuracy = accuracy
	}
	c.checked++
}

// conversionFrom returns the conversion from a system, which is mostly the last one.
func (b *resultBuilder) conversionFrom(s *crs.System) *conversion {
	for i := len(b.conversions) - 1; i >= 0; i-- {
		if b.conversions[i].system == s {
			return &b.conversions[i]
		}
	}
	b.conversions = append(b.conversions, conversion{system: s})
	return &b.conversions[len(b.conversions)-1]
}

func isWorse(a, than crs.Accuracy) bool {
	switch {
	case a.Metres < 0 || than.Metres < 0:
		return a.Metres < than.Metres
	case a.Metres != than.Metres:
		return a.Metres > than.Metres
	}
	return a.Warning != "" && than.Warning == ""
}

// conversionWarnings returns a warning for each system that positions were converted from.
func (b *resultBuilder) conversionWarnings() (warnings []Warning) {
	said := map[string]bool{}
	if b.assumesWGS84 {
		warnings = append(warnings, Warning{Code: SystemConverted, Index: -1, Message: "coordinates without a datum were read as WGS 84"})
	}
	for _, c := range b.conversions {
		for _, message := range []string{c.note(), c.describe()} {
			if message != "" && !said[message] {
				said[message] = true
				clean, _, _ := tidyLabel([]byte(message), nil, maxConversionText)
				warnings = append(warnings, Warning{Code: SystemConverted, Index: -1, Message: string(clean)})
			}
		}
	}
	return warnings
}

// note returns what the user should know about the choice of the system, if it was used.
func (c *conversion) note() string {
	if c.checked == 0 {
		return ""
	}
	return c.system.Note()
}

// describe says what positions were converted from, and how accurately. The name of a system can
// be text of the file.
func (c *conversion) describe() string {
	name := oneLine([]byte(c.system.Reference()))
	switch {
	case c.checked == 0:
		return ""
	case c.accuracy.Warning != "":
		return fmt.Sprintf("converted from %s; %s", name, c.accuracy.Warning)
	}
	metres := math.Max(1, math.Ceil(c.accuracy.Metres))
	return fmt.Sprintf("converted from %s, accurate to about %.0f m", name, metres)
}

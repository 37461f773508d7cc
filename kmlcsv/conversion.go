package kmlcsv

import (
	"fmt"
	"math"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// conversionLog records from which reference systems the positions of a file were converted to WGS 84, and how
// accurately.
type conversionLog struct {
	conversions  []conversion
	assumesWGS84 bool // coordinates without a datum were read as WGS 84
}

// conversion describes the conversion of a file's positions from one reference system.
type conversion struct {
	system   *crs.System
	accuracy crs.Accuracy // worst accuracy of the positions that were checked
	checked  int          // number of positions that were checked
}

// maxChecked is the maximum number of positions whose accuracy is checked, for each reference system.
const maxChecked = 500

// maxConversionText is the maximum length in characters of a warning about a conversion. It is needed because the
// name of the system can be a long text from the file.
const maxConversionText = 400

// count records that a position was converted from a system, and with which accuracy. p is the converted position in
// WGS 84.
func (l *conversionLog) count(s *crs.System, p orb.Point) {
	if s == nil || s.IsWGS84() {
		return
	}
	c := l.conversionFrom(s)
	if c.checked >= maxChecked {
		return
	}
	accuracy := s.AccuracyAt(p[0], p[1])
	if c.checked == 0 || isWorse(accuracy, c.accuracy) {
		c.accuracy = accuracy
	}
	c.checked++
}

// conversionFrom returns the conversion from a system, and adds it to the log if it is new. It searches from the end,
// because consecutive positions usually have the same system.
func (l *conversionLog) conversionFrom(s *crs.System) *conversion {
	for i := len(l.conversions) - 1; i >= 0; i-- {
		if l.conversions[i].system == s {
			return &l.conversions[i]
		}
	}
	l.conversions = append(l.conversions, conversion{system: s})
	return &l.conversions[len(l.conversions)-1]
}

func isWorse(a, than crs.Accuracy) bool {
	if a.Metres < 0 || than.Metres < 0 { // a negative accuracy is unknown
		return a.Metres < than.Metres
	}
	if a.Metres != than.Metres {
		return a.Metres > than.Metres
	}
	return a.Warning != "" && than.Warning == ""
}

// warnings returns warnings that say from which systems positions were converted, and how accurately.
func (l *conversionLog) warnings() []Warning {
	var messages []string
	if l.assumesWGS84 {
		messages = append(messages, "coordinates without a datum were read as WGS 84")
	}
	for _, c := range l.conversions {
		messages = append(messages, c.note(), c.describe())
	}
	var warnings []Warning
	isListed := map[string]bool{"": true} // messages that were already added; "" needs no warning
	for _, message := range messages {
		if isListed[message] {
			continue
		}
		isListed[message] = true
		clean, _, _ := tidyLabel([]byte(message), nil, maxConversionText)
		warnings = append(warnings, Warning{Code: SystemConverted, Index: -1, Message: string(clean)})
	}
	return warnings
}

// note returns a remark for the user about the reference system, for instance that it replaces a deprecated system.
// It returns "" if the system has no remark, or if no position was converted.
func (c *conversion) note() string {
	if c.checked == 0 {
		return ""
	}
	return c.system.Note()
}

// describe returns a message that names the system and the accuracy of the conversion, or "" if no position was
// converted.
func (c *conversion) describe() string {
	if c.checked == 0 {
		return ""
	}
	name := oneLine([]byte(c.system.Reference())) // it can be a text from the file
	if c.accuracy.Warning != "" {
		return fmt.Sprintf("converted from %s; %s", name, c.accuracy.Warning)
	}
	metres := math.Max(1, math.Ceil(c.accuracy.Metres))
	return fmt.Sprintf("converted from %s, accurate to about %.0f m", name, metres)
}

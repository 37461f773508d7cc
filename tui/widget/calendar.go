package widget

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// The calendar has a line for the month, one for the weekdays, six weeks and one for the
// keys.
const (
	calendarHead   = 2
	calendarHeight = calendarHead + 7
)

// IsCalendarOpen reports whether the calendar is open. An open calendar handles the arrow
// keys, pgup and pgdown for months, enter and esc.
func (f *Form) IsCalendarOpen() bool { return !f.marked.IsZero() }

// MoveDown opens the calendar if a date field is in focus. In other fields it moves to the
// next line or the next field.
func (f *Form) MoveDown() {
	fl := f.Focused()
	if fl.area != nil && fl.area.Move(1) {
		return
	}
	if fl.Kind != DateField || f.IsCalendarOpen() {
		f.MoveFocus(1)
		return
	}
	f.marked = fl.today()
	if at, err := fl.Date(); err == nil {
		f.marked = format.CalendarDay(at.NoonIn(fl.now().Location()))
	}
}

func (fl *Field) today() time.Time { return format.CalendarDay(fl.now()) }

// CloseCalendar closes the calendar and reports whether it was open.
func (f *Form) CloseCalendar() bool {
	was := f.IsCalendarOpen()
	f.marked = time.Time{}
	return was
}

// MoveDay moves the selected day of the calendar.
func (f *Form) MoveDay(days, months int) {
	f.marked = format.AddMonths(f.marked, months).AddDate(0, 0, days)
	if y := f.marked.Year(); y < 1 || y > 9999 {
		f.marked = f.Focused().today()
	}
}

// KeepDay writes the selected day into the field, closes the calendar and reports whether
// the value changed.
func (f *Form) KeepDay() bool {
	fl := f.Focused()
	before := fl.Value()
	fl.Set(f.marked.Format(time.DateOnly))
	fl.whole = true
	fl.Error = ""
	f.CloseCalendar()
	return fl.Value() != before
}

// calendarKeys maps a key to the days and months by which it moves the selected day.
var calendarKeys = map[string]struct{ days, months int }{
	"left":   {days: -1},
	"right":  {days: 1},
	"up":     {days: -7},
	"down":   {days: 7},
	"pgup":   {months: -1},
	"pgdown": {months: 1},
}

// handleCalendarKey handles a key while the calendar is open. It reports whether the
// calendar handled the key, and whether the value of the field changed.
func (f *Form) handleCalendarKey(name string) (handled, changed bool) {
	if by, ok := calendarKeys[name]; ok {
		f.MoveDay(by.days, by.months)
		return true, false
	}
	switch name {
	case "enter":
		return true, f.KeepDay()
	case "esc":
		f.CloseCalendar()
		return true, false
	}
	return false, false
}

// drawCalendar draws the month of the selected day, and returns the line of that day.
func (f *Form) drawCalendar(style RoleStyles) (lines []string, selected int) {
	indent := format.BlankCells(labelWidth)
	lines = []string{
		indent + style.paint(theme.Accent, f.marked.Format("January 2006")),
		indent + style.paint(theme.Muted, "Mo Tu We Th Fr Sa Su"),
	}
	day := format.FirstMonday(f.marked)
	for len(lines) < calendarHeight-1 {
		week := indent
		for range 7 {
			if day.Equal(f.marked) {
				selected = len(lines)
			}
			week += f.dayStyle(style, day).Render(fmt.Sprintf("%2d", day.Day())) + " "
			day = day.AddDate(0, 0, 1)
		}
		lines = append(lines, week)
	}
	lines = append(lines, indent+style.paint(theme.Muted, "pgup pgdn month"))
	return lines, selected
}

// dayStyle returns the style of a day in the calendar.
func (f *Form) dayStyle(style RoleStyles, day time.Time) theme.Style {
	if day.Equal(f.marked) {
		return style(theme.Accent).Reverse()
	}
	if day.Month() != f.marked.Month() {
		return style(theme.Muted)
	}
	if day.Equal(f.Focused().today()) {
		return style(theme.Text).Bold().Underline()
	}
	return style(theme.Text)
}

// clickDay selects the day at a cell of the calendar and reports whether the value
// changed.
func (f *Form) clickDay(x, line int) bool {
	const dayWidth = 3 // with the blank after a day
	weekday := x / dayWidth
	week := line - calendarHead
	isBlank := x < 0 || x%dayWidth == dayWidth-1
	if isBlank || weekday >= 7 || week < 0 || week >= 6 {
		return false
	}
	f.marked = format.FirstMonday(f.marked).AddDate(0, 0, 7*week+weekday)
	return f.KeepDay()
}

// ErrNumber is the error for text that is not a number.
var ErrNumber = errors.New("not a number; use 4880 or 4,880.00")

// Numbers are accepted with a comma or a point before the decimals, and with separators
// between groups of three digits. A single point always starts the decimals.
var (
	plainNumber   = regexp.MustCompile(`^-?\d*[.,]?\d*$`)
	commaGroups   = regexp.MustCompile(`^-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)
	pointGroups   = regexp.MustCompile(`^-?[1-9]\d{0,2}((\.\d{3}){2,}|(\.\d{3})+,\d*)$`)
	numberSpacing = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "−", "-")
)

// ParseNumber parses a number as people type it, optionally followed by its unit.
func ParseNumber(s, unit string) (float64, error) {
	s = strings.TrimSpace(s)
	typed := strings.TrimRightFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.,", r) })
	typedUnit := strings.TrimSpace(s[len(typed):])
	if typedUnit != "" && unit == "" {
		return 0, ErrNumber
	}
	if typedUnit != "" && !strings.EqualFold(typedUnit, unit) {
		return 0, errors.New("unknown unit; use " + unit)
	}
	n, err := strconv.ParseFloat(normalizeNumber(numberSpacing.Replace(typed)), 64)
	if err != nil {
		return 0, ErrNumber
	}
	return n, nil
}

// normalizeNumber removes the separators between groups of digits and makes the decimals begin with
// a point. It returns "" for text that is not a number.
func normalizeNumber(typed string) string {
	if commaGroups.MatchString(typed) {
		return strings.ReplaceAll(typed, ",", "")
	}
	if pointGroups.MatchString(typed) {
		withoutGroups := strings.ReplaceAll(typed, ".", "")
		return strings.ReplaceAll(withoutGroups, ",", ".")
	}
	if plainNumber.MatchString(typed) {
		return strings.Replace(typed, ",", ".", 1)
	}
	return ""
}

// Number returns the value of a NumberField.
func (fl *Field) Number() (float64, error) {
	n, err := ParseNumber(fl.line.Value(), fl.Unit)
	if err != nil {
		return 0, err
	}
	hasRange := fl.Most > fl.Least
	if hasRange && (n < fl.Least || n > fl.Most) {
		return 0, errors.New("use a number from " + formatNumber(fl.Least) + " to " + formatNumber(fl.Most))
	}
	return n, nil
}

// formatNumber formats a number with at most two decimals and without trailing zeros.
func formatNumber(n float64) string {
	_, decimals, _ := strings.Cut(strconv.FormatFloat(math.Round(100*n)/100, 'f', -1, 64), ".")
	return format.GroupDigits(n, len(decimals))
}

// optionSearch is the state of finding an option by typing.
type optionSearch struct {
	text string // typed text
	last time.Time

	cursor int // option under the cursor before the search
	ticked map[string]bool
}

// seekPause is the pause between two letters after which a new search starts.
const seekPause = 2 * time.Second

// findOption selects the option that matches the typed text best. If none matches, it
// restores the selection from before the search.
func (fl *Field) findOption(text string) {
	now := fl.now()
	paused := fl.seek.text != "" && now.Sub(fl.seek.last) > seekPause
	if paused && len(text) > len(fl.seek.text) {
		text = strings.TrimPrefix(text, fl.seek.text)
		fl.seek = optionSearch{}
	}
	if fl.seek.text == "" {
		fl.seek.cursor = fl.cursor
		fl.seek.ticked = maps.Clone(fl.ticked)
	}
	fl.seek.text = text
	fl.seek.last = now
	if best := fl.bestMatch(text, fl.seek.cursor); best >= 0 {
		fl.chooseOption(best)
		return
	}
	fl.cursor = fl.seek.cursor
	if fl.Kind == ChoiceField {
		fl.ticked = maps.Clone(fl.seek.ticked)
	}
}

// bestMatch returns the index of the option that matches a text best, or -1. If several options
// match equally well, it returns the first of them, searching from the index start on and wrapping
// around.
func (fl *Field) bestMatch(text string, start int) int {
	text = format.Fold(strings.TrimSpace(text))
	best := -1
	bestRank := 0
	for i := range fl.Options {
		k := (start + i) % len(fl.Options)
		rank := matchRank(&fl.Options[k], text)
		if rank > bestRank {
			best = k
			bestRank = rank
		}
	}
	return best
}

// matchRank ranks how an option matches a text: 5 if the label begins with the text, 4 if a word
// of the label begins with the text, 3 if the label contains the text, 2 if the value contains it,
// 1 if the help contains it, otherwise 0.
func matchRank(o *Option, text string) int {
	label := format.Fold(o.Label)
	switch {
	case text == "":
		return 0
	case strings.HasPrefix(label, text):
		return 5
	case strings.Contains(" "+label, " "+text):
		return 4
	case strings.Contains(label, text):
		return 3
	case !o.Quiet && strings.Contains(format.Fold(o.Value), text):
		return 2
	case strings.Contains(format.Fold(o.Help), text):
		return 1
	}
	return 0
}

// tickNamed ticks the option that a text names, or several options separated by commas. It
// reports whether the value changed. If a name matches no option, nothing changes.
func (fl *Field) tickNamed(text string) bool {
	names := []string{text}
	if fl.Kind == MultiField {
		names = strings.Split(text, ",")
	}
	var values []string
	for _, name := range names {
		best := fl.bestMatch(name, 0)
		if best < 0 {
			fl.seek = optionSearch{text: strings.TrimSpace(name)}
			return false
		}
		values = append(values, fl.Options[best].Value)
	}
	before := fl.Value()
	fl.Set(values...)
	return fl.Value() != before
}

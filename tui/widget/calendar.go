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

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Cells of the calendar: two a day and one between, and a box around them.
const (
	calendarWidth  = 24
	calendarHeight = 10
)

// IsCalendarOpen reports whether the calendar is open. It takes arrows, pgup and
// pgdown for months, enter and esc.
func (f *Form) IsCalendarOpen() bool { return f.picking }

// MoveDown opens the calendar of a date in focus, and goes to the next field from
// any other.
func (f *Form) MoveDown() {
	fl := f.Focused()
	if fl.area != nil && fl.area.Move(1) {
		return
	}
	if fl.Kind != DateField || f.picking {
		f.MoveFocus(1)
		return
	}
	f.picking = true
	at, err := fl.Time()
	if err != nil {
		at = fl.today()
	}
	f.picked = at
}

// today returns the day that it is.
func (fl *Field) today() time.Time { return format.MidnightIn(fl.now(), fl.now().Location()) }

// CloseCalendar closes the calendar and reports whether it was open.
func (f *Form) CloseCalendar() bool {
	was := f.picking
	f.picking = false
	return was
}

// MoveDay moves the day that is marked in the calendar.
func (f *Form) MoveDay(days, months int) {
	f.picked = format.AddMonths(f.picked, months).AddDate(0, 0, days)
	if y := f.picked.Year(); y < 1 || y > 9999 {
		f.picked = f.Focused().today()
	}
}

// KeepDay takes the day that is marked, closes the calendar and reports whether
// the field's value changed.
func (f *Form) KeepDay() bool {
	if !f.CloseCalendar() {
		return false
	}
	fl := f.Focused()
	before := fl.Value()
	fl.line.Set(f.picked.Format(time.DateOnly))
	fl.whole, fl.Error = true, ""
	return fl.Value() != before
}

// calendarKeys are the days and months that keys move in the calendar.
var calendarKeys = map[string][2]int{
	"left": {-1, 0}, "right": {1, 0}, "up": {-7, 0}, "down": {7, 0}, "pgup": {0, -1}, "pgdown": {0, 1},
}

// handleCalendarKey performs a key of the calendar and reports whether it was one.
func (f *Form) handleCalendarKey(key tea.KeyPressMsg) (taken, changed bool) {
	by, moves := calendarKeys[key.String()]
	switch name := key.String(); {
	case moves:
		f.MoveDay(by[0], by[1])
	case name == "enter":
		return true, f.KeepDay()
	case name == "esc":
		f.CloseCalendar()
	default:
		return false, false
	}
	return true, false
}

// drawCalendar draws the month of the marked day.
func (f *Form) drawCalendar(style RoleStyles) string {
	muted, text := style(theme.Muted), style(theme.Text)
	title := f.picked.Format("January 2006")
	inner := calendarWidth - 4
	line := func(s string) string {
		return muted.Render("│ ") + s + text.Render(format.BlankCells(inner-format.Width(s))) + muted.Render(" │")
	}
	lines := []string{
		muted.Render(
			"┌ ",
		) + format.CleanText(
			style(theme.Accent),
			title,
		) + muted.Render(
			" "+strings.Repeat("─", inner-1-len(title))+"─┐",
		),
		line(format.CleanText(muted, "Mo Tu We Th Fr Sa Su")),
	}
	day, today := format.FirstMonday(f.picked), f.Focused().today()
	for range 6 {
		week := ""
		for k := range 7 {
			s := fmt.Sprintf("%2d", day.Day())
			switch {
			case day.Equal(f.picked):
				s = style(theme.Accent).Reverse(true).Render(s)
			case day.Month() != f.picked.Month():
				s = format.CleanText(muted, s)
			case day.Equal(today):
				s = format.CleanText(style(theme.Text).Bold(true).Underline(true), s)
			default:
				s = format.CleanText(text, s)
			}
			if k > 0 {
				s = text.Render(" ") + s
			}
			week += s
			day = day.AddDate(0, 0, 1)
		}
		lines = append(lines, line(week))
	}
	lines = append(lines, line(format.CleanText(muted, "pgup pgdn month")))
	return strings.Join(append(lines, muted.Render("└"+strings.Repeat("─", calendarWidth-2)+"┘")), "\n")
}

// withCalendar lays the calendar over the form, below its field or, where there
// is no room, above it. In a box too small for it, it is cut.
func (f *Form) withCalendar(style RoleStyles, box string, w, h int) string {
	if !f.picking || w <= 0 || h <= 0 {
		return box
	}
	y := 1
	if f.cursor != nil {
		y = f.cursor.Y + 1
	}
	if y+calendarHeight > h {
		y = max(0, h-calendarHeight)
		if at := y + calendarHeight; f.cursor != nil && f.cursor.Y >= y && f.cursor.Y-calendarHeight >= 0 &&
			at > f.cursor.Y {
			y = f.cursor.Y - calendarHeight
		}
	}
	x := max(0, min(labelWidth+13, w-calendarWidth)) // beside what was typed
	f.calX, f.calY = x, y
	return format.LayOver(box, f.drawCalendar(style), x, y)
}

// ErrNumber says how a number can be typed.
var ErrNumber = errors.New("not a number; use 4880 or 4,880.00")

// Numbers as people type them: plain with a comma or a point before the decimals, or with
// marks between groups of three digits. A lone point always begins decimals.
var (
	plainNumber   = regexp.MustCompile(`^-?\d*[.,]?\d*$`)
	commaGroups   = regexp.MustCompile(`^-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)
	pointGroups   = regexp.MustCompile(`^-?[1-9]\d{0,2}((\.\d{3}){2,}|(\.\d{3})+,\d*)$`)
	numberSpacing = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "−", "-")
)

// ParseNumber reads a number as people type it, perhaps with its unit behind it.
func ParseNumber(s, unit string) (float64, error) {
	s = strings.TrimSpace(s)
	digits := strings.TrimRightFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.,", r) })
	if name := strings.TrimSpace(s[len(digits):]); name != "" && unit != "" && !strings.EqualFold(name, unit) {
		return 0, errors.New("unknown unit; use " + unit)
	} else if name != "" && unit == "" {
		return 0, ErrNumber
	}
	digits = numberSpacing.Replace(digits)
	switch {
	case commaGroups.MatchString(digits):
		digits = strings.ReplaceAll(digits, ",", "")
	case pointGroups.MatchString(digits):
		digits = strings.NewReplacer(".", "", ",", ".").Replace(digits)
	case plainNumber.MatchString(digits):
		digits = strings.Replace(digits, ",", ".", 1)
	default:
		return 0, ErrNumber
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, ErrNumber
	}
	return n, nil
}

// Number returns the number that is typed into a NumberField.
func (fl *Field) Number() (float64, error) {
	n, err := ParseNumber(fl.line.Value(), fl.Unit)
	switch {
	case err != nil:
		return 0, err
	case fl.Most > fl.Least && (n < fl.Least || n > fl.Most):
		return 0, errors.New("use a number from " + formatNumber(fl.Least) + " to " + formatNumber(fl.Most))
	}
	return n, nil
}

// formatNumber writes a number with as many decimals as it has, two at most.
func formatNumber(n float64) string {
	_, decimals, _ := strings.Cut(strconv.FormatFloat(math.Round(100*n)/100, 'f', -1, 64), ".")
	return format.GroupDigits(n, len(decimals))
}

// optionSearch is an option being looked for by typing.
type optionSearch struct {
	text   string // what was typed
	missed bool   // no option has it
	last   time.Time

	at     int // what was chosen before
	ticked map[string]bool
}

// seekPause is how long after a letter the next one begins anew.
const seekPause = 2 * time.Second

// findOption chooses the option that fits what is typed best. What fits none leaves
// the choice as it was before the typing.
func (fl *Field) findOption(text string) {
	now := fl.now()
	if fl.seek.text != "" && now.Sub(fl.seek.last) > seekPause && len(text) > len(fl.seek.text) {
		text = strings.TrimPrefix(text, fl.seek.text)
		fl.seek = optionSearch{}
	}
	if fl.seek.text == "" {
		fl.seek.at, fl.seek.ticked = fl.at, maps.Clone(fl.ticked)
	}
	fl.seek.text, fl.seek.last, fl.seek.missed = text, now, false
	if best := fl.bestMatch(text, fl.seek.at); best >= 0 {
		fl.chooseOption(best)
		return
	}
	fl.seek.missed = text != ""
	fl.at = fl.seek.at
	if fl.Kind == ChoiceField {
		fl.ticked = maps.Clone(fl.seek.ticked)
	}
}

// bestMatch returns the option that fits a text best, the first one from an option on; -1
// for none.
func (fl *Field) bestMatch(text string, from int) int {
	best, rank := -1, 0
	for i := range fl.Options {
		k := (from + i) % len(fl.Options)
		if r := matchRank(&fl.Options[k], format.Fold(strings.TrimSpace(text))); r > rank {
			best, rank = k, r
		}
	}
	return best
}

// matchRank ranks where an option has a text: at the beginning of its label, of a
// word of it, anywhere in it, in its value, in its help; 0 for nowhere.
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

// tickNamed ticks the options that a text names, one of them or with commas between
// several, and reports whether that has changed anything. Where a name fits none,
// all stays as it is.
func (fl *Field) tickNamed(text string) bool {
	names := []string{text}
	if fl.Kind == MultiField {
		names = strings.Split(text, ",")
	}
	var values []string
	for _, name := range names {
		best := fl.bestMatch(name, 0)
		if best < 0 {
			fl.seek = optionSearch{text: strings.TrimSpace(name), missed: true}
			return false
		}
		values = append(values, fl.Options[best].Value)
	}
	before := fl.Value()
	fl.Set(values...)
	return fl.Value() != before
}

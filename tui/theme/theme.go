package theme

import (
	"fmt"
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"

	"flightdesk/tui/app/labels"
)

// Role says what a text means; it has one colour everywhere.
type Role = labels.Tone

// The roles.
const (
	Text       = labels.Text
	Muted      = labels.Muted
	Accent     = labels.Accent
	Pending    = labels.Pending
	Attention  = labels.Attention
	InProgress = labels.InProgress
	Good       = labels.Good
	Bad        = labels.Bad
	roles      = labels.Tones
)

// Tokens are the colours of a theme. A nil colour leaves the terminal's own.
type Tokens struct {
	Page, Raised, Selected color.Color
	Chosen                 color.Color // inside of the chosen polygon on a map
	Roles                  [roles]color.Color
	Rule                   color.Color // rules and scale bars, never text
	BandText               color.Color
	Bands                  map[string]color.Color // by kind of profile: live, test, demo
	Plain                  bool                   // no colour: bold, faint and reverse carry the meaning
	Sixteen                bool                   // the terminal's own sixteen colours, whatever they look like
	Strong                 bool                   // roles are bold
}

// Theme is a set of ready styles.
type Theme struct {
	Name   string
	tokens Tokens

	roles, selected, raised [roles]Style
	Rule                    Style
	Coast                   Style // lines of a map below its data, never text
	Title                   Style // group titles
	Key                     Style // keys in the footer
	Section                 Style // the active section

	// Linear has what is drawn read out: one thing after another, in words, with
	// nothing beside anything else.
	Linear bool
}

// LinearTheme returns the look of the plain mode, which has no screen.
func LinearTheme() *Theme {
	t := buildTheme("none", Tokens{Plain: true})
	t.Linear = true
	return t
}

// IsWide reports whether w cells have room for parts side by side, which they
// need that many for.
func (t *Theme) IsWide(w, need int) bool { return w >= need && !t.Linear }

// SelectionMark marks what is selected.
func (t *Theme) SelectionMark() string {
	if t.Linear {
		return Selected
	}
	return "▸"
}

// Selected begins the line of what is selected where it is read out.
const Selected = "selected:"

// NarrowWidth returns w, or most where that is less: a text is not cut where it is read out.
func (t *Theme) NarrowWidth(w, most int) int {
	if t.Linear {
		return w
	}
	return min(w, most)
}

// ThemeNames lists the themes by the names that the configuration takes; auto
// follows the terminal's background.
func ThemeNames() []string { return []string{"auto", "dark", "light", "high-contrast", "none"} }

// NamedTheme returns the theme of a name, where isDark tells the terminal's
// background. An empty name is auto.
func NamedTheme(name string, isDark bool) (*Theme, error) {
	switch name {
	case "", "auto":
		if isDark {
			return buildTheme("dark", darkTokens()), nil
		}
		return buildTheme("light", lightTokens()), nil
	case "dark":
		return buildTheme(name, darkTokens()), nil
	case "light":
		return buildTheme(name, lightTokens()), nil
	case "high-contrast":
		return buildTheme(name, highContrast(isDark)), nil
	case "none":
		return buildTheme(name, Tokens{Plain: true}), nil
	default:
		return nil, fmt.Errorf("unknown theme %q; use %s", name, strings.Join(ThemeNames(), ", "))
	}
}

func parseColors(s ...string) (set [roles]color.Color) {
	for i := range s {
		set[i] = lipgloss.Color(s[i])
	}
	return set
}

func bandColors() map[string]color.Color {
	return map[string]color.Color{
		"live": lipgloss.Color("#7a1f2b"), "test": lipgloss.Color("#6b4a00"), "demo": lipgloss.Color("#0b5a52"),
	}
}

func darkTokens() Tokens {
	return Tokens{
		Page:     lipgloss.Color("#0d1117"),
		Raised:   lipgloss.Color("#161b22"),
		Selected: lipgloss.Color("#1c3048"),
		Chosen:   lipgloss.Color("#3a3114"),
		Roles: parseColors(
			"#e6edf3",
			"#9aa4b0",
			"#58c4f5",
			"#a5b6d0",
			"#e8b63c",
			"#c4a7ff",
			"#5bd66f",
			"#ff8a80",
		),
		Rule:     lipgloss.Color("#3d444d"),
		BandText: lipgloss.Color("#ffffff"),
		Bands:    bandColors(),
	}
}

func lightTokens() Tokens {
	return Tokens{
		Page:     lipgloss.Color("#ffffff"),
		Raised:   lipgloss.Color("#f3f5f8"),
		Selected: lipgloss.Color("#dbeafe"),
		Chosen:   lipgloss.Color("#fbedc4"),
		Roles: parseColors(
			"#1f2328",
			"#505863",
			"#075a9c",
			"#43587a",
			"#7d5200",
			"#6435b0",
			"#14652b",
			"#a91f19",
		),
		Rule:     lipgloss.Color("#c3cad3"),
		BandText: lipgloss.Color("#ffffff"),
		Bands:    bandColors(),
	}
}

// highContrast has the roles' hues of the dark or light theme on pure black or
// white, bold.
func highContrast(isDark bool) Tokens {
	t, page, text := lightTokens(), lipgloss.Color("#ffffff"), lipgloss.Color("#000000")
	if isDark {
		t, page, text = darkTokens(), text, page
	}
	t.Page, t.Raised, t.Strong = page, page, true
	t.Roles[Text], t.Roles[Muted], t.Rule = text, text, text
	return t
}

// mixColors returns the colour halfway from one to another, the terminal's own where
// that is one of them.
func mixColors(a, b color.Color) color.Color {
	if a == nil || b == nil {
		return nil
	}
	r, g, bl, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	return color.RGBA64{uint16((r + r2) / 2), uint16((g + g2) / 2), uint16((bl + b2) / 2), 0xffff}
}

func buildTheme(name string, tokens Tokens) *Theme {
	t := &Theme{Name: name, tokens: tokens}
	for r := range roles {
		base := lipgloss.NewStyle()
		if tokens.Plain {
			base = plainStyle(r)
			t.roles[r], t.raised[r], t.selected[r] = newStyle(
				base,
			), newStyle(
				base,
			), newStyle(
				base.Reverse(true),
			)
			continue
		}
		if tokens.Sixteen {
			t.roles[r] = newStyle(sixteenStyle(r, tokens.Roles[r]))
			t.raised[r], t.selected[r] = t.roles[r], newStyle(sixteenSelected(r))
			continue
		}
		base = base.Foreground(tokens.Roles[r])
		if tokens.Strong && r != Text && r != Muted {
			base = base.Bold(true)
		}
		t.roles[r] = newStyle(base) // the page's colour is the terminal's while the app runs
		t.raised[r] = newStyle(base.Background(tokens.Raised))
		t.selected[r] = newStyle(base.Background(tokens.Selected))
	}
	t.Rule = t.roles[Muted]
	t.Coast = t.Rule
	if !tokens.isOwn() {
		t.Rule = newStyle(lipgloss.NewStyle().Foreground(tokens.Rule))
		t.Coast = newStyle(lipgloss.NewStyle().Foreground(mixColors(tokens.Rule, tokens.Roles[Muted])))
	}
	t.Title = t.roles[Text].Bold(true)
	t.Key = t.roles[Accent]
	t.Section = t.roles[Accent].Bold(true)
	if tokens.isOwn() {
		t.Key = t.roles[Text].Bold(true)
	}
	return t
}

// isOwn reports whether grounds are the terminal's own, so that only attributes
// and reverse video set anything apart.
func (t *Tokens) isOwn() bool { return t.Plain || t.Sixteen }

// plainStyle tells the roles apart without colour.
func plainStyle(r Role) lipgloss.Style {
	s := lipgloss.NewStyle()
	switch r {
	case Muted:
		return s.Faint(true)
	case Attention, Bad, Accent:
		return s.Bold(true)
	default:
		return s
	}
}

// Style returns the style of a role on the page.
func (t *Theme) Style(r Role) Style { return t.roles[r] }

// SelectedStyle returns the style of a role on the selected row.
func (t *Theme) SelectedStyle(r Role) Style { return t.selected[r] }

// RaisedStyle returns the style of a role in an overlay.
func (t *Theme) RaisedStyle(r Role) Style { return t.raised[r] }

// BandStyle returns the style of the account band for a kind of profile: live,
// test, demo, or anything else for a plain one.
func (t *Theme) BandStyle(kind string) Style {
	c, ok := t.tokens.Bands[kind]
	if !ok || t.tokens.isOwn() {
		return t.roles[Text].Reverse(true)
	}
	return newStyle(lipgloss.NewStyle().Foreground(t.tokens.BandText).Background(c))
}

// TintColors returns the backgrounds that mark the inside of a polygon on a map, and of
// the chosen one; without colour both are nil.
func (t *Theme) TintColors() (inside, chosen color.Color) {
	if t.tokens.isOwn() {
		return nil, nil
	}
	return t.tokens.Selected, t.tokens.Chosen
}

// PageColor returns the background of the page, nil for the terminal's own.
func (t *Theme) PageColor() color.Color { return t.tokens.Page }

// TextColor returns the colour of plain text, nil for the terminal's own.
func (t *Theme) TextColor() color.Color { return t.tokens.Roles[Text] }

// Style is a look of text with the escape sequences that it puts around a line, so
// that to render a line costs no more than to put them there: a frame has hundreds.
type Style struct {
	look          *lipgloss.Style // nil for none
	before, after string
	byLetter      bool // blanks are rendered in another way
}

// newStyle makes a style ready.
func newStyle(look lipgloss.Style) Style {
	const text = "…" // which is in no sequence and in no link's address
	before, after, _ := strings.Cut(look.Render(text), text)
	return Style{&look, before, after, look.GetUnderline()}
}

// LipglossStyle returns the style for widgets that take one of Lip Gloss.
func (s Style) LipglossStyle() lipgloss.Style {
	if s.look == nil {
		return lipgloss.NewStyle()
	}
	return *s.look
}

// Render renders texts, parted by spaces.
func (s Style) Render(texts ...string) string {
	if !s.byLetter && len(texts) == 1 && !strings.ContainsAny(texts[0], "\n\t\r") {
		return s.before + texts[0] + s.after
	}
	return s.LipglossStyle().Render(texts...)
}

// Bold returns the style in bold type, or not.
func (s Style) Bold(on bool) Style { return newStyle(s.LipglossStyle().Bold(on)) }

// Reverse returns the style with text and ground exchanged.
func (s Style) Reverse(on bool) Style { return newStyle(s.LipglossStyle().Reverse(on)) }

// Underline returns the style with a line below.
func (s Style) Underline(on bool) Style { return newStyle(s.LipglossStyle().Underline(on)) }

// Hyperlink returns the style of a link to an address.
func (s Style) Hyperlink(address string) Style {
	return newStyle(s.LipglossStyle().Hyperlink(address))
}

// ShellTheme returns the theme of what is printed among other programs' lines: the
// terminal's own colours, which suit its background, whatever that is. Blue is
// the bright one: the other can hardly be read on black in many palettes.
func ShellTheme() *Theme {
	return buildTheme("shell", Tokens{Roles: parseColors("", "8", "6", "12", "3", "5", "2", "1")})
}

// rampStops are the colours of measured values, from the lowest to the highest:
// dark to bright, so that they can be told apart without their hues.
var rampStops = []color.RGBA{
	{68, 1, 84, 255},
	{59, 82, 139, 255},
	{33, 145, 140, 255},
	{94, 201, 98, 255},
	{253, 231, 37, 255},
}

// RampColor returns the colour of a value, 0 for the lowest to 1 for the highest.
func RampColor(share float64) color.RGBA {
	at := max(0, min(1, share)) * float64(len(rampStops)-1)
	i := min(int(at), len(rampStops)-2)
	a, b, part := rampStops[i], rampStops[i+1], at-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + part*(float64(y)-float64(x))) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

package theme

import (
	"fmt"
	"image/color"
	"strings"
	"sync"

	"charm.land/lipgloss/v2"

	"flightdesk/tui/format"
)

// Role says what a text means; it has one colour everywhere.
type Role = format.Tone

// The roles.
const (
	Text       = format.Text
	Muted      = format.Muted
	Accent     = format.Accent
	Pending    = format.Pending
	Attention  = format.Attention
	InProgress = format.InProgress
	Good       = format.Good
	Bad        = format.Bad
	roles      = format.Tones
)

// Tokens are the colours of a theme, by their names; one that is missing leaves the
// terminal's own.
type Tokens struct {
	Colours map[string]color.Color
	Plain   bool // no colour: bold, faint and reverse carry the meaning
	Sixteen bool // the terminal's own sixteen colours, whatever they look like
	Strong  bool // roles are bold
}

// tokenNames are the colours of a theme as the configuration calls them: the roles, the
// grounds, the inside of the selected polygon on a map, rules and scale bars, which are
// never text, and the account band by kind of profile.
var tokenNames = strings.Fields("text muted accent pending attention in_progress good bad " +
	"page raised selected selected_area rule band_text band_live band_test band_demo")

// parseTokens returns colours that are given in the order of their names.
func parseTokens(colours string) Tokens {
	t := Tokens{Colours: map[string]color.Color{}}
	for i, c := range strings.Fields(colours) {
		t.Colours[tokenNames[i]] = lipgloss.Color(c)
	}
	return t
}

// ofRole returns the colour of a role.
func (t *Tokens) ofRole(r Role) color.Color { return t.Colours[tokenNames[r]] }

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
	if name == "" || name == "auto" {
		name = map[bool]string{true: "dark", false: "light"}[isDark]
	}
	switch name {
	case "dark":
		return buildTheme(name, darkTokens()), nil
	case "light":
		return buildTheme(name, lightTokens()), nil
	case "high-contrast":
		return buildTheme(name, highContrast(isDark)), nil
	case "none":
		return buildTheme(name, Tokens{Plain: true}), nil
	default:
		return nil, fmt.Errorf(
			"unknown theme %q; use %s",
			name,
			strings.Join(ThemeNames(), ", "),
		)
	}
}

func darkTokens() Tokens {
	return parseTokens("#e6edf3 #9aa4b0 #58c4f5 #a5b6d0 #e8b63c #c4a7ff #5bd66f #ff8a80 " +
		"#0d1117 #161b22 #1c3048 #3a3114 #3d444d #ffffff #7a1f2b #6b4a00 #0b5a52")
}

func lightTokens() Tokens {
	return parseTokens("#1f2328 #505863 #075a9c #43587a #7d5200 #6435b0 #14652b #a91f19 " +
		"#ffffff #f3f5f8 #dbeafe #fbedc4 #c3cad3 #ffffff #7a1f2b #6b4a00 #0b5a52")
}

// highContrast has the roles' hues of the dark or light theme on pure black or
// white, bold.
func highContrast(isDark bool) Tokens {
	t, ground, text := lightTokens(), lipgloss.Color("#ffffff"), lipgloss.Color("#000000")
	if isDark {
		t, ground, text = darkTokens(), text, ground
	}
	t.Strong = true
	for token, c := range map[string]color.Color{
		"page": ground, "raised": ground, "text": text, "muted": text, "rule": text,
	} {
		t.Colours[token] = c
	}
	return t
}

func buildTheme(name string, tokens Tokens) *Theme {
	t := &Theme{Name: name, tokens: tokens}
	for r := range roles {
		base := lipgloss.NewStyle()
		if tokens.Plain {
			base = plainStyle(r)
			t.roles[r], t.selected[r] = newStyle(base), newStyle(base.Reverse(true))
			t.raised[r] = t.roles[r]
			continue
		}
		if tokens.Sixteen {
			t.roles[r] = newStyle(sixteenStyle(r, tokens.ofRole(r)))
			t.raised[r], t.selected[r] = t.roles[r], newStyle(sixteenSelected(r))
			continue
		}
		base = base.Foreground(tokens.ofRole(r))
		if tokens.Strong && r != Text && r != Muted {
			base = base.Bold(true)
		}
		t.roles[r] = newStyle(base) // the page's colour is the terminal's while the app runs
		t.raised[r] = newStyle(base.Background(tokens.Colours["raised"]))
		t.selected[r] = newStyle(base.Background(tokens.Colours["selected"]))
	}
	t.Rule = t.roles[Muted]
	t.Coast = t.Rule
	if !tokens.isOwn() {
		t.Rule = newStyle(lipgloss.NewStyle().Foreground(tokens.Colours["rule"]))
		t.Coast = newStyle(lipgloss.NewStyle().Foreground(lipgloss.Blend1D(3, tokens.Colours["rule"], tokens.ofRole(Muted))[1]))
	}
	t.Title = t.roles[Text].Bold()
	t.Key = t.roles[Accent]
	t.Section = t.roles[Accent].Bold()
	if tokens.isOwn() {
		t.Key = t.roles[Text].Bold()
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
	c, ok := t.tokens.Colours["band_"+kind]
	if !ok {
		return t.roles[Text].Reverse()
	}
	return newStyle(lipgloss.NewStyle().Foreground(t.tokens.Colours["band_text"]).Background(c))
}

// TintColors returns the backgrounds that mark the inside of a polygon on a map, and of
// the chosen one; without colour both are nil.
func (t *Theme) TintColors() (inside, chosen color.Color) {
	return t.tokens.Colours["selected"], t.tokens.Colours["selected_area"]
}

// PageColor returns the background of the page, nil for the terminal's own.
func (t *Theme) PageColor() color.Color { return t.tokens.Colours["page"] }

// TextColor returns the colour of plain text, nil for the terminal's own.
func (t *Theme) TextColor() color.Color { return t.tokens.ofRole(Text) }

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

// Bold returns the style in bold type.
func (s Style) Bold() Style { return newStyle(s.LipglossStyle().Bold(true)) }

// Reverse returns the style with text and ground exchanged.
func (s Style) Reverse() Style { return newStyle(s.LipglossStyle().Reverse(true)) }

// Underline returns the style with a line below.
func (s Style) Underline() Style { return newStyle(s.LipglossStyle().Underline(true)) }

// Hyperlink returns the style of a link to an address.
func (s Style) Hyperlink(address string) Style {
	return newStyle(s.LipglossStyle().Hyperlink(address))
}

// ShellTheme returns the theme of what is printed among other programs' lines: the
// terminal's own colours, which suit its background, whatever that is. Blue is
// the bright one: the other can hardly be read on black in many palettes.
func ShellTheme() *Theme {
	return buildTheme("shell", parseTokens("none 8 6 12 3 5 2 1"))
}

// ramp has the colours of measured values, from the lowest to the highest: dark to bright,
// so that they can be told apart without their hues.
var ramp = sync.OnceValue(func() []color.Color {
	return lipgloss.Blend1D(
		256, lipgloss.Color("#440154"), lipgloss.Color("#3b528b"), lipgloss.Color("#21918c"),
		lipgloss.Color("#5ec962"), lipgloss.Color("#fde725"),
	)
})

// RampColor returns the colour of a value, 0 for the lowest to 1 for the highest.
func RampColor(share float64) color.Color { return ramp()[int(max(0, min(1, share))*255)] }

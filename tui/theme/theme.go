package theme

import (
	"fmt"
	"image/color"
	"strings"
	"sync"

	"charm.land/lipgloss/v2"

	"flightdesk/tui/format"
)

// Role is the meaning of a text. All texts of a role have the same colour.
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

// Tokens are the colours of a theme by name. A missing colour is the terminal's default.
type Tokens struct {
	Colours map[string]color.Color
	Plain   bool // no colours: bold, faint and reverse distinguish the roles
	Sixteen bool // the terminal's palette of sixteen colours
	Strong  bool // roles are bold
}

// tokenNames are the names of the colours in the configuration. It begins with the names of the roles, in the
// order of their constants.
var tokenNames = []string{
	"text", "muted", "accent", "pending", "attention", "in_progress", "good", "bad",
	"page", "raised", "selected", // backgrounds of pages, of dialogs and of the selected row
	"selected_area",                                    // the selected area on a map
	"rule",                                             // horizontal rules and scale bars
	"band_text", "band_live", "band_test", "band_demo", // the first row by environment
}

// parseTokens parses colours in the order of tokenNames.
func parseTokens(colours string) Tokens {
	t := Tokens{Colours: map[string]color.Color{}}
	for i, c := range strings.Fields(colours) {
		t.Colours[tokenNames[i]] = lipgloss.Color(c)
	}
	return t
}

// ofRole returns the colour of a role.
func (t *Tokens) ofRole(r Role) color.Color { return t.Colours[tokenNames[r]] }

// Theme is a set of styles.
type Theme struct {
	Name   string
	tokens Tokens

	roles    [roles]Style // on a page
	selected [roles]Style // on the selected row
	raised   [roles]Style // in a dialog
	Rule     Style
	Coast    Style // coasts on a map, never text
	Title    Style // group titles
	Key      Style // keys in the footer
	Section  Style // the active section

	// Linear is true for screen readers: the app then uses words instead of glyphs, and one line for each
	// thing.
	Linear bool
}

// LinearTheme returns the theme of the plain mode for screen readers.
func LinearTheme() *Theme {
	t := buildTheme("none", Tokens{Plain: true})
	t.Linear = true
	return t
}

// IsWide reports whether parts that together need the given number of cells can be drawn next to each other
// in w cells. It returns false for a linear theme, in which all parts are below each other.
func (t *Theme) IsWide(w, needed int) bool { return w >= needed && !t.Linear }

// SelectionMark returns the mark of the selected row.
func (t *Theme) SelectionMark() string {
	if t.Linear {
		return Selected
	}
	return "▸"
}

// Selected is the mark of the selected row for screen readers.
const Selected = "selected:"

// NarrowWidth returns the width w, but at most limit. A linear theme has no limit, because screen
// readers need uncut text.
func (t *Theme) NarrowWidth(w, limit int) int {
	if t.Linear {
		return w
	}
	return min(w, limit)
}

// ThemeNames returns the names of the built-in themes. The theme auto follows the terminal's background.
func ThemeNames() []string { return []string{"auto", "dark", "light", "high-contrast", "none"} }

// NamedTheme returns the built-in theme with the given name; "" is auto. isDark says whether the terminal's
// background is dark.
func NamedTheme(name string, isDark bool) (*Theme, error) {
	if name == "" || name == "auto" {
		name = "light"
		if isDark {
			name = "dark"
		}
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
		return nil, fmt.Errorf("unknown theme %q; use %s", name, strings.Join(ThemeNames(), ", "))
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

// highContrast returns the colours of the dark or light theme in bold on pure black or white.
func highContrast(isDark bool) Tokens {
	black := lipgloss.Color("#000000")
	white := lipgloss.Color("#ffffff")
	if isDark {
		return strongTokens(darkTokens(), white, black)
	}
	return strongTokens(lightTokens(), black, white)
}

// strongTokens replaces the text and background colours, and makes the roles bold.
func strongTokens(t Tokens, text, background color.Color) Tokens {
	t.Strong = true
	t.Colours["page"] = background
	t.Colours["raised"] = background
	t.Colours["text"] = text
	t.Colours["muted"] = text
	t.Colours["rule"] = text
	return t
}

// buildTheme builds a theme from a name and its colours.
func buildTheme(name string, tokens Tokens) *Theme {
	t := &Theme{Name: name, tokens: tokens}
	for r := range roles {
		t.buildRole(r)
	}
	t.Title = t.roles[Text].Bold()
	t.Section = t.roles[Accent].Bold()
	if tokens.hasNoBackgrounds() {
		t.Rule = t.roles[Muted]
		t.Coast = t.roles[Muted]
		t.Key = t.roles[Text].Bold()
		return t
	}
	rule := tokens.Colours["rule"]
	coast := lipgloss.Blend1D(3, rule, tokens.ofRole(Muted))[1]
	t.Rule = newStyle(lipgloss.NewStyle().Foreground(rule))
	t.Coast = newStyle(lipgloss.NewStyle().Foreground(coast))
	t.Key = t.roles[Accent]
	return t
}

// buildRole sets the styles of a role. The style on a page has no background, because the app sets
// the terminal's background to the page's colour.
func (t *Theme) buildRole(r Role) {
	tokens := &t.tokens
	if tokens.Plain {
		style := plainStyle(r)
		t.roles[r] = newStyle(style)
		t.raised[r] = t.roles[r]
		t.selected[r] = newStyle(style.Reverse(true))
		return
	}
	if tokens.Sixteen {
		t.roles[r] = newStyle(sixteenStyle(r, tokens.ofRole(r)))
		t.raised[r] = t.roles[r]
		t.selected[r] = newStyle(sixteenSelected(r))
		return
	}
	style := lipgloss.NewStyle().Foreground(tokens.ofRole(r))
	if tokens.Strong && r != Text && r != Muted {
		style = style.Bold(true)
	}
	t.roles[r] = newStyle(style)
	t.raised[r] = newStyle(style.Background(tokens.Colours["raised"]))
	t.selected[r] = newStyle(style.Background(tokens.Colours["selected"]))
}

// hasNoBackgrounds reports whether the theme leaves all backgrounds to the terminal. Attributes and
// reverse video then distinguish texts.
func (t *Tokens) hasNoBackgrounds() bool { return t.Plain || t.Sixteen }

// plainStyle distinguishes the roles without colour.
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

// Style returns the style of a role on a page.
func (t *Theme) Style(r Role) Style { return t.roles[r] }

// SelectedStyle returns the style of a role on the selected row.
func (t *Theme) SelectedStyle(r Role) Style { return t.selected[r] }

// RaisedStyle returns the style of a role in a dialog.
func (t *Theme) RaisedStyle(r Role) Style { return t.raised[r] }

// BandStyle returns the style of the account band, which is the first row of the screen. kind is the kind of the
// profile: live, test or demo. Other kinds have a plain band.
func (t *Theme) BandStyle(kind string) Style {
	c, ok := t.tokens.Colours["band_"+kind]
	if !ok {
		return t.roles[Text].Reverse()
	}
	return newStyle(lipgloss.NewStyle().Foreground(t.tokens.Colours["band_text"]).Background(c))
}

// TintColors returns the backgrounds of areas and of the selected area on a map. Both are
// nil without colours.
func (t *Theme) TintColors() (inside, chosen color.Color) {
	return t.tokens.Colours["selected"], t.tokens.Colours["selected_area"]
}

// PageColor returns the background of the page, or nil for the terminal's default.
func (t *Theme) PageColor() color.Color { return t.tokens.Colours["page"] }

// TextColor returns the colour of normal text, or nil for the terminal's default.
func (t *Theme) TextColor() color.Color { return t.tokens.ofRole(Text) }

// Style is a text style with precomputed escape sequences, because a frame renders hundreds of lines.
// The zero value renders text unchanged.
type Style struct {
	look          *lipgloss.Style // nil for the zero value
	before, after string          // escape sequences
	isSlow        bool            // blanks have another style than letters, so the library must render the text
}

// newStyle computes the escape sequences of a style.
func newStyle(look lipgloss.Style) Style {
	const text = "…" // neither escape sequences nor links have this character
	before, after, _ := strings.Cut(look.Render(text), text)
	return Style{look: &look, before: before, after: after, isSlow: look.GetUnderline()}
}

// LipglossStyle returns the style for widgets that need a Lip Gloss style.
func (s Style) LipglossStyle() lipgloss.Style {
	if s.look == nil {
		return lipgloss.NewStyle()
	}
	return *s.look
}

// Render renders texts, separated by spaces.
func (s Style) Render(texts ...string) string {
	if !s.isSlow && len(texts) == 1 && !strings.ContainsAny(texts[0], "\n\t\r") {
		return s.before + texts[0] + s.after
	}
	return s.LipglossStyle().Render(texts...)
}

// Bold returns the style in bold.
func (s Style) Bold() Style { return newStyle(s.LipglossStyle().Bold(true)) }

// Reverse returns the style in reverse video.
func (s Style) Reverse() Style { return newStyle(s.LipglossStyle().Reverse(true)) }

// Underline returns the style with an underline.
func (s Style) Underline() Style { return newStyle(s.LipglossStyle().Underline(true)) }

// Hyperlink returns the style of a link to an address.
func (s Style) Hyperlink(address string) Style {
	return newStyle(s.LipglossStyle().Hyperlink(address))
}

// ShellTheme returns the theme for the output of commands. It uses colours of the terminal's palette,
// which are readable on the terminal's background. Only normal blue is hard to read on black in many
// palettes, so it uses bright blue.
func ShellTheme() *Theme {
	return buildTheme("shell", parseTokens("none 8 6 12 3 5 2 1"))
}

// ramp has the colours of measured values from low to high. They also differ in brightness.
var ramp = sync.OnceValue(func() []color.Color {
	return lipgloss.Blend1D(
		256, lipgloss.Color("#440154"), lipgloss.Color("#3b528b"), lipgloss.Color("#21918c"),
		lipgloss.Color("#5ec962"), lipgloss.Color("#fde725"),
	)
})

// RampColor returns the colour of a value from 0 to 1.
func RampColor(share float64) color.Color { return ramp()[int(max(0, min(1, share))*255)] }

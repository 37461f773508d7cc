package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"flightdesk/config"
	keys "flightdesk/tui/action"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
)

func (d *doctor) checkTerminal() {
	out := os.Stdout
	if !isTerminal(out) {
		d.note("standard output is not a terminal", "run the app in a terminal or with --plain")
		return
	}
	setting := ""
	if file, err := config.Load(d.Env); err == nil { // its faults are told later
		setting = file.Glyphs
	}
	terminal := theme.TerminalOf(setting, os.Getenv)
	clusters := askWidths(&terminal, out)
	d.checkSize(out)
	d.checkColours(out)
	if picture.MayHave(os.Getenv) {
		d.ok("image previews: full resolution (kitty 0.28 or later)")
	} else {
		d.ok("image previews: half blocks")
	}
	d.checkGlyphs(&terminal)
	if clusters {
		d.ok("combined emoji: supported (mode 2027)")
	} else {
		d.ok("combined emoji: only the first character is shown")
	}
	d.checkClipboard()
}

// smallest is the size of the smallest window that the app works in.
const (
	smallestWidth  = 60
	smallestHeight = 18
)

func (d *doctor) checkSize(out *os.File) {
	width, height, err := term.GetSize(out.Fd())
	needed, size := fmt.Sprintf("%dx%d", smallestWidth, smallestHeight), fmt.Sprintf("%dx%d", width, height)
	switch {
	case err != nil:
		d.fault("unknown size: "+err.Error(), "use another terminal, or --plain")
	case width == 0 || height == 0:
		d.note("unknown size", "the app needs "+needed)
	case width < smallestWidth || height < smallestHeight:
		d.note(size+" is too small for the app", "enlarge it to "+needed)
	default:
		d.ok(size)
	}
}

func (d *doctor) checkColours(out io.Writer) {
	switch profile := theme.DetectProfile(out, os.Environ()); {
	case os.Getenv("TERM") == "dumb":
		d.note("TERM is dumb, so the app shows lines of text", "set TERM to the type of the terminal")
	case os.Getenv("NO_COLOR") != "":
		d.ok("no colours because NO_COLOR is set")
	case profile == colorprofile.TrueColor:
		d.ok("all colours")
	case profile == colorprofile.ANSI256:
		d.ok("256 colours")
	case profile == colorprofile.ANSI:
		d.print(stateOK, "16 colours; the app uses those readable in every palette",
			adviseColours(os.Getenv("TERM")))
	default:
		d.ok("no colours with TERM=" + os.Getenv("TERM"))
	}
}

// adviseColours names the terminal type that shows more colours than one of 16,
// "" where terminals of its kind have no other.
func adviseColours(term string) string {
	switch term {
	case "xterm", "screen", "tmux", "rxvt", "rxvt-unicode", "putty", "konsole", "gnome", "vte", "st":
		return "TERM=" + term + "-256color shows more if the terminal supports it"
	}
	return ""
}

// sample are characters that the app draws with.
const sample = "◇ ◆ ◌ ◔ ◎ ◕ ● △ ✗ ⊖ ⊗ ▸ ✓ ─│┌ ▌█ ⠿"

func (d *doctor) checkGlyphs(t *theme.Terminal) {
	set := t.GlyphSet()
	shown := ": " + set.DrawText(sample)
	ascii := "so the app draws in ASCII" + shown
	switch {
	case set == theme.Unicode:
		d.print(stateOK, "draws in Unicode"+shown, `If some are missing, set glyphs = "ascii"`)
	case t.IsBytes() && t.Charset != "":
		d.note(t.Charset+" is not UTF-8, "+ascii, "use a UTF-8 locale such as C.UTF-8")
	case t.IsBytes():
		d.note("no UTF-8, "+ascii, "turn on UTF-8 in the terminal")
	case t.IsWide():
		d.note("characters of ambiguous width are two cells wide, "+ascii, "set them to narrow in the terminal")
	case t.Setting == theme.GlyphsASCII:
		d.ok(`draws in ASCII because of glyphs = "ascii"` + shown)
	case set == theme.Console:
		d.ok("draws with the characters of console fonts" + shown)
	default:
		d.note(t.Charset+" is not UTF-8, "+ascii, `use a UTF-8 locale, or set glyphs = "unicode"`)
	}
}

func (d *doctor) checkClipboard() {
	switch way := reachableClipboards(); {
	case way.HasSystem() && way.HasTmux():
		d.ok("copies to the system clipboard and the tmux buffer")
	case way.HasSystem():
		d.ok("copies to the system clipboard")
	case way.HasTmux():
		d.ok("copies to the tmux buffer, and on to the terminal if set-clipboard allows it")
	case way.Sequence("") == "":
		d.note("no clipboard", "press alt+y in the app to show and select copied text")
	default:
		d.note("copies through the terminal (OSC 52), which many terminals ignore", "paste to check; press alt+y in the app to show and select copied text")
	}
}

// askTime is how long a terminal may take to answer.
const askTime = time.Second

var (
	positionAnswer = regexp.MustCompile(`\x1b\[\d+;(\d+)R`)
	clusterAnswer  = regexp.MustCompile(`\x1b\[\?2027;[123]\$y`)
	lastAnswer     = regexp.MustCompile(`\x1b\[\?[\d;]*c`)
)

// askWidths asks the terminal how wide characters are, and reports whether it measures
// clusters. One that does not answer is waited for a moment.
func askWidths(t *theme.Terminal, out io.Writer) (clusters bool) {
	before, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return false
	}
	defer func() { _ = term.Restore(os.Stdin.Fd(), before) }()
	in, err := uv.NewCancelReader(os.Stdin)
	if err != nil {
		return false
	}
	defer func() { _ = in.Close() }()
	defer time.AfterFunc(askTime, func() { in.Cancel() }).Stop()
	// The last question is one that every terminal answers.
	const questions = theme.WidthProbe + ansi.RequestModeUnicodeCore + ansi.RequestPrimaryDeviceAttributes
	if _, err := io.WriteString(out, questions); err != nil {
		return false
	}
	var said strings.Builder
	for buf := make([]byte, 256); !lastAnswer.MatchString(said.String()); {
		n, err := in.Read(buf)
		if err != nil {
			break
		}
		said.Write(buf[:n])
	}
	if at := positionAnswer.FindStringSubmatch(said.String()); at != nil {
		column, _ := strconv.Atoi(at[1])
		t.TakeColumn(column - 1)
	}
	return clusterAnswer.MatchString(said.String())
}

// ownThemes returns the themes of a configuration.
func ownThemes(c *config.Config) []theme.CustomTheme {
	themes := make([]theme.CustomTheme, len(c.UserThemes))
	for i, t := range c.UserThemes {
		themes[i] = theme.CustomTheme{
			Name:    t.Name,
			Base:    t.Base,
			Colours: t.Colours,
		}
	}
	return themes
}

// faintThemes returns the colours of the user's themes that make texts hard to
// read, by line.
func faintThemes(c *config.Config) (faint config.Faults) {
	for i, own := range ownThemes(c) {
		lines := c.UserThemes[i].Lines
		for _, f := range own.FaintTexts() {
			at := f.Token
			if lines[at] == 0 {
				at = f.Ground
			}
			faint = append(faint, config.Fault{
				File: c.Path, Line: lines[at], Key: "themes." + own.Name + "." + at,
				Problem: fmt.Sprintf("%s on %s has a contrast of %.1f; below %.1f text is hard to read",
					f.Token, f.Ground, f.Contrast, theme.Readable),
			})
		}
	}
	faint.SortByLine()
	return faint
}

// bindKeys gives the app the keys of a configuration. What does not hold comes
// back as [config.Faults], by line.
func bindKeys(c *config.Config) (undo func(), err error) {
	undo, wrong := keys.BindKeys(bindingsOf(c))
	var faults config.Faults
	for _, f := range wrong {
		faults = append(faults, keyFault(c, f.Binding, f.Problem))
	}
	if faults == nil {
		return undo, nil
	}
	faults.SortByLine()
	return undo, faults
}

func bindingsOf(c *config.Config) (all []keys.Binding) {
	for _, b := range c.Keys {
		all = append(all, keys.Binding{
			Scope:  keys.Scope(b.Scope),
			Action: keys.ID(b.Action),
			Keys:   b.Keys,
			Line:   b.Line,
		})
	}
	return all
}

func keyFault(c *config.Config, b keys.Binding, problem string) config.Fault {
	return config.Fault{
		File:    c.Path,
		Line:    b.Line,
		Key:     fmt.Sprintf("keys.%s.%s", b.Scope, b.Action),
		Problem: problem,
	}
}

// earlierNames lists keys that are given to actions by names of earlier versions.
func earlierNames(c *config.Config) (list []config.Fault) {
	for _, b := range bindingsOf(c) {
		if current, renamed := keys.CurrentName(b); renamed {
			list = append(list, keyFault(c, b, fmt.Sprintf("is called keys.%s.%s now; the earlier name still works",
				current.Scope, current.Action)))
		}
	}
	return list
}

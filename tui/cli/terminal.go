package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
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

func goodFinding(text string) []doctorFinding { return found(stateOK, text, "") }

func aboutTerminal(c *Call) []doctorFinding {
	out := os.Stdout
	if !isTerminal(out) {
		return found(stateNote, "standard output is not a terminal", "run the app in a terminal or with --plain")
	}
	setting := ""
	if file, err := config.Load(c.Env); err == nil { // its faults are told later
		setting = file.Glyphs
	}
	terminal := theme.TerminalOf(setting, os.Getenv)
	clusters := askWidths(&terminal, out)
	previews := "image previews: half blocks"
	if picture.MayHave(os.Getenv) {
		previews = "image previews: full resolution (kitty 0.28 or later)"
	}
	emoji := "combined emoji: only the first character is shown"
	if clusters {
		emoji = "combined emoji: supported (mode 2027)"
	}
	return slices.Concat(
		aboutSize(out), aboutColours(out), goodFinding(previews), aboutGlyphs(&terminal), goodFinding(emoji), aboutClipboard(),
	)
}

// smallest is the size of the smallest window that the app works in.
const (
	smallestWidth  = 60
	smallestHeight = 18
)

func aboutSize(out *os.File) []doctorFinding {
	width, height, err := term.GetSize(out.Fd())
	switch {
	case err != nil:
		return found(stateFault, "unknown size: "+err.Error(), "use another terminal, or --plain")
	case width == 0 || height == 0:
		return found(stateNote, "unknown size", fmt.Sprintf("the app needs %dx%d", smallestWidth, smallestHeight))
	case width < smallestWidth || height < smallestHeight:
		return found(stateNote, fmt.Sprintf("%dx%d is too small for the app", width, height), fmt.Sprintf("enlarge it to %dx%d", smallestWidth, smallestHeight))
	}
	return goodFinding(fmt.Sprintf("%dx%d", width, height))
}

func aboutColours(out io.Writer) []doctorFinding {
	switch profile := theme.DetectProfile(out, os.Environ()); {
	case os.Getenv("TERM") == "dumb":
		return found(stateNote, "TERM is dumb, so the app shows lines of text", "set TERM to the type of the terminal")
	case os.Getenv("NO_COLOR") != "":
		return goodFinding("no colours because NO_COLOR is set")
	case profile == colorprofile.TrueColor:
		return goodFinding("all colours")
	case profile == colorprofile.ANSI256:
		return goodFinding("256 colours")
	case profile == colorprofile.ANSI:
		return found(stateOK, "16 colours; the app uses those readable in every palette", adviseColours(os.Getenv("TERM")))
	default:
		return goodFinding("no colours with TERM=" + os.Getenv("TERM"))
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

func aboutGlyphs(t *theme.Terminal) []doctorFinding {
	set := t.GlyphSet()
	shown := ": " + set.DrawText(sample)
	switch {
	case set == theme.Unicode:
		return found(stateOK, "draws in Unicode"+shown, `If some are missing, set glyphs = "ascii"`)
	case t.IsBytes() && t.Charset != "":
		return found(stateNote, t.Charset+" is not UTF-8, so the app draws in ASCII"+shown, "use a UTF-8 locale such as C.UTF-8")
	case t.IsBytes():
		return found(stateNote, "no UTF-8, so the app draws in ASCII"+shown, "turn on UTF-8 in the terminal")
	case t.IsWide():
		return found(stateNote, "characters of ambiguous width are two cells wide, so the app draws in ASCII"+shown, "set them to narrow in the terminal")
	case t.Setting == theme.GlyphsASCII:
		return goodFinding(`draws in ASCII because of glyphs = "ascii"` + shown)
	case set == theme.Console:
		return goodFinding("draws with the characters of console fonts" + shown)
	default:
		return found(stateNote, t.Charset+" is not UTF-8, so the app draws in ASCII"+shown, `use a UTF-8 locale, or set glyphs = "unicode"`)
	}
}

func aboutClipboard() []doctorFinding {
	switch way := reachableClipboards(); {
	case way.HasSystem() && way.HasTmux():
		return goodFinding("copies to the system clipboard and the tmux buffer")
	case way.HasSystem():
		return goodFinding("copies to the system clipboard")
	case way.HasTmux():
		return goodFinding("copies to the tmux buffer, and on to the terminal if set-clipboard allows it")
	case way.Sequence("") == "":
		return found(stateNote, "no clipboard", "press alt+y in the app to show and select copied text")
	default:
		return found(stateNote, "copies through the terminal (OSC 52), which many terminals ignore", "paste to check; press alt+y in the app to show and select copied text")
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
	if _, err := io.WriteString(
		out,
		theme.WidthProbe+ansi.RequestModeUnicodeCore+ansi.RequestPrimaryDeviceAttributes,
	); err != nil {
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
		themes[i] = theme.CustomTheme{Name: t.Name, Base: t.Base, Colours: t.Colours}
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
			problem := fmt.Sprintf("%s on %s has a contrast of %.1f; below %.1f text is hard to read",
				f.Token, f.Ground, f.Contrast, theme.Readable)
			faint = append(
				faint,
				config.Fault{
					File:    c.Path,
					Line:    lines[at],
					Key:     "themes." + own.Name + "." + at,
					Problem: problem,
				},
			)
		}
	}
	faint.SortByLine()
	return faint
}

// bindKeys gives the app the keys of a configuration. What does not hold comes
// back as [config.Faults], by line.
func bindKeys(c *config.Config) (undo func(), err error) {
	bindings := make([]keys.Binding, len(c.Keys))
	for i, b := range c.Keys {
		bindings[i] = bindingOf(b)
	}
	undo, wrong := keys.BindKeys(bindings)
	var faults config.Faults
	for _, f := range wrong {
		for _, b := range c.Keys {
			if b.Scope == string(f.Binding.Scope) && b.Action == string(f.Binding.Action) {
				faults = append(faults, keyFault(c, b, f.Problem))
			}
		}
	}
	if faults == nil {
		return undo, nil
	}
	faults.SortByLine()
	return undo, faults
}

func bindingOf(b config.KeyBinding) keys.Binding {
	return keys.Binding{Scope: keys.Scope(b.Scope), Action: keys.ID(b.Action), Keys: b.Keys}
}

func keyFault(c *config.Config, b config.KeyBinding, problem string) config.Fault {
	return config.Fault{File: c.Path, Line: b.Line, Key: "keys." + b.Scope + "." + b.Action, Problem: problem}
}

// earlierNames lists keys that are given to actions by names of earlier versions.
func earlierNames(c *config.Config) (list []config.Fault) {
	for _, b := range c.Keys {
		if current, renamed := keys.CurrentName(bindingOf(b)); renamed {
			problem := fmt.Sprintf(
				"is called keys.%s.%s now; the earlier name still works",
				current.Scope,
				current.Action,
			)
			list = append(list, keyFault(c, b, problem))
		}
	}
	return list
}

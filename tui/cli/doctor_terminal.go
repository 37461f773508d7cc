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
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
)

func (d *doctor) checkTerminal() {
	out := os.Stdout
	if !isTerminal(out) {
		d.printNote("standard output is not a terminal", "run the app in a terminal or with --plain")
		return
	}
	glyphs := d.glyphSetting()
	terminal := theme.TerminalOf(glyphs, os.Getenv)
	answers := queryTerminal(out)
	if answers.probedColumn >= 0 {
		terminal.TakeColumn(answers.probedColumn)
	}
	d.checkSize(out)
	d.checkColours(out)
	if picture.MayHave(os.Getenv) {
		d.printOK("image previews: full resolution (kitty 0.28 or later)")
	} else {
		d.printOK("image previews: half blocks")
	}
	d.checkGlyphs(&terminal)
	if answers.hasClusters {
		d.printOK("combined emoji: supported (mode 2027)")
	} else {
		d.printOK("combined emoji: only the first character is shown")
	}
	d.checkClipboard()
}

// glyphSetting returns the value of the setting glyphs, or "" if the configuration cannot be read. It does not report
// that error, because checkConfiguration does.
func (d *doctor) glyphSetting() string {
	settings, err := config.Load(d.call.program.Env)
	if err != nil {
		return ""
	}
	return settings.Glyphs
}

// The size in cells of the smallest window in which the app works.
const (
	minWidth  = 60
	minHeight = 18
)

func (d *doctor) checkSize(out *os.File) {
	width, height, err := term.GetSize(out.Fd())
	size := fmt.Sprintf("%dx%d", width, height)
	minSize := fmt.Sprintf("%dx%d", minWidth, minHeight)
	switch {
	case err != nil:
		d.printError("unknown size: "+err.Error(), "use another terminal, or --plain")
	case width == 0 || height == 0:
		d.printNote("unknown size", "the app needs "+minSize)
	case width < minWidth || height < minHeight:
		d.printNote(size+" is too small for the app", "enlarge it to "+minSize)
	default:
		d.printOK(size)
	}
}

func (d *doctor) checkColours(out io.Writer) {
	terminalType := os.Getenv("TERM")
	if terminalType == "dumb" {
		d.printNote("TERM is dumb, so the app shows lines of text", "set TERM to the type of the terminal")
		return
	}
	if os.Getenv("NO_COLOR") != "" {
		d.printOK("no colours because NO_COLOR is set")
		return
	}
	switch theme.DetectProfile(out, os.Environ()) {
	case colorprofile.TrueColor:
		d.printOK("all colours")
	case colorprofile.ANSI256:
		d.printOK("256 colours")
	case colorprofile.ANSI:
		d.print(stateOK, "16 colours; the app uses those readable in every palette", adviseColours(terminalType))
	default:
		d.printOK("no colours with TERM=" + terminalType)
	}
}

// adviseColours returns advice to set TERM to a similar terminal type with more than 16 colours, or
// "" if there is no such type.
func adviseColours(term string) string {
	switch term {
	case "xterm", "screen", "tmux", "rxvt", "rxvt-unicode", "putty", "konsole", "gnome", "vte", "st":
		return "TERM=" + term + "-256color shows more if the terminal supports it"
	}
	return ""
}

// sample has special characters that the app draws. The user can see whether the font of the terminal has all of
// them.
const sample = "◇ ◆ ◌ ◔ ◎ ◕ ● △ ✗ ⊖ ⊗ ▸ ✓ ─│┌ ▌█ ⠿"

func (d *doctor) checkGlyphs(t *theme.Terminal) {
	set := t.GlyphSet()
	drawn := ": " + set.DrawText(sample)
	ascii := "so the app draws in ASCII" + drawn
	switch {
	case set == theme.Unicode:
		d.print(stateOK, "draws in Unicode"+drawn, `If some are missing, set glyphs = "ascii"`)
	case t.IsBytes() && t.Charset != "":
		d.printNote(t.Charset+" is not UTF-8, "+ascii, "use a UTF-8 locale such as C.UTF-8")
	case t.IsBytes():
		d.printNote("no UTF-8, "+ascii, "turn on UTF-8 in the terminal")
	case t.IsWide():
		d.printNote("characters of ambiguous width are two cells wide, "+ascii, "set them to narrow in the terminal")
	case t.Setting == theme.GlyphsASCII:
		d.printOK(`draws in ASCII because of glyphs = "ascii"` + drawn)
	case set == theme.Console:
		d.printOK("draws with the characters of console fonts" + drawn)
	default:
		d.printNote(t.Charset+" is not UTF-8, "+ascii, `use a UTF-8 locale, or set glyphs = "unicode"`)
	}
}

func (d *doctor) checkClipboard() {
	clipboards := findClipboards()
	switch {
	case clipboards.HasSystem() && clipboards.HasTmux():
		d.printOK("copies to the system clipboard and the tmux buffer")
	case clipboards.HasSystem():
		d.printOK("copies to the system clipboard")
	case clipboards.HasTmux():
		d.printOK("copies to the tmux buffer, and on to the terminal if set-clipboard allows it")
	case clipboards.Sequence("") == "":
		d.printNote("no clipboard", "press alt+y in the app to show and select copied text")
	default:
		d.printNote("copies through the terminal (OSC 52), which many terminals ignore",
			"paste to check; press alt+y in the app to show and select copied text")
	}
}

// queryTimeout limits how long queryTerminal waits for the replies of a terminal.
const queryTimeout = time.Second

// The replies of a terminal to the queries of queryTerminal.
var (
	positionReply   = regexp.MustCompile(`\x1b\[\d+;(\d+)R`)
	clusterReply    = regexp.MustCompile(`\x1b\[\?2027;[123]\$y`)
	attributesReply = regexp.MustCompile(`\x1b\[\?[\d;]*c`)
)

// terminalAnswers are the properties of a terminal that it reports itself.
type terminalAnswers struct {
	probedColumn int  // column of the cursor, from 0, after theme.WidthProbe was written; -1 if not reported
	hasClusters  bool // draws combined emoji as one character
}

// queryTerminal asks the terminal for its properties.
func queryTerminal(out io.Writer) terminalAnswers {
	// Every terminal replies to the last query, so that its reply ends the wait.
	const queries = theme.WidthProbe + ansi.RequestModeUnicodeCore + ansi.RequestPrimaryDeviceAttributes
	replies := sendQueries(out, queries)
	answers := terminalAnswers{
		probedColumn: -1,
		hasClusters:  clusterReply.MatchString(replies),
	}
	position := positionReply.FindStringSubmatch(replies)
	if position != nil {
		column, _ := strconv.Atoi(position[1]) // only digits match
		answers.probedColumn = column - 1      // terminals count columns from 1
	}
	return answers
}

// sendQueries sends queries to the terminal and returns the replies that arrive within queryTimeout. It returns "" if
// standard input is not a terminal.
func sendQueries(out io.Writer, queries string) string {
	state, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return ""
	}
	defer func() { _ = term.Restore(os.Stdin.Fd(), state) }()
	input, err := uv.NewCancelReader(os.Stdin)
	if err != nil {
		return ""
	}
	defer func() { _ = input.Close() }()
	timeout := time.AfterFunc(queryTimeout, func() { input.Cancel() })
	defer timeout.Stop()
	if _, err := io.WriteString(out, queries); err != nil {
		return ""
	}
	return readReplies(input)
}

// readReplies reads until the reply to the last query of queryTerminal, or until an error.
func readReplies(input io.Reader) string {
	var replies strings.Builder
	buf := make([]byte, 256)
	for !attributesReply.MatchString(replies.String()) {
		n, err := input.Read(buf)
		if err != nil {
			break
		}
		replies.Write(buf[:n])
	}
	return replies.String()
}

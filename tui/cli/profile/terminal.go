package profile

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
	"flightdesk/tui/cli/run"
	"flightdesk/tui/glyph"
	"flightdesk/tui/widget/picture"
)

const terminalArea = "terminal"

func good(text string) Finding { return Finding{Area: terminalArea, State: stateOK, Text: text} }

func aboutTerminal(p *run.Program, out io.Writer) []Finding {
	if !run.IsTerminal(out) {
		return []Finding{{terminalArea, stateNote, "standard output is no terminal", "the app needs one, or --plain"}}
	}
	setting := ""
	if c, err := config.Load(p.Env); err == nil { // its faults are told later
		setting = c.Glyphs
	}
	terminal := glyph.TerminalOf(setting, os.Getenv)
	clusters := ask(&terminal, out)
	previews := "previews of pictures in half blocks"
	if picture.MayHave(os.Getenv) {
		previews = "previews of pictures as pictures, in kitty from 0.28 on"
	}
	emoji := "an emoji of several characters is shown as the first of them"
	if clusters {
		emoji = "emoji of several characters are measured as one (mode 2027)"
	}
	return []Finding{aboutSize(out.(*os.File)), aboutColours(out), good(previews), aboutGlyphs(&terminal), good(emoji), aboutClipboard()}
}

// smallest is the size of the smallest window that the app works in.
const (
	smallestWidth  = 60
	smallestHeight = 18
)

func aboutSize(out *os.File) Finding {
	width, height, err := term.GetSize(out.Fd())
	switch {
	case err != nil:
		return Finding{terminalArea, stateFault, "its size is not known: " + err.Error(), "use another terminal, or --plain"}
	case width == 0 || height == 0:
		return Finding{terminalArea, stateNote, "it does not tell its size", fmt.Sprintf("the app needs %dx%d", smallestWidth, smallestHeight)}
	case width < smallestWidth || height < smallestHeight:
		return Finding{
			terminalArea, stateNote, fmt.Sprintf("%dx%d is too small for the app", width, height),
			fmt.Sprintf("enlarge it to %dx%d", smallestWidth, smallestHeight),
		}
	}
	return good(fmt.Sprintf("%dx%d", width, height))
}

func aboutColours(out io.Writer) Finding {
	switch profile := colorprofile.Detect(out, os.Environ()); {
	case os.Getenv("TERM") == "dumb":
		return Finding{terminalArea, stateNote, "TERM is dumb, so the app is lines of text", "set TERM to what the terminal is"}
	case os.Getenv("NO_COLOR") != "":
		return good("no colour, since NO_COLOR is set")
	case profile == colorprofile.TrueColor:
		return good("all colours")
	case profile == colorprofile.ANSI256:
		return good("256 colours")
	case profile == colorprofile.ANSI:
		return Finding{
			terminalArea, stateOK, "16 colours, of which the app uses those that can be read in every palette",
			"TERM=" + os.Getenv("TERM") + "-256color shows more where the terminal has them",
		}
	default:
		return good("no colour in a terminal of TERM=" + os.Getenv("TERM"))
	}
}

// sample are characters that the app draws with.
const sample = "◇ ◆ ◌ ◔ ◎ ◕ ● △ ✗ ⊖ ⊗ ▸ ✓ ─│┌ ▌█ ⠿"

func aboutGlyphs(t *glyph.Terminal) Finding {
	set := t.Set()
	shown := ": " + set.Draw(sample)
	switch {
	case set == glyph.Unicode:
		return Finding{terminalArea, stateOK, "draws in Unicode" + shown, `Where some are missing, set glyphs = "ascii"`}
	case t.IsBytes() && t.Charset != "":
		return Finding{terminalArea, stateNote, t.Charset + " is no UTF-8, so the app draws in ASCII" + shown, "set it to a locale of UTF-8, like C.UTF-8"}
	case t.IsBytes():
		return Finding{terminalArea, stateNote, "it does not show UTF-8, so the app draws in ASCII" + shown, "turn UTF-8 on in the terminal"}
	case t.IsWide():
		return Finding{
			terminalArea, stateNote, "characters of ambiguous width are two cells wide, so the app draws in ASCII" + shown,
			"make them narrow in the terminal's settings",
		}
	case t.Setting == glyph.SettingASCII:
		return good(`draws in ASCII, for glyphs = "ascii" is set` + shown)
	case set == glyph.Console:
		return good("draws with what the fonts of consoles have" + shown)
	default:
		return Finding{terminalArea, stateNote, t.Charset + " is no UTF-8, so the app draws in ASCII" + shown, `set it to a locale of UTF-8, or glyphs = "unicode"`}
	}
}

func aboutClipboard() Finding {
	switch way := run.Clipboard(); {
	case way.HasSystem() && way.HasTmux():
		return good("copying goes into the system's clipboard and the tmux buffer")
	case way.HasSystem():
		return good("copying goes into the system's clipboard")
	case way.HasTmux():
		return good("copying goes into the tmux buffer, which hands it on where set-clipboard lets it")
	case way.Sequence("") == "":
		return Finding{terminalArea, stateNote, "no clipboard", "alt+y in the app shows what was copied, to select it"}
	default:
		return Finding{
			terminalArea, stateNote, "copying asks the terminal (OSC 52), and many do nothing then",
			"paste what you copied to see; alt+y in the app shows it, to select it",
		}
	}
}

// askTime is how long a terminal may take to answer.
const askTime = 300 * time.Millisecond

var (
	positionAnswer = regexp.MustCompile(`\x1b\[\d+;(\d+)R`)
	clusterAnswer  = regexp.MustCompile(`\x1b\[\?2027;[123]\$y`)
	lastAnswer     = regexp.MustCompile(`\x1b\[\?[\d;]*c`)
)

// ask asks the terminal how wide characters are, and reports whether it measures
// clusters. One that does not answer is waited for a moment.
func ask(t *glyph.Terminal, out io.Writer) (clusters bool) {
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
	if _, err := io.WriteString(out, glyph.Probe+ansi.RequestModeUnicodeCore+ansi.RequestPrimaryDeviceAttributes); err != nil {
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
		t.Hear(column - 1)
	}
	return clusterAnswer.MatchString(said.String())
}

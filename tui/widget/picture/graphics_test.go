package picture_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget/picture"
)

// speckled returns a picture that does not compress well, read for kitty.
func speckled(t *testing.T, w, h int) *picture.Picture {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{byte(x * y), byte(x ^ y), byte(x + 7*y), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	p, err := picture.ReadUpTo(bytes.NewReader(b.Bytes()), picture.Kitty, picture.MaxPixels)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var command = regexp.MustCompile(`\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\`)

// Kitty gets the picture in valid commands of limited length and is not asked to respond.
func TestKittyGetsThePictureInChunks(t *testing.T) {
	p := speckled(t, 1300, 430)
	var data strings.Builder
	commands := command.FindAllStringSubmatch(p.SendToTerminal(), -1)
	if rest := command.ReplaceAllString(p.SendToTerminal(), ""); rest != "" {
		t.Fatalf("%q is no command", rest)
	}
	for i, c := range commands {
		options := "," + c[1] + ","
		if len(c[2]) > kitty.MaxChunkSize || !strings.Contains(options, ",q=2,") {
			t.Fatalf("command %d has %d bytes and %s", i, len(c[2]), options)
		}
		if first := strings.Contains(options, ",f=100,") && strings.Contains(options, ",i=31,"); first != (i == 0) {
			t.Errorf("command %d has %s", i, options)
		}
		if more := strings.Contains(options, ",m=1,"); more != (i < len(commands)-1) {
			t.Errorf("command %d of %d has %s", i, len(commands), options)
		}
		data.WriteString(c[2])
	}
	raw, err := base64.StdEncoding.DecodeString(data.String())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size != image.Pt(1024, 338) {
		t.Errorf("it has %v", size)
	}
}

// Placeholders are drawn instead of half blocks after the picture was placed in the
// terminal.
func TestPlaceholdersReplaceHalfBlocks(t *testing.T) {
	p := speckled(t, 80, 40)
	if view := p.View(20, 9, false); strings.ContainsRune(view, kitty.Placeholder) || !strings.Contains(view, "▀") {
		t.Errorf("before it is placed it is %q", view)
	}
	if got, want := p.PlaceIn(20, 9), "\x1b_Gq=2,i=31,p=1,U=1,c=20,r=5,a=p\x1b\\"; got != want {
		t.Errorf("placed by %q, want %q", got, want)
	}
	view := p.View(20, 9, false)
	tuitest.RequireExact(t, "placed", view, 20, 9)
	lines := strings.Split(view, "\n")
	for y, line := range lines {
		n := strings.Count(line, string(kitty.Placeholder))
		if want := map[bool]int{true: 20}[y >= 2 && y < 7]; n != want {
			t.Errorf("line %d has %d placeholders, want %d", y, n, want)
		}
	}
	second := string([]rune{
		kitty.Placeholder, kitty.Diacritic(1), kitty.Diacritic(0), kitty.Placeholder, kitty.Diacritic(1),
		kitty.Diacritic(1),
	})
	if !strings.Contains(lines[3], "38;5;31m"+second) {
		t.Errorf("the second row is %q", lines[3])
	}
	for name, view := range map[string]string{
		"without colour":    p.View(20, 9, true),
		"in another window": p.View(21, 9, false),
	} {
		if strings.ContainsRune(view, kitty.Placeholder) {
			t.Errorf("%s it is %q", name, ansi.Strip(view))
		}
	}
	if picture.ForgetPicture() != "\x1b_Gq=2,i=31,d=I,a=d\x1b\\" {
		t.Errorf("forgotten by %q", picture.ForgetPicture())
	}
}

func TestPlaceholdersFillAnyRectangle(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 900}, {900, 1}, {3, 7}} {
		p := speckled(t, size[0], size[1])
		for _, room := range [][2]int{{1, 1}, {30, 1}, {1, 12}, {29, 11}, {400, 400}} {
			p.PlaceIn(room[0], room[1])
			tuitest.RequireExact(t, "placed", p.View(room[0], room[1], false), room[0], room[1])
		}
	}
}

func TestOnlyTerminalsWithGraphicsAreQueried(t *testing.T) {
	for vars, want := range map[string]bool{
		"": false, "TERM=xterm-256color": false, "TERM=xterm-kitty": true, "TERM=xterm-ghostty": true,
		"TERM=xterm-256color TERM_PROGRAM=ghostty": true, "KITTY_WINDOW_ID=1 TERM=xterm-256color": true,
		"TERM=xterm-kitty TMUX=/tmp/x": false, "TERM=screen-256color KITTY_WINDOW_ID=1": false,
		"TERM=tmux-256color KITTY_WINDOW_ID=1": false, "TERM_PROGRAM=WezTerm TERM=xterm-256color": false,
	} {
		env := map[string]string{}
		for _, v := range strings.Fields(vars) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		if got := picture.MayHave(func(name string) string { return env[name] }); got != want {
			t.Errorf("%q may have graphics: %t", vars, got)
		}
	}
}

func TestGraphicsDependOnNameAndVersion(t *testing.T) {
	for version, want := range map[string]picture.Graphics{
		"kitty(0.28.0)": picture.Kitty, "kitty(0.46.2)": picture.Kitty, "kitty(1.0.0)": picture.Kitty, "ghostty 1.2.3": picture.Kitty,
		"kitty(0.26.5)": picture.Blocks, "kitty": picture.Blocks, "kitty(new)": picture.Blocks, "XTerm(379)": picture.Blocks,
		"WezTerm 20240203": picture.Blocks, "": picture.Blocks,
	} {
		if got := picture.GraphicsOf(version); got != want {
			t.Errorf("%q has %d, want %d", version, got, want)
		}
	}
}

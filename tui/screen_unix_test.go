//go:build unix

package tui

import (
	"io"
	"reflect"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/xpty"
)

func TestOpenScreenReadsSingleKeys(t *testing.T) {
	pty, err := xpty.NewUnixPty(100, 30)
	if err != nil {
		t.Fatal(err)
	}
	defer pty.Close()
	mode := func() *term.State {
		state, err := term.GetState(pty.Slave().Fd())
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	before := mode()
	s, _ := openedScreen(t)
	s.out, s.console = io.Discard, uv.NewConsole(pty.Slave(), pty.Slave(), nil)
	if size, err := sizeOf(s.console); err != nil || size.Width != 100 || size.Height != 30 {
		t.Errorf("the size is %v, %v", size, err)
	}
	for range 2 {
		if err := s.open(); err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(mode(), before) {
			t.Error("the terminal still reads lines")
		}
		s.close("")
		if !reflect.DeepEqual(mode(), before) {
			t.Error("the terminal does not read lines again")
		}
	}
}

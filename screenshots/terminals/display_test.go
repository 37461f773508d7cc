//go:build terminals

package terminals

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// emulator is a terminal, and how it is started with a command.
type emulator struct {
	name string
	dark []string // the program and its arguments, before the command
	// light are those of a light background.
	light []string
	env   []string
}

var emulators = []emulator{
	{
		name:  "xterm",
		dark:  []string{"xterm", "-fa", "DejaVu Sans Mono", "-fs", "10", "-geometry", "120x35", "-bg", "black", "-fg", "gray90", "-e"},
		light: []string{"xterm", "-fa", "DejaVu Sans Mono", "-fs", "10", "-geometry", "120x35", "-bg", "white", "-fg", "black", "-e"},
	},
	{
		name:  "kitty",
		dark:  []string{"kitty", "--config", "NONE", "-o", "remember_window_size=no", "-o", "initial_window_width=120c", "-o", "initial_window_height=35c", "-o", "update_check_interval=0"},
		light: []string{"kitty", "--config", "NONE", "-o", "remember_window_size=no", "-o", "initial_window_width=120c", "-o", "initial_window_height=35c", "-o", "update_check_interval=0", "-o", "background=#ffffff", "-o", "foreground=#000000"},
		env:   []string{"LIBGL_ALWAYS_SOFTWARE=1"},
	},
	{
		name:  "alacritty",
		dark:  []string{"alacritty", "-o", "window.dimensions.columns=120", "-o", "window.dimensions.lines=35", "-e"},
		light: []string{"alacritty", "-o", "window.dimensions.columns=120", "-o", "window.dimensions.lines=35", "-o", "colors.primary.background='#ffffff'", "-o", "colors.primary.foreground='#000000'", "-e"},
		env:   []string{"LIBGL_ALWAYS_SOFTWARE=1", "WINIT_X11_SCALE_FACTOR=1"},
	},
	{
		name:  "VTE",
		dark:  []string{"dbus-run-session", "xfce4-terminal", "--disable-server", "--geometry=120x35", "--hide-menubar", "--hide-toolbar", "--hide-scrollbar", "--color-bg=#000000", "--color-text=#e5e5e5", "-x"},
		light: []string{"dbus-run-session", "xfce4-terminal", "--disable-server", "--geometry=120x35", "--hide-menubar", "--hide-toolbar", "--hide-scrollbar", "--color-bg=#ffffff", "--color-text=#000000", "-x"},
	},
	{
		name:  "urxvt",
		dark:  []string{"urxvt", "-fn", "xft:DejaVu Sans Mono:size=10", "-geometry", "120x35", "-bg", "black", "-fg", "gray90", "-e"},
		light: []string{"urxvt", "-fn", "xft:DejaVu Sans Mono:size=10", "-geometry", "120x35", "-bg", "white", "-fg", "black", "-e"},
	},
	{
		name:  "st",
		dark:  []string{"stterm", "-f", "DejaVu Sans Mono:size=10", "-g", "120x35", "-e"},
		light: []string{"stterm", "-f", "DejaVu Sans Mono:size=10", "-g", "120x35", "-e"},
	},
}

// display starts a display that nobody sees, and returns its name.
func display(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1400x900x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	_ = w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return ":" + strings.TrimSpace(line)
}

// start starts a command in a terminal; the terminal ends with the test.
func (e *emulator) start(t *testing.T, on string, light bool, vars []string, command ...string) {
	t.Helper()
	args := e.dark
	if light {
		args = e.light
	}
	home := t.TempDir()
	vars = append([]string{
		"DISPLAY=" + on, "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_RUNTIME_DIR=" + home,
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
	}, append(e.env, vars...)...)
	cmd := exec.Command(args[0], append(args[1:len(args):len(args)], command...)...)
	cmd.Env = vars
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if said, _ := os.ReadFile(log.Name()); t.Failed() && len(said) > 0 {
			t.Logf("%s says: %s", e.name, said)
		}
	})
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(fmt.Sprint("in vain: ", what))
		}
	}
}

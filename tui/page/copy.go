package page

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/theme"
)

// Copy puts text into the clipboard, through the terminal and, where it has
// one, the system's; what says what it was.
func Copy(env *Env, text, what string) tea.Cmd {
	said := Toast(theme.Good, "copied "+what)
	if env.Clipboard == nil {
		return tea.Batch(tea.SetClipboard(text), said)
	}
	native := func() tea.Msg {
		_ = env.Clipboard(text) // the terminal's may have worked; which one did cannot be told
		return nil
	}
	return tea.Batch(tea.SetClipboard(text), native, said)
}

// Keep brings how things are shown to disk, in the background.
func Keep(env *Env) tea.Cmd {
	kept := env.UIState
	if kept == nil {
		return nil
	}
	return func() tea.Msg {
		if err := kept.Flush(); err != nil {
			return ToastMsg{theme.Attention, err.Error()}
		}
		return nil
	}
}

// Short writes a path with ~ for the user's folder.
func Short(env *Env, path string) string {
	if rest, ok := strings.CutPrefix(path, env.Home+string(filepath.Separator)); ok && env.Home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// Full is the path that was typed: ~ is the user's folder, and what is
// relative begins where files are chosen.
func Full(env *Env, typed string) string {
	if rest, ok := strings.CutPrefix(typed, "~"); ok && env.Home != "" && (rest == "" || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, string(filepath.Separator))) {
		return filepath.Join(env.Home, rest)
	}
	if filepath.IsAbs(typed) {
		return filepath.Clean(typed)
	}
	return filepath.Join(env.Folder, typed)
}

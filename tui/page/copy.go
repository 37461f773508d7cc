package page

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/theme"
)

// Copy puts text into the clipboard, through the terminal and, where it has
// one, the system's; what says what it was.
func Copy(files *Files, text, what string) tea.Cmd {
	said := Toast(theme.Good, "copied "+what)
	if files.Clipboard == nil {
		return tea.Batch(tea.SetClipboard(text), said)
	}
	native := func() tea.Msg {
		_ = files.Clipboard(text) // the terminal's may have worked; which one did cannot be told
		return nil
	}
	return tea.Batch(tea.SetClipboard(text), native, said)
}

// Keep brings how things are shown to disk, in the background.
func Keep(look *Look) tea.Cmd {
	kept := look.UIState
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
func Short(files *Files, path string) string {
	if rest, ok := strings.CutPrefix(path, files.Home+string(filepath.Separator)); ok && files.Home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// Full is the path that was typed: ~ is the user's folder, and what is
// relative begins where files are chosen.
func Full(files *Files, typed string) string {
	if rest, ok := strings.CutPrefix(typed, "~"); ok && files.Home != "" && (rest == "" || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, string(filepath.Separator))) {
		return filepath.Join(files.Home, rest)
	}
	if filepath.IsAbs(typed) {
		return filepath.Clean(typed)
	}
	return filepath.Join(files.Folder, typed)
}

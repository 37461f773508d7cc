package page

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/theme"
)

// CopiedMsg says what became of a text that was copied.
type CopiedMsg struct {
	Text, What string
	Into       string // what has it; "" is the system's clipboard
	IsKnown    bool   // it has arrived; else the terminal is to be asked, which does not answer
	IsSecret   bool   // it is not kept
}

// CopyText puts text into a clipboard; what says what it was.
func CopyText(files *FileAccess, text, what string) tea.Cmd {
	return copyText(files, CopiedMsg{Text: text, What: what})
}

// CopySecret copies what is shown only once.
func CopySecret(files *FileAccess, text, what string) tea.Cmd {
	return copyText(files, CopiedMsg{Text: text, What: what, IsSecret: true})
}

func copyText(files *FileAccess, msg CopiedMsg) tea.Cmd {
	write := files.Clipboard
	return func() tea.Msg {
		if write != nil {
			into, err := write(msg.Text)
			msg.Into, msg.IsKnown = into, err == nil
		}
		return msg
	}
}

// KeepLook brings how things are shown to disk, in the background.
func KeepLook(look *PageLook) tea.Cmd {
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

// ShortPath writes a path with ~ for the user's folder.
func ShortPath(files *FileAccess, path string) string {
	if rest, ok := strings.CutPrefix(path, files.Home+string(filepath.Separator)); ok && files.Home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// FullPath returns the path that was typed: ~ is the user's folder, and what is
// relative begins where files are chosen.
func FullPath(files *FileAccess, typed string) string {
	if rest, ok := strings.CutPrefix(typed, "~"); ok && files.Home != "" && (rest == "" || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, string(filepath.Separator))) {
		return filepath.Join(files.Home, rest)
	}
	if filepath.IsAbs(typed) {
		return filepath.Clean(typed)
	}
	return filepath.Join(files.Folder, typed)
}

package page

import (
	"net/url"
	"path/filepath"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// RenderLink renders text as a link to an address of the web, where the terminal can
// have use for one. Signed links are none for it: terminals show where a link
// goes, and recordings keep it.
func RenderLink(look *PageLook, role theme.Role, text, target string) string {
	if !look.Links {
		return layout.CleanText(look.Theme.Style(role), text)
	}
	return layout.Link(look.Theme.Style(role), text, target)
}

// FileLink renders text as a link to a local file or folder.
func FileLink(look *PageLook, role theme.Role, text, path string) string {
	path = filepath.ToSlash(path)
	if path != "" && path[0] != '/' {
		path = "/" + path // a drive's letter comes first
	}
	return RenderLink(look, role, text, (&url.URL{Scheme: "file", Path: path}).String())
}

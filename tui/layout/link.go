package layout

import (
	"net/url"
	"slices"
	"strings"
)

// longest is the longest target that terminals take.
const longest = 2000

// LinkStyle is a style that can make its text a link.
type LinkStyle[S any] interface {
	Style
	Hyperlink(target string, params ...string) S
}

// Link renders text like [Text], as a link to a target that terminals open with
// a click. Of a target that is no address of the web or of a local file, names
// a user, or is written in other than plain characters there is only the text.
func Link[S LinkStyle[S]](style S, s, target string) string {
	if !isLinkable(target) || s == "" {
		return CleanText(style, s)
	}
	return CleanText(style.Hyperlink(target), s)
}

func isLinkable(target string) bool {
	outside := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(target) > longest || strings.ContainsFunc(target, outside) {
		return false
	}
	u, err := url.Parse(target)
	if err != nil || u.User != nil {
		return false
	}
	return u.Scheme == "file" && u.Host == "" && strings.HasPrefix(u.Path, "/") || slices.Contains([]string{"http", "https"}, u.Scheme) && u.Host != ""
}

package format_test

import (
	"strings"
	"testing"

	"flightdesk/tui/format"
)

func TestIsLinkable(t *testing.T) {
	for target, want := range map[string]bool{
		"https://hooks.example/flightdesk?a=b":      true,
		"http://127.0.0.1:8080/":                    true,
		"file:///home/k%C3%A4the/photo.jpg":         true,
		"file://elsewhere/etc":                      false,
		"file:relative":                             false,
		"javascript:alert(1)":                       false,
		"ssh://host/":                               false,
		"https://user:secret@host/":                 false,
		"https://":                                  false,
		"https://host/\x1b]0;title\a":               false,
		"https://host/a b":                          false,
		"https://höst/":                             false,
		"https://host/" + strings.Repeat("a", 2000): false,
		"": false,
	} {
		if got := format.IsLinkable(target); got != want {
			t.Errorf("%.60q is linked: %v, want %v", target, got, want)
		}
	}
}

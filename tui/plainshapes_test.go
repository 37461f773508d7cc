package tui_test

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/tui"
)

// drawn are the characters that draw in place of saying: a screen reader spells
// them, or passes them over.
var drawn = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x2190, Hi: 0x21FF, Stride: 1},
	{Lo: 0x22A0, Hi: 0x22FF, Stride: 1},
	{Lo: 0x2300, Hi: 0x23FF, Stride: 1},
	{Lo: 0x2500, Hi: 0x27BF, Stride: 1},
	{Lo: 0x2800, Hi: 0x28FF, Stride: 1},
}}

func TestPlainSpellsNoShapes(t *testing.T) {
	s := &server.Server{Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	client, err := api.NewClient(web.URL+server.PublicPath, api.WithKey(s.Accounts()[0].Key), api.WithLegacyURL(web.URL+server.LegacyPath), api.WithTimeout(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	lines := []string{"2", "enter", "esc", "3", "enter", "esc", "4", "enter", "esc", "5", "6", "w", "enter", "esc", "n", ":esc", "?"}
	opts := tui.Options{Client: client, Profile: "prod", Folder: t.TempDir()}
	if err := tui.RunPlain(t.Context(), opts, strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	found := map[rune]string{}
	for line := range strings.SplitSeq(out.String(), "\n") {
		for _, r := range line {
			if unicode.Is(drawn, r) {
				found[r] = line
			}
		}
	}
	for r, line := range found {
		t.Errorf("%c (%U) is in %q", r, r, line)
	}
	if strings.Count(out.String(), "== ") < 8 {
		t.Errorf("pages are missing:\n%s", out.String())
	}
}

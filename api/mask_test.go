package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The word search must find every text that an expression matches.
func TestTheWordSearchFindsEverySecret(t *testing.T) {
	parts := []string{
		`"secret"`, `"clientSecret"`, `"API_KEY"`, `"api-key"`, `"Token"`, `"x-Password"`, `"signature"`, `"authorization"`, `"monkey"`, `"name"`, ":", " : ", "\n:\t", `"v\"w"`, `"v`,
		"/files/", "%2Ffiles%2f", "abc/", "fd_test_", "fd_ops_", "whsec_", "sha256=", "00112233445566778899", "?sig=", "&X-Amz-Signature=", "?a=", "&KEY=", "_", "=", "x", `"`, " ",
	}
	r := rand.New(rand.NewPCG(3, 4))
	found := make([]int, len(masks()))
	for range 200_000 {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := []byte(b.String())
		for i, m := range masks() {
			if m.secret.Match(text) {
				found[i]++
				if !m.mayFind(bytes.ToLower(text)) {
					t.Fatalf("%q has what mask %d finds, and the look misses it", text, i)
				}
			}
		}
	}
	for i, n := range found {
		if n < 100 {
			t.Errorf("mask %d found something %d times only", i, n)
		}
	}
}

// No part of a key that the truncation splits is shown, even if masking shortens the body.
func TestAKeyAtTheEndOfATruncatedBodyIsNotShown(t *testing.T) {
	const key = "quitefreelychosen-0123456789abcdefgh"
	c := &Connection{keyForms: keyForms(key)}
	header := http.Header{"Content-Type": {"application/json"}}
	link := `"https://files.example/files/` + strings.Repeat("t", 900) + `",`
	for _, links := range []int{0, 10, 40, 290} {
		for _, part := range []int{1, 20, len(key) - 1} {
			body := `[` + strings.Repeat(link, links)
			body += strings.Repeat("x", MaxShownBody+longestSecret-part-len(body)) + key + strings.Repeat("y", 100)
			shown := string(c.maskBody(header, []byte(body)))
			if strings.Contains(shown, "q") || len(shown) > MaxShownBody {
				t.Errorf("%d links, %d of the key before the cut: %d bytes that end in %q", links, part, len(shown), shown[max(0, len(shown)-40):])
			}
			if links == 0 && len(shown) != MaxShownBody {
				t.Errorf("%d links: %d bytes are shown", links, len(shown))
			}
		}
	}
	short := `["` + key + `"]`
	if got := string(c.maskBody(header, []byte(short))); got != `["`+masked+`"]` {
		t.Errorf("a short body is shown as %s", got)
	}
}

func TestAKeyIsMaskedInEveryEncoding(t *testing.T) {
	const key = `own&key<of>"mine"\0123`
	c := &Connection{}
	if err := WithKey(key)(c); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	var plain strings.Builder
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(key); err != nil {
		t.Fatal(err)
	}
	capitals := strings.NewReplacer(`\u003c`, `\u003C`, `\u003e`, `\u003E`).Replace(string(asJSON))
	for _, text := range []string{`"` + key + `"`, string(asJSON), strings.TrimSpace(plain.String()), capitals, `"` + url.QueryEscape(key) + `"`, `"` + url.PathEscape(key) + `"`} {
		if got := c.Mask(text); got != `"`+masked+`"` {
			t.Errorf("%s is shown as %s", text, got)
		}
		if got := Mask(text); got != `"`+masked+`"` {
			t.Errorf("%s is shown as %s by a report", text, got)
		}
	}
}

func BenchmarkMaskBody(b *testing.B) {
	item := `{"uuid":"5f0c81d2-0000-4000-8000-000000000000","orderCode":"ORD-100241","orderName":"Levee","status":"flyingDateSet","deadline":"2026-12-01T00:00:00+01:00"}`
	body := []byte(`{"success":true,"data":{"data":[` + strings.Repeat(item+",", 99) + item + `]}}`)
	c := &Connection{keyForms: keyForms("fd_test_0123456789abcdef")}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if got := c.maskText(body); len(got) != len(body) {
			b.Fatal(fmt.Sprint(len(got)))
		}
	}
}

func TestLinksInAQueryAreMasked(t *testing.T) {
	const link = "http://127.0.0.1:8080/files/dG9rZW4_-x/map.tif"
	for text, want := range map[string]string{
		link:                                     "http://127.0.0.1:8080/files/•••/map.tif",
		"/find?q=" + url.QueryEscape(link):       "/find?q=http%3A%2F%2F127.0.0.1%3A8080%2Ffiles%2F•••%2Fmap.tif",
		"http://127.0.0.1/files/a%2Bb&c/map.tif": "http://127.0.0.1/files/•••/map.tif",
		"?q=%2Ffiles%2Fa%2Bb%252Fc%2Fmap.tif":    "?q=%2Ffiles%2F•••%2Fmap.tif",
		"/files%2fdG9rZW4_-x&limit=3":            "/files%2f•••&limit=3",
		"/webhooks/" + url.PathEscape(link):      "/webhooks/http:%2F%2F127.0.0.1:8080%2Ffiles%2F•••%2Fmap.tif",
	} {
		if got := Mask(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

package api

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The quick look must never miss what an expression finds.
func TestTheQuickLookMissesNothing(t *testing.T) {
	parts := []string{
		`"secret"`, `"clientSecret"`, `"API_KEY"`, `"api-key"`, `"Token"`, `"x-Password"`, `"signature"`, `"authorization"`, `"monkey"`, `"name"`, ":", " : ", "\n:\t", `"v\"w"`, `"v`,
		"/files/", "abc/", "fd_test_", "fd_ops_", "whsec_", "sha256=", "00112233445566778899", "?sig=", "&X-Amz-Signature=", "?a=", "&KEY=", "_", "=", "x", `"`, " ",
	}
	r := rand.New(rand.NewPCG(3, 4))
	found := make([]int, len(masks))
	for range 200_000 {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := []byte(b.String())
		for i, m := range masks {
			if m.what.Match(text) {
				found[i]++
				if !m.may(text) {
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

func BenchmarkMaskBody(b *testing.B) {
	item := `{"uuid":"5f0c81d2-0000-4000-8000-000000000000","orderCode":"ORD-100241","orderName":"Levee","status":"flyingDateSet","deadline":"2026-12-01T00:00:00+01:00"}`
	body := []byte(`{"success":true,"data":{"data":[` + strings.Repeat(item+",", 99) + item + `]}}`)
	c := &Client{keyForms: forms("fd_test_0123456789abcdef")}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if got := c.maskText(body); len(got) != len(body) {
			b.Fatal(fmt.Sprint(len(got)))
		}
	}
}

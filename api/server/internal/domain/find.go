package domain

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// Limits of the text that is searched for, in characters. Shorter texts find no names.
const (
	minSearch     = 2
	minSearchName = 3
	MaxSearch     = 200
)

// keyEndingLength is how many characters of a key are kept.
const keyEndingLength = 4

// Find returns what a ticket can contain: the code or UUID of anything, a part of the name
// or e-mail of an account, of an endpoint's address or of an order's company, the ending of
// a key, a request ID or the name of a file.
func (d Requests) Find(ctx context.Context, text string) ([]store.Found, error) {
	text = strings.TrimSpace(text)
	if n := len([]rune(text)); n < minSearch || n > MaxSearch || strings.ContainsFunc(text, unicode.IsControl) {
		fault := api.FieldError{Field: "q", Message: "must be 2 to 200 characters"}
		return nil, RefuseFields([]api.FieldError{fault}, 1)
	}
	found, err := d.Store.Find(ctx, searchFor(text))
	return withoutRepeated(found), wrapStoreError(err, "find")
}

// searchFor returns what a text can mean.
func searchFor(text string) store.Search {
	var s store.Search
	if lower := strings.ToLower(text); isUUID(lower) {
		s.UUID = lower
		return s
	}
	upper := strings.ToUpper(text)
	if strings.HasPrefix(upper, "ORD-") || strings.HasPrefix(upper, "MSN-") {
		s.Codes = []string{upper}
		return s
	}
	if strings.Trim(text, "0123456789") == "" {
		s.Codes = []string{"ORD-" + text, "MSN-" + text}
	}
	if ending := strings.TrimLeft(text, "•…."); len(ending) == keyEndingLength {
		s.KeyEnding = ending
	}
	s.RequestID = text
	s.FileName = text
	if wanted := foldText(trimAddress(text)); len(wanted) >= minSearchName {
		s.Matches = func(text string) bool {
			if isASCII(text) {
				return strings.Contains(strings.ToLower(text), wanted)
			}
			return strings.Contains(foldText(text), wanted) ||
				strings.Contains(foldUmlauts(text), wanted)
		}
	}
	return s
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isUUID reports whether a text in lower case has the form of a UUID.
func isUUID(text string) bool {
	return len(text) == 36 && strings.Count(text, "-") == 4 && strings.Trim(text, "0123456789abcdef-") == ""
}

// trimAddress removes the scheme and the final slash of an address, which people leave out.
func trimAddress(text string) string {
	_, rest, hasScheme := strings.Cut(text, "://")
	if hasScheme {
		text = rest
	}
	return strings.TrimSuffix(text, "/")
}

// foldText returns a text in lower case and without accents: "Köln" becomes "koln".
func foldText(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == 'ß':
			b.WriteString("ss")
		case r == 'ø':
			b.WriteByte('o')
		case r == 'æ':
			b.WriteString("ae")
		case r == 'ł':
			b.WriteByte('l')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// umlauts are the letters that are also written as two.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "å", "aa")

// foldUmlauts returns a text as [foldText] does, with umlauts as two letters: "Köln"
// becomes "koeln".
func foldUmlauts(text string) string {
	return foldText(umlauts.Replace(norm.NFC.String(strings.ToLower(text))))
}

// withoutRepeated returns each thing once, as it was found first.
func withoutRepeated(all []store.Found) []store.Found {
	known := map[string]bool{}
	once := make([]store.Found, 0, len(all))
	for _, f := range all {
		name := string(f.Kind) + " " + f.UUID
		if f.UUID != "" && known[name] {
			continue
		}
		known[name] = true
		once = append(once, f)
	}
	return once
}

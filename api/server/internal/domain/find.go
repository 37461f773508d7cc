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

// Limits of a search text in characters. Shorter texts than minSearchName do not find
// names.
const (
	MinSearch     = 2
	minSearchName = 3
	MaxSearch     = 200
)

// keyEndingLength is the number of last characters of a key that are stored.
const keyEndingLength = 4

// Find searches for a text, usually copied from a support ticket. The text can be
//
//   - the code or UUID of any object
//   - a part of the name or email address of an account
//   - a part of the URL of an endpoint
//   - a part of the company name in an order
//   - the last characters of a key
//   - a request ID
//   - the name of a file
func (d Requests) Find(ctx context.Context, text string) ([]store.Found, error) {
	text = strings.TrimSpace(text)
	length := utf8.RuneCountInString(text)
	hasControls := strings.ContainsFunc(text, unicode.IsControl)
	if length < MinSearch || length > MaxSearch || hasControls {
		fault := api.FieldError{Field: "q", Message: "must be 2 to 200 characters"}
		return nil, RefuseFields([]api.FieldError{fault}, 1)
	}
	found, err := d.Store.Find(ctx, searchFor(text))
	return withoutRepeated(found), wrapStoreError(err, "find")
}

// searchFor returns the search for a text.
func searchFor(text string) store.Search {
	lower := strings.ToLower(text)
	if IsUUID(lower) {
		return store.Search{UUID: lower}
	}
	if IsCodeOrUUID(text) {
		return store.Search{Codes: []string{strings.ToUpper(text)}}
	}
	s := store.Search{RequestID: text, FileName: text}
	if strings.Trim(text, "0123456789") == "" {
		s.Codes = []string{"ORD-" + text, "MSN-" + text}
	}
	ending := strings.TrimLeft(text, "•….")
	if len(ending) == keyEndingLength {
		s.KeyEnding = ending
	}
	part := foldText(trimAddress(text))
	if len(part) >= minSearchName {
		s.Matches = func(name string) bool { return containsFolded(name, part) }
	}
	return s
}

// containsFolded reports whether a name contains part. part must be a result of foldText. Umlauts
// in the name match one letter or two: "Köln" contains "koln" and "koeln".
func containsFolded(name, part string) bool {
	if isASCII(name) {
		return strings.Contains(strings.ToLower(name), part)
	}
	return strings.Contains(foldText(name), part) || strings.Contains(foldUmlauts(name), part)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsUUID reports whether a text has the form of a UUID, such as 0198c5a2-6b1e-7c3d-9f00-1a2b3c4d5e6f, in upper
// or lower case.
func IsUUID(text string) bool {
	return len(text) == 36 && strings.Count(text, "-") == 4 && strings.Trim(text, "0123456789abcdefABCDEF-") == ""
}

// IsCodeOrUUID reports whether a text has the form of a UUID, or of the code of an order or a
// mission.
func IsCodeOrUUID(text string) bool {
	upper := strings.ToUpper(text)
	return IsUUID(text) || strings.HasPrefix(upper, "ORD-") || strings.HasPrefix(upper, "MSN-")
}

// trimAddress removes the scheme and the last slash of a URL, because people often search for a
// URL without them.
func trimAddress(text string) string {
	_, rest, hasScheme := strings.Cut(text, "://")
	if hasScheme {
		text = rest
	}
	return strings.TrimSuffix(text, "/")
}

// foldText returns a text in lower case without accents: "Köln" becomes "koln".
func foldText(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
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

// umlauts replaces letters that are also written as two letters.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "å", "aa")

// foldUmlauts is like [foldText], but writes an umlaut as two letters: "Köln" becomes "koeln".
func foldUmlauts(text string) string {
	return foldText(umlauts.Replace(norm.NFC.String(strings.ToLower(text))))
}

// withoutRepeated removes repeated results and keeps the first.
func withoutRepeated(all []store.Found) []store.Found {
	seen := map[string]bool{}
	distinct := make([]store.Found, 0, len(all))
	for _, f := range all {
		key := string(f.Kind) + " " + f.UUID
		if f.UUID != "" && seen[key] {
			continue
		}
		seen[key] = true
		distinct = append(distinct, f)
	}
	return distinct
}

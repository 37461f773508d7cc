package session

import "strings"

// TrimBasePath removes the base path of the public API or of the v2 API, such as "/api/v2", from a path.
func TrimBasePath(path string) string {
	for _, base := range []string{"/api/v1/public", "/api/v2"} {
		if rest, ok := strings.CutPrefix(path, base); ok {
			return rest
		}
	}
	return path
}

// AbbreviatePath returns a short form of a path and its query for tables, such as
// "/webhooks/019cf1ec…/deliveries?limit=20". It has no base path, and long IDs are cut. The base path of the
// operations API becomes "ops".
func AbbreviatePath(path string) string {
	path, query, hasQuery := strings.Cut(path, "?")
	short := TrimBasePath(path)
	if rest, ok := strings.CutPrefix(path, "/api/ops/v1/"); ok {
		short = "ops/" + rest
	}
	segments := strings.Split(short, "/")
	for i, segment := range segments {
		segments[i] = abbreviateID(segment)
	}
	short = strings.Join(segments, "/")
	if !hasQuery {
		return short
	}
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		name, value, hasValue := strings.Cut(parameter, "=")
		if hasValue {
			parameters[i] = name + "=" + abbreviateID(value)
		}
	}
	return short + "?" + strings.Join(parameters, "&")
}

// Lengths of IDs in an abbreviated path, in bytes.
const (
	maxWholeID  = 20 // longer IDs are cut
	cutIDLength = 8
)

// abbreviateID cuts a long ID, such as a UUID or a cursor, to its first characters. It returns any other text
// unchanged.
func abbreviateID(text string) string {
	isASCII := strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
	if len(text) <= maxWholeID || !isASCII {
		return text
	}
	return text[:cutIDLength] + "…"
}

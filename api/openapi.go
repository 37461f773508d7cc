package api

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

// OpenAPI is the service's contract, an OpenAPI 3.1 document in YAML. [ClientOpenAPI] and
// [OperationsOpenAPI] are its two parts.
//
//go:embed openapi.yaml
var OpenAPI []byte

// ClientOpenAPI returns the part of the contract that clients of the service use: the public API,
// the v2 API, links to files, and the service's health.
var ClientOpenAPI = sync.OnceValue(func() []byte {
	return selectOpenAPI(string(OpenAPI), func(path string) bool { return !isOperationsPath(path) })
})

// OperationsOpenAPI returns the part of the contract that describes the operations API.
var OperationsOpenAPI = sync.OnceValue(func() []byte {
	text := strings.Replace(string(OpenAPI), "\nsecurity:\n  - bearer: []\n  - apiKey: []\n", "\nsecurity:\n  - opsKey: []\n", 1)
	return selectOpenAPI(text, isOperationsPath)
})

func isOperationsPath(path string) bool {
	return strings.HasPrefix(path, "/api/ops/") || path == "/metrics"
}

// Regular expressions that match the beginning of an entry, by the indentation of the document.
const (
	pathEntry      = `(?m)^  /`
	tagEntry       = `(?m)^  - name: `
	sectionEntry   = `(?m)^  \w+:\n`
	componentEntry = `(?m)^    \w`
)

// selectOpenAPI returns the document with only some paths, and with the tags and the components
// that they use. It relies on the indentation of the document.
func selectOpenAPI(document string, isWanted func(path string) bool) []byte {
	head, rest, _ := strings.Cut(document, "\npaths:\n")
	paths, components, _ := strings.Cut(rest, "\ncomponents:\n")
	var kept strings.Builder
	for _, entry := range splitEntries(paths, pathEntry) {
		path, _, _ := strings.Cut(strings.TrimSpace(entry), ":\n")
		if isWanted(path) {
			kept.WriteString(entry)
		}
	}
	head = selectTags(head, kept.String())
	return []byte(head + "\npaths:\n" + kept.String() + "\ncomponents:\n" + selectComponents(components, head+kept.String()))
}

// splitEntries splits a text before each match of the regular expression. It leaves out the text before the first
// match.
func splitEntries(text, begin string) []string {
	matches := regexp.MustCompile(begin).FindAllStringIndex(text, -1)
	entries := make([]string, len(matches))
	for i := range matches {
		end := len(text)
		if i+1 < len(matches) {
			end = matches[i+1][0]
		}
		entries[i] = text[matches[i][0]:end]
	}
	return entries
}

// selectTags returns the head of a document without the tags that no path uses.
func selectTags(head, paths string) string {
	before, rest, _ := strings.Cut(head, "\ntags:\n")
	tags, after, _ := strings.Cut(rest, "\nsecurity:\n")
	var kept strings.Builder
	for _, entry := range splitEntries(tags+"\n", tagEntry) {
		name, _, _ := strings.Cut(strings.TrimPrefix(entry, "  - name: "), "\n")
		if strings.Contains(paths, "tags: ["+name+"]") {
			kept.WriteString(entry)
		}
	}
	return before + "\ntags:\n" + strings.TrimSuffix(kept.String(), "\n") + "\nsecurity:\n" + after
}

// selectComponents returns the components to which user refers, directly or through other components. user is a part
// of the document.
func selectComponents(components, user string) string {
	componentRef := regexp.MustCompile(`#/components/(\w+/\w+)`)
	names := map[string]bool{}
	for hasNew := true; hasNew; {
		hasNew = false
		for _, ref := range componentRef.FindAllStringSubmatch(user, -1) {
			hasNew = hasNew || !names[ref[1]]
			names[ref[1]] = true
		}
		user = keepComponents(components, user, names)
	}
	return keepComponents(components, user, names)
}

// keepComponents returns the components with the given names, which have the form section/name. It also returns the
// security schemes that user, a part of the document, requires, and adds their names to names.
func keepComponents(components, user string, names map[string]bool) string {
	var kept strings.Builder
	for _, section := range splitEntries(components, sectionEntry) {
		title, _, _ := strings.Cut(strings.TrimSpace(section), ":\n")
		var entries strings.Builder
		for _, entry := range splitEntries(section, componentEntry) {
			name, _, _ := strings.Cut(strings.TrimSpace(entry), ":")
			isScheme := title == "securitySchemes" && (strings.Contains(user, name+": []") || names["scheme/"+name])
			if isScheme {
				names["scheme/"+name] = true
			}
			if isScheme || names[title+"/"+name] {
				entries.WriteString(entry)
			}
		}
		if entries.Len() > 0 {
			kept.WriteString("  " + title + ":\n" + entries.String())
		}
	}
	return kept.String()
}

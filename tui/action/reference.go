package action

import (
	"fmt"
	"strings"
)

// ScopeTitle returns how help and documentation call a scope.
func (s Scope) ScopeTitle() string {
	for _, rows := range defaults {
		if rows.scope == s {
			return rows.title
		}
	}
	return string(s)
}

// codeOfKeys returns keys as code of Markdown in the cell of a table.
func codeOfKeys(keys []string) string {
	codes := make([]string, len(keys))
	for i, key := range keys {
		opening, closing := "`", "`"
		if key == "`" {
			opening, closing = "`` ", " ``"
		}
		codes[i] = opening + strings.ReplaceAll(key, "|", `\|`) + closing
	}
	return strings.Join(codes, " ")
}

// KeyReference returns the whole table as a page of documentation.
func KeyReference() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nGenerated from the table of actions. In the app, `?` lists the keys of the current page. While you type, only keys that\n" +
		"produce no text work. The last column is the name of the action in `[keys]` of config.toml: `orders.refresh` is\n" +
		"`refresh` in `[keys.orders]`.\n")
	for _, scope := range AllScopes() {
		fmt.Fprintf(&b, "\n## %s\n\n| Keys | Action | Name |\n|---|---|---|\n", scope.ScopeTitle())
		for _, a := range table {
			if a.Scope == scope {
				fmt.Fprintf(&b, "| %s | %s | `%s.%s` |\n", codeOfKeys(a.Keys), a.Help, a.Scope, a.ID)
			}
		}
	}
	return b.String()
}

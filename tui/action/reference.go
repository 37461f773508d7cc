package action

import (
	"cmp"
	"fmt"
	"strings"
)

// titles are how help and documentation call the scopes.
var titles = map[Scope]string{
	Everywhere:      "Everywhere",
	List:            "In a list",
	Table:           "Any table",
	FilterLine:      "While typing the filter",
	Map:             "While the map is in focus",
	MapView:         "The map",
	Orders:          "Orders",
	Order:           "One order",
	NewOrderSteps:   "New order",
	NewOrderFiles:   "New order: files",
	NewOrderSites:   "New order: sites",
	NewOrderDetails: "New order: details",
	Calendar:        "In a calendar",
	NewOrderReview:  "New order: review",
	QuoteInbox:      "Quotes",
	Quotes:          "Quotes of an order",
	DecisionLog:     "Decision log",
	Welcome:         "Welcome",
	Account:         "Account",
	KeyRights:       "Account: key permissions",
	MissionList:     "Missions of all orders",
	Month:           "A month of missions",
	Mission:         "One mission",
	HomePage:        "Home",
	Deliveries:      "Deliveries",
	LocalFile:       "Downloaded file",
	Library:         "Library",
	RequestLog:      "Request log",
	Webhooks:        "Webhooks",
	CallbackLog:     "Webhooks: callback log",
	LiveEvents:      "Webhooks: live events",
	SignatureCheck:  "Webhooks: signature check",
	Ops:             "Operations",
	OpsTask:         "Operations: an order or a mission",
	OpsQueue:        "Operations: queue",
	OpsAccounts:     "Operations: accounts",
	OpsRequests:     "Operations: key requests",
	TestControls:    "Operations: test controls",
	OpsKeys:         "Operations: keys of an account",
	OpsOrders:       "Operations: orders",
	OpsEndpoints:    "Operations: endpoints of an account",
	OpsOrder:        "Operations: one order",
	ClientView:      "Operations: client view",
	Inspect:         "Inspect",
	Timeline:        "Timeline",
}

// ScopeTitle returns how help and documentation call a scope.
func (s Scope) ScopeTitle() string { return cmp.Or(titles[s], string(s)) }

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

package action

import (
	"cmp"
	"fmt"
	"strings"
)

// titles are how help and documentation call the scopes.
var titles = map[Scope]string{
	Everywhere:  "Everywhere",
	List:        "In a list",
	Table:       "Any table",
	FilterLine:  "While typing the filter",
	Map:         "While the map is in focus",
	MapView:     "The map",
	Orders:      "Orders",
	Order:       "One order",
	Steps:       "New order",
	Sites:       "New order: files",
	Missions:    "New order: missions",
	Form:        "New order: form",
	Calendar:    "In a calendar",
	Review:      "New order: review",
	QuoteInbox:  "Quotes",
	Quotes:      "Quotes of an order",
	DecisionLog: "Decisions",
	Welcome:     "The first run",
	Account:     "The first run: account",
	Tried:       "The first run: what the key may do",
	Fleet:       "Missions of all orders",
	Month:       "A month of missions",
	Mission:     "One mission",
	Desk:        "Desk",
	Deliveries:  "Deliveries",
	Library:     "Library",
	Wire:        "Wire",
	Webhooks:    "Webhooks",
	CallbackLog: "Webhooks: the log of an endpoint",
	Feed:        "Webhooks: live feed",
	Bench:       "Webhooks: workbench",
	Ops:         "Operations",
	OpsWork:     "Operations: an order or a mission",
	OpsQueue:    "Operations: queue",
	OpsAccounts: "Operations: accounts",
	OpsRequests: "Operations: requests for keys",
	OpsTrials:   "Operations: trials",
	OpsKeys:     "Operations: keys of an account",
	OpsOrders:   "Operations: orders",
	OpsHooks:    "Operations: endpoints of an account",
	OpsLog:      "Operations: callbacks of an endpoint",
	OpsOrder:    "Operations: one order",
	BothEnds:    "Operations: both ends",
	Inspect:     "Inspect",
	Story:       "A story",
}

// Title is how help and documentation call a scope.
func (s Scope) Title() string { return cmp.Or(titles[s], string(s)) }

// Reference is the whole table as a page of documentation.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nMade from the app's table of actions. In the app `?` lists those of the page on the screen. While text is typed only\n" +
		"keys act that no text is made of. The last column is how `[keys]` in config.toml names an action: `orders.refresh` is\n" +
		"`refresh` in `[keys.orders]`.\n")
	for _, scope := range Scopes() {
		fmt.Fprintf(&b, "\n## %s\n\n| keys | does | action |\n|---|---|---|\n", scope.Title())
		for _, a := range table {
			if a.Scope == scope {
				keys := strings.ReplaceAll("`"+strings.Join(a.Keys, "` `")+"`", "|", `\|`)
				fmt.Fprintf(&b, "| %s | %s | `%s.%s` |\n", keys, a.Help, a.Scope, a.ID)
			}
		}
	}
	return b.String()
}

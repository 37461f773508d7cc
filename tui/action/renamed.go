package action

// earlierScopes and earlierActions give names of earlier versions their names of
// today: configurations continue to work with them.
var (
	earlierScopes = map[Scope]Scope{
		"steps":       "new-order",
		"sites":       "new-order-files",
		"missions":    "new-order-sites",
		"form":        "new-order-details",
		"review":      "new-order-review",
		"tried":       "key-rights",
		"fleet":       "mission-list",
		"desk":        "home",
		"wire":        "request-log",
		"bench":       "signature-check",
		"story":       "timeline",
		"bothends":    "client-view",
		"opstrials":   "test-controls",
		"opshooks":    "ops-endpoints",
		"opswork":     "ops-task",
		"opsqueue":    "ops-queue",
		"opsaccounts": "ops-accounts",
		"opsrequests": "ops-requests",
		"opskeys":     "ops-keys",
		"opsorders":   "ops-orders",
		"opsorder":    "ops-order",
		"feed":        "live-events",
		"view":        "map-view",
		"decisions":   "decision-log",
	}
	earlierActions = map[ID]ID{
		"by-hand":         "add-site",
		"keep-day":        "select-day",
		"drop-draft":      "delete-draft",
		"wire":            "request-log",
		"pause-wire":      "pause-requests",
		"story":           "timeline",
		"workbench":       "signature-check",
		"live-feed":       "live-events",
		"go-desk":         "go-home",
		"news":            "notifications",
		"keep-filter":     "apply-filter",
		"decided":         "show-decided",
		"read-by-service": "compare-reading",
		"both-ends":       "client-view",
		"other-end":       "switch-side",
	}
)

// CurrentName returns a binding by the names of today, and whether it used
// earlier ones.
func CurrentName(b Binding) (current Binding, renamed bool) {
	current = b
	if scope, ok := earlierScopes[b.Scope]; ok {
		current.Scope = scope
	}
	if id, ok := earlierActions[b.Action]; ok {
		current.Action = id
	}
	return current, current.Scope != b.Scope || current.Action != b.Action
}

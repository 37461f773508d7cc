package webhooks

import (
	"fmt"
	"net/http"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

// Health tells pages of other sections how many of the account's endpoints have problems. It computes the problems from
// the cached data that the section Webhooks also uses.
type Health struct{ tracker *endpointTracker }

// NewHealth returns the health for a page.
func NewHealth(base page.Base) *Health { return &Health{newEndpointTracker(base)} }

// Needs requests the list of endpoints. The list has the status of the last callback of each endpoint. Needs returns
// nil if the key is not allowed to read the list.
func (h *Health) Needs() []cache.Need {
	profile := &h.tracker.Env.Profile
	_, state := profile.Cache.Endpoints.Get(cache.Account)
	isRefused := api.IsStatus(state.Err, http.StatusForbidden, http.StatusNotFound)
	if isRefused || profile.Permissions.RefusalOf(api.ScopeWebhooksRead) != "" {
		return nil
	}
	return []cache.Need{profile.Cache.Endpoints.NeedOf(cache.Account)}
}

// Problems describes how many endpoints fail or miss callbacks, such as "2 of 3 endpoints failing". It returns ""
// if no problem is known. It also updates the number of endpoints with a problem next to the section's name. Missing
// callbacks are known only after the section has loaded the logs.
func (h *Health) Problems() string {
	_, state := h.tracker.Env.Profile.Cache.Endpoints.Get(cache.Account)
	if state.IsUnread() {
		return ""
	}
	h.tracker.deriveFromCache()
	problems := 0
	missesOnly := 0 // the last callback was delivered, but others are missing
	for _, e := range h.tracker.endpoints {
		if !e.isFailing {
			continue
		}
		problems++
		if e.counts[columns.CallbackMissing] > 0 && !e.hasFailedLast() {
			missesOnly++
		}
	}
	count := fmt.Sprintf("%d of %s ", problems, format.Count(len(h.tracker.endpoints), "endpoint"))
	switch {
	case problems == 0:
		return ""
	case missesOnly == 0:
		return count + "failing"
	case missesOnly == problems:
		return count + "with missing callbacks"
	default:
		return count + "with problems"
	}
}

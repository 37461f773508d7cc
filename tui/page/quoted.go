package page

import "flightdesk/tui/app/labels"

// SetQuoted keeps the state of the quotes of orders, by their ids, once the
// orders with open quotes are listed; the public API does not say it. Pages call
// it in Update.
func (e *Env) SetQuoted(ids map[string]labels.QuoteCounts) { e.quoted = ids }

// HasOpenQuotes reports whether an order is known to have quotes to decide.
func (e *Env) HasOpenQuotes(id string) bool { return e.quoted[id] == labels.QuotesReady }

// QuotesOf returns what is known of an order's quotes: those that are not listed have
// none that is open.
func (e *Env) QuotesOf(id string) labels.QuoteCounts {
	if known, ok := e.quoted[id]; ok || e.quoted == nil {
		return known
	}
	return labels.QuotesNone
}

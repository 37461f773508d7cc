// Package fleet is what is known of all orders and missions of an account. The
// interface lists missions by order only, so they are read order by order: in
// the background, a few at the same time, those that are under way first, and
// again only where an order has changed.
package cache

// Package quotes shows quotes. [QuoteInbox] lists the orders with open quotes,
// [ComparePage] compares the quotes of one order and decides them, and [DecisionLog]
// lists decisions made on this machine. Quotes come from the cache as records of the v2
// API; decisions leave through [page.HeldChange]. Read [ComparePage] first.
package quotes

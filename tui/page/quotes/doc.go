// Package quotes has the pages of quotes. [QuoteInbox] lists the orders with open quotes. [ComparePage] compares
// the quotes of one order, and the user accepts or rejects quotes there. [DecisionLog] lists the decisions that
// were made on this machine. The quotes are in the cache, as records of the v2 API. Decisions are sent through
// [page.HeldChange]. Read [ComparePage] first.
package quotes

// Package page is what the pages of the terminal app have in common: the
// interface that the root calls, the messages that a page sends to it, and
// questions whose late answers are dropped.
package page

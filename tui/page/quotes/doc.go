// Package quotes has the pages on which quotes are compared and decided: the
// orders that have open ones, and the quotes of an order side by side.
package quotes

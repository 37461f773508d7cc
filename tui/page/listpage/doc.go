// Package listing is a table on a page, with what can be done to any table: it
// is filtered, sorted, copied, written to a file, and its columns are chosen.
package listpage

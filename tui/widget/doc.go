// Package widget has what pages are put together from: facts, steps, bars, tabs
// and split panes; forms and the dialogs over a page; and tables of which only
// the rows in sight are asked for, whose selection stays with its row when the
// data changes. It knows nothing of what it shows.
package widget

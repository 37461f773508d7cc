// Package widget has the building blocks of the pages: facts, steps, bars, tabs and split
// panes; forms and dialogs; and tables, which render only the visible rows and keep the
// selected row when the data changes. It is independent of the data that it displays.
package widget

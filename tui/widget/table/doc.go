// Package table draws rows of cells with one selected: only the rows in sight
// are asked for, and the selection stays with its row when the data changes.
package table

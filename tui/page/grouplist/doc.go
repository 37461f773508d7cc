// Package grouplist is a page of groups of lines. One line is selected, and each
// opens something.
package grouplist

// Package groups is a page of groups of lines, of which one is chosen and each
// is a way to somewhere.
package grouplist

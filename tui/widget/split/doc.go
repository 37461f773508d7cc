// Package split shares a rectangle among panes with a line between them that
// the mouse can move. It knows nothing of what is in the panes.
package split

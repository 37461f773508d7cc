// Package theme holds the colours, styles and characters of the terminal app. No
// other package names a colour: tokens make styles, and a theme is a set of
// tokens. Terminals that cannot show all of the app's characters get others that
// take as many cells.
package theme

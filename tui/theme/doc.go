// Package theme holds the colours and styles of the terminal app. No other
// package names a colour: tokens make styles, and a theme is a set of tokens.
package theme

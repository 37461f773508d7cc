// Package terminals shows the app in real terminals, on a display that nobody sees, and measures in them how
// wide texts are. It has only tests, which have the build tag terminals and need Xvfb, xdotool, ImageMagick and
// the terminals.
package terminals

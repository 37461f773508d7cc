// Package terminals shows the app in real terminals, on a display that nobody
// sees, and measures in them how wide texts are. It has tests only, behind the
// tag terminals; they take Xvfb, xdotool, ImageMagick and the terminals.
package terminals

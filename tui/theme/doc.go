// Package theme has the colours, styles and characters of the terminal app. Other packages use roles
// instead of colours; a theme has a colour for each role. For terminals that cannot show all of the
// app's characters there are replacements with the same width.
package theme

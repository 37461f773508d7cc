// Package save writes what a page shows to a file that the user names.
package exportdialog

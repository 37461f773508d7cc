// Package dialog has the overlays: a question, a form, and a text to scroll.
// Each hands its typed result to the function that it was made with.
package dialog

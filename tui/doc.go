// Package tui is the terminal app. It speaks to the service only through
// [api.Client], also when the service runs in the same process.
//
// The root finds the action of a key in the scopes of the top page, and passes it to
// the page. Keys are data in package action, which footer and help also use. While
// text is typed, only keys that are not text perform actions.
//
// Pages implement page.Page. Each section of the app, a page.Section, keeps a
// stack of pages while another is shown; a stack of dialogs is above them. Dialogs
// pass typed results to the function they were made with.
// Nothing slow happens in Update or View: a page asks a question in the
// background, and drops an answer that comes late.
// Bubble Tea asks for the view after every message; the frame limiter renders it
// once per frame, and the screen writes it to the terminal.
//
// Everything is drawn into rectangles of cells. All drawing uses package layout,
// which makes text from outside harmless; colours come only from package theme.
package tui

// Package tui is the terminal app. It sends requests only through [api.Client], even if the
// service runs in the same process.
//
// The root model, [App], looks up the action of a key in the scopes of the top page and passes
// the action to the page. The keys are data in package action, which the footer and the help
// also use. While the user types text, only keys that are not text perform actions.
//
// Pages implement page.Page. Each section of the app, a page.Section, keeps its stack of pages
// while another section is shown. Dialogs have a stack above the pages; a dialog passes its
// typed result to a callback.
//
// Nothing slow happens in Update or View: a page sends requests in the background and ignores
// responses that arrive late. Bubble Tea calls View after every message. The frame limiter
// renders at most once per frame, and the screen writes the frame to the terminal.
//
// A confirmed change is held for some seconds, in which the user can undo it, and then sent. If its
// response is lost, the app looks for the change at the service until the outcome is known.
//
// In plain mode the app prints pages as lines of text and reads lines instead of keys; see
// [RunPlain].
//
// Everything is drawn into rectangles of cells, with package format, which removes control
// characters from text of other sources. Colours come only from package theme.
package tui

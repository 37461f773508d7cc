// Package tui is the terminal app. It speaks to the service only through
// [api.Client], also when the service runs in the same process.
//
// A key's way: the root finds the action that the key has in the scopes of the
// page on top, and hands it to the page. Keys are data in package action, from
// which footer and help are made, too. While text is being typed only keys act
// that no text is made of.
//
// Pages implement page.Page. Each section of the app, a page.Section, has a
// stack of them that stays as it was left; dialogs stand on another above
// them and hand typed results to the function they were made with.
// Nothing that takes time happens in Update or View: a page asks a question,
// which runs in the background, and drops its answer when it comes late.
// Bubble Tea asks for the view after every message; the frame limiter renders it
// once per frame.
//
// Everything is drawn into rectangles of cells. Text from outside is made
// harmless by package layout, which all drawing goes through; colours are
// package theme's alone.
package tui

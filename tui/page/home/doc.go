// Package home has the start page: what needs a decision, what is late, what
// moved, what flies next and what is to be fetched, each a way to where that is
// done.
package home

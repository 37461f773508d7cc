// Package listpage is the page that lists things of one kind. A page declares
// its columns, where its rows come from and what is said of one of them; the
// list page reads and ages them, filters, sorts, copies and exports them, and
// shows the selected one beside the list.
package listpage

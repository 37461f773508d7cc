// Package page defines what the pages of the app share: the interface called by
// the root, the messages sent to it, and background questions whose late answers
// are dropped. Start with Page and Env.
//
// Pages are made of its parts. A [List] lists things of one kind: a page declares
// its columns, where its rows come from and what is said of one of them; the list
// reads and ages them, filters, sorts, copies and exports them, and shows the
// selected one beside itself. A [Detail] is about one thing, a [GroupList] has
// groups of lines that each open something. A [SiteMap] shows sites or missions,
// a [FilePicker] chooses files of this machine.
package page

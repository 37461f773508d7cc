// Package page has the parts that all pages of the app share: the interface that the root calls,
// the messages to the root, and background requests whose late answers are ignored. Start with
// [Page] and [Env].
//
// It also has the building blocks of pages:
//
//   - A [List] lists objects of one kind, with the details of the selected object. A page declares
//     the columns, the source of the rows and the details; the list loads, filters, sorts, copies
//     and exports the rows.
//   - A [Detail] shows a single object.
//   - A [GroupList] shows groups of lines, each of which opens a page.
//   - A [SiteMap] shows sites or missions on a map.
//   - A [FilePicker] lets the user choose files of this machine.
package page

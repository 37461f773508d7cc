// Package ordering creates orders from survey files, independently of the screen.
//
// A [FileReader] reads a file, and its sites are added to a [Draft], where the user corrects,
// merges and splits them. [OrderFields] declares the fields of an order for the form, the
// order file of the command line, templates and validation. [Draft.PrepareOrders] creates the
// requests, several if the sites do not fit into one order. [Drafts] stores drafts on disk and
// records in a [changes.Log] that an order is being sent before it is sent
// ([Drafts.SaveAndPlace]). The command line creates orders with [ComposeDraft] and
// [Placer.PlaceOnce].
package ordering

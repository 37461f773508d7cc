// Package ordering makes orders of survey files without a screen.
//
// A file is read ([ReadFile]) and its sites are added to a [Draft], where they
// are corrected, merged and split. The draft's fields are declared once
// ([OrderFields]): the form, the order file of the command line, templates and checks
// come from that. [Draft.PrepareOrders] makes the requests, several where the sites are
// more than one order can hold. [Drafts] keeps drafts on disk, and writes that an
// order is on its way before it is sent ([Drafts.PlaceOrder]). The command line makes
// orders with [ComposeOrder] and [Placer.PlaceOnce].
package ordering

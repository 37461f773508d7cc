// Package changes records the changes that are sent to a service. Every change is in the log,
// which all programs of a person share, before it is sent; its outcome is added afterwards. A
// change whose response was lost is looked for on the service and never sent a second time.
//
// The state of a change is [Held] while the app counts down, [Sent] until its outcome is known,
// and then [Confirmed] or [Failed]. It is [Unknown] if the user ends the search for the outcome.
// Held changes are not in the log.
package changes

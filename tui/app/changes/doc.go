// Package changes records the changes that are sent to a service. Every change is in the log,
// which all programs of a person share, before it is sent; its outcome is added afterwards. A
// change whose response was lost is looked for on the service and never sent a second time.
//
// A change is held while the app counts down, which is not in the log, and sent until its
// outcome is known. Then it is confirmed or failed, or unknown if the user ends looking for it.
package changes

// Package webhooks has the pages of section 7: endpoints and how they fare,
// their logs with the gaps in them, the live feed of events, and the workbench
// for signatures.
package webhooks

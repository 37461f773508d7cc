// Package webhooks receives callbacks and finds those that were not received.
//
// [Listen] opens an address, registers an endpoint for it and removes those that
// crashed runs left ([Runs]). The [Listener] verifies each callback with the
// endpoint's secret, answers 204 once its handler has succeeded, and removes the
// endpoint at the end. The command line uses it as it is and may [Forward] what
// comes. A [Feed] is one that the app starts and stops: its handler writes each
// event to the [Log], which keeps it once, over restarts and several programs,
// before it is acknowledged. [InFeedOrder] orders the log by how far each mission was.
//
// [Secrets] keeps the secrets of endpoints, [CheckSignature] says why a callback
// does not verify, and [FindMissing] compares the state of missions with an
// endpoint's log and with what was received.
package webhooks

// Package webhooks receives callbacks of the service.
//
// [OpenListener] listens on an address, registers an endpoint for it and removes the endpoints
// of crashed runs ([RunFolder]). The [EndpointListener] verifies each callback with the
// endpoint's secret, responds 204 after its handler has succeeded, and removes the endpoint
// when it stops. The command line may forward callbacks with [ForwardCallback]. The app starts
// and stops an [EventFeed], which stores each event once in the [EventLog] before it is
// acknowledged; several programs and runs share the log. [SortFeed] sorts events by the
// progress of their missions.
//
// [EndpointSecrets] stores the secrets of endpoints, and [CheckSignature] explains why a
// callback cannot be verified.
package webhooks

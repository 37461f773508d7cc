// Package webhooks shows section 7: [EndpointList] the endpoints and their health,
// [EndpointPage] the callbacks sent to one and those that are missing, [LiveFeed]
// events as they arrive, and a dialog whether a pasted callback is genuine.
// Endpoints, logs and missions come from the cache and are joined in endpointBook,
// which to read first.
package webhooks

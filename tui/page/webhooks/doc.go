// Package webhooks has the pages of the "Webhooks" section. [EndpointList] lists the endpoints and their health.
// [EndpointPage] lists the callbacks that were sent to an endpoint, and the missing callbacks. [LiveFeed] lists
// events as the app receives them. A dialog checks the signature of a pasted callback.
//
// Read endpointTracker first: it joins the endpoints, logs and missions in the cache.
package webhooks

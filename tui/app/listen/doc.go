// Package listen receives callbacks: it registers an endpoint, verifies what
// comes, hands every event over once, and removes the endpoint at the end. The
// command and the app's feed are both made of it.
package listen
